//! Plans in several files: fixtures, and what must hold for each.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use afresh_core::plan::Task;
use afresh_formats::folder::{MemoryFolder, PlanFolder};
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{PlanFormat, ReadOptions};

use crate::rendered;

/// The files of a fixture by their paths.
pub(crate) fn files(name: &str) -> BTreeMap<String, Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let mut found = BTreeMap::new();
    let mut open = vec![root.clone()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("a fixture") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).expect("inside").to_string_lossy().into_owned();
            found.insert(name, fs::read(&path).expect("a file"));
        }
    }
    assert!(!found.is_empty(), "no fixture {name}");
    found
}

pub(crate) fn fixture(name: &str) -> MemoryFolder {
    MemoryFolder::new(files(name))
}

/// Reads with default options.
pub(crate) fn read(format: &PlanFormat, folder: &dyn PlanFolder) -> PlanReading {
    format.read_traced(folder, &ReadOptions::default())
}

/// Reads one file that the user named.
pub(crate) fn read_only(format: &PlanFormat, folder: &dyn PlanFolder, file: &str) -> PlanReading {
    format
        .read_traced(folder, &ReadOptions { only: Some(file.to_owned()), ..ReadOptions::default() })
}

/// The plan in a few lines per task, then the findings as people read them.
pub(crate) fn shown(reading: &PlanReading) -> String {
    let mut text = String::new();
    if let Some(plan) = &reading.plan {
        let _ = writeln!(text, "plan {:?} spec {:?}", plan.name, plan.spec);
        for (at, task) in plan.indices().zip(plan.tasks()) {
            describe(&mut text, plan.wave(at), task);
        }
    }
    for (field, value) in &reading.unknown {
        let _ = writeln!(text, "unknown {field} = {value}");
    }
    format!("{text}\n{}", rendered(reading))
}

fn describe(text: &mut String, wave: u32, task: &Task) {
    let needs: Vec<_> = task.needs.iter().map(ToString::to_string).collect();
    let _ = writeln!(text, "[{wave}] {}: {} <- [{}]", task.id, task.title, needs.join(" "));
    let mut line = |word: &str, value: String| {
        let _ = writeln!(text, "      {word} {value}");
    };
    for file in &task.files {
        let action = file.action.map_or(String::new(), |action| format!(" ({action:?})"));
        line("file", format!("{}{action}", file.pattern.as_str()));
    }
    for step in &task.steps {
        line("step", step.name.clone());
    }
    for check in task.all_checks() {
        line("check", check.command.clone());
    }
    if let Some(agent) = &task.agent {
        line("agent", agent.clone());
    }
    if let Some(checkpoint) = &task.checkpoint {
        line("asks", format!("{:?}", checkpoint.kind));
    }
    if let Some(done) = &task.done_before {
        line("done", done.clone());
    }
}

/// FO-06, for any format: a file that was cut off at any byte, or lost any line, is a plan or
/// located problems.
pub(crate) fn survives_any_damage(format: &PlanFormat, name: &str) {
    let whole = files(name);
    for (path, bytes) in &whole {
        let damaged = |bytes: Vec<u8>| {
            let mut files = whole.clone();
            files.insert(path.clone(), bytes);
            plan_or_located_problems(format, &files);
        };
        for end in 0..bytes.len() {
            damaged(bytes[..end].to_vec());
        }
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        for at in 0..lines.len() {
            damaged([&lines[..at], &lines[at + 1..]].concat().concat());
        }
    }
}

#[track_caller]
pub(crate) fn plan_or_located_problems(
    format: &PlanFormat,
    files: &BTreeMap<String, Vec<u8>>,
) -> PlanReading {
    let folder = MemoryFolder::new(files.clone());
    let reading = read(format, &folder);
    let errors = reading.findings.iter().filter(|finding| finding.is_error()).count();
    // An error stops the whole plan, or blocks a task of it (FO-11).
    assert!(reading.plan.is_some() || errors > 0, "{:?}", reading.findings);
    assert!(errors > 0 || reading.blocked.is_empty(), "{:?}", reading.blocked);
    let lines: BTreeMap<&str, usize> = files
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.split(|byte| *byte == b'\n').count()))
        .collect();
    for finding in &reading.findings {
        let lines = lines.get(finding.file.as_str()).copied().unwrap_or(0);
        assert!(finding.line <= lines, "{finding:?}");
        assert!(finding.hint.is_some(), "{finding:?}");
    }
    reading
}

/// B18: line endings, a byte order mark and a missing final newline make no difference.
pub(crate) fn line_ends_make_no_difference(format: &PlanFormat, name: &str) {
    let plain = files(name);
    let meant = read(format, &MemoryFolder::new(plain.clone()));
    let other = plain.into_iter().map(|(path, bytes)| {
        let text = String::from_utf8(bytes).expect("text").replace('\n', "\r\n");
        (path, format!("\u{feff}{}", text.trim_end()).into_bytes())
    });
    let found = read(format, &MemoryFolder::new(other));
    assert_eq!(meant.plan, found.plan);
    assert_eq!(rendered(&meant), rendered(&found));
}
