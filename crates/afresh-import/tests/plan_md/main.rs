//! Stories about plans that GSD, Ultra Planner and long-run wrote: a folder in, a plan and located
//! findings out.

mod gsd;
mod long_run;
mod properties;
mod small;
mod ultraplan;

use std::fmt::Write as _;
use std::path::Path;

use afresh_core::Plan;
use afresh_core::plan::{FileScope, Task, TaskIndex};
use afresh_formats::Finding;
use afresh_formats::folder::{MemoryFolder, PlanFolder};
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{PlanFormat, ReadOptions, WorkUnit, detect_formats, format_by_name};

/// The files of a fixture.
fn fixture(name: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let mut files = Vec::new();
    collect(&root, "", &mut files);
    files
}

fn collect(directory: &Path, prefix: &str, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push((name, std::fs::read_to_string(entry.path()).expect("text")));
        }
    }
}

fn format(name: &str) -> &'static PlanFormat {
    format_by_name(name).expect("a format")
}

fn options(unit: WorkUnit) -> ReadOptions {
    ReadOptions { unit, ..ReadOptions::default() }
}

/// Reads files in the one format that is detected.
fn read(files: Vec<(String, String)>, unit: WorkUnit) -> PlanReading {
    let folder = MemoryFolder::new(files);
    let [format] = detect_formats(&folder)[..] else {
        panic!("not one format: {:?}", folder.paths())
    };
    (format.read)(&folder, &options(unit))
}

/// Reads a single plan of GSD.
fn plan(text: &str) -> PlanReading {
    read(vec![(".planning/phases/01-a/01-01-PLAN.md".to_owned(), text.to_owned())], WorkUnit::Plan)
}

fn rendered(reading: &PlanReading) -> String {
    reading.findings.iter().map(Finding::render).collect()
}

/// The plan as the snapshots show it.
fn shown(reading: &PlanReading) -> String {
    let plan = reading.plan.as_ref().unwrap_or_else(|| panic!("no plan:\n{}", rendered(reading)));
    let mut text = format!("{} (spec: {:?})\n", plan.name, plan.spec);
    for at in plan.indices() {
        show(&mut text, plan, at);
    }
    text
}

fn show(text: &mut String, plan: &Plan, at: TaskIndex) {
    let task = plan.task(at);
    let needs: Vec<&str> = task.needs.iter().map(afresh_core::ids::TaskId::as_str).collect();
    let _ = writeln!(
        text,
        "{} [wave {}] {} <- {}",
        task.id,
        plan.wave(at),
        task.title,
        needs.join(", ")
    );
    if let Some(why) = &task.done_before {
        let _ = writeln!(text, "  done: {why}");
        return;
    }
    if let Some(point) = &task.checkpoint {
        let options: Vec<String> =
            point.options.iter().map(|o| format!("{} = {}", o.key, o.description)).collect();
        let _ = writeln!(text, "  asks {:?}: {:?} {options:?}", point.kind, point.text);
        return;
    }
    files(text, "  ", &task.files);
    for step in &task.steps {
        let _ = writeln!(text, "  step {}", step.name);
        files(text, "    ", &step.files);
        step.checks.iter().for_each(|check| line(text, "    check", &check.command));
    }
    task.checks
        .iter()
        .for_each(|check| line(text, "  check", &format!("{}: {}", check.name, check.command)));
}

fn files(text: &mut String, indent: &str, files: &[FileScope]) {
    let all: Vec<String> = files
        .iter()
        .map(|f| {
            format!("{}{}", f.pattern, f.action.map(|a| format!(" ({a:?})")).unwrap_or_default())
        })
        .collect();
    if !all.is_empty() {
        line(text, &format!("{indent}files"), &all.join(", "));
    }
}

fn line(text: &mut String, label: &str, value: &str) {
    let _ = writeln!(text, "{label} {}", value.replace('\n', "\\n"));
}

fn task<'a>(reading: &'a PlanReading, id: &str) -> &'a Task {
    let plan = reading.plan.as_ref().expect("a plan");
    plan.tasks().iter().find(|task| task.id.as_str() == id).unwrap_or_else(|| panic!("no {id}"))
}
