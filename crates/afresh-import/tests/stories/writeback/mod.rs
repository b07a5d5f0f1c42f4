//! Progress written into the files of realistic plans: what changes, and what stays (FO-07).

mod boxes;
mod documents;
mod records;
mod unreadable;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use afresh_core::outcome::{CompletionClaim, Deviation};
use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::{PlanFormat, ReadOptions, format_by_name};
use afresh_import::writeback::WritebackProblem;
use afresh_import::writeback::finished::{MarkedTask, PassedCheck};
use afresh_import::writeback::write_back;

use crate::folders;

/// The files of a plan by their paths.
pub(crate) type PlanFiles = BTreeMap<String, Vec<u8>>;

pub(crate) fn files(entries: &[(&str, &str)]) -> PlanFiles {
    entries.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

pub(crate) fn format(name: &str) -> &'static PlanFormat {
    format_by_name(name).expect("a format")
}

/// A finished task with everything that may be known of one.
pub(crate) fn task(id: &str) -> MarkedTask {
    let deviation = |rule, description: &str| Deviation {
        rule,
        description: description.to_owned(),
        files: vec![],
    };
    MarkedTask {
        id: id.to_owned(),
        title: format!("The title of {id}"),
        run: "run-1".to_owned(),
        attempt: 2,
        claim: CompletionClaim {
            notes: Some("Did it\n- [ ] with a box".to_owned()),
            deviations: vec![deviation(1, "fixed a bug"), deviation(5, "could be faster")],
            ..CompletionClaim::default()
        },
        created: vec!["src/a.rs".to_owned()],
        modified: vec!["src/lib.rs".to_owned()],
        deleted: vec![],
        checks: vec![PassedCheck {
            command: "cargo test".to_owned(),
            took: Some(Duration::from_millis(1500)),
        }],
        finished_at: 1_795_032_899,
        finished: BTreeSet::new(),
    }
}

/// The files after a task is finished.
pub(crate) fn finish(
    name: &str,
    old: &PlanFiles,
    task: &MarkedTask,
) -> Result<PlanFiles, WritebackProblem> {
    let folder = MemoryFolder::new(old.clone());
    let edits = write_back(&folder, format(name), &ReadOptions::default(), task)?;
    let mut files = old.clone();
    files.extend(edits.apply(|path| old.get(path).cloned()));
    Ok(files)
}

/// The changed lines of all files.
pub(crate) fn difference(old: &PlanFiles, new: &PlanFiles) -> String {
    let mut out = String::new();
    let text = |files: &PlanFiles, path: &str| {
        String::from_utf8_lossy(files.get(path).map_or(&[][..], Vec::as_slice)).into_owned()
    };
    for path in new.keys().filter(|path| old.get(*path) != new.get(*path)) {
        let _ = writeln!(out, "== {path}");
        let (before, after) = (text(old, path), text(new, path));
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.lines().collect(), after.lines().collect());
        let start = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        let longest = before.len().min(after.len()) - start;
        let end = before
            .iter()
            .rev()
            .zip(after.iter().rev())
            .take(longest)
            .take_while(|(a, b)| a == b)
            .count();
        let (left, right) = (&before[start..before.len() - end], &after[start..after.len() - end]);
        let same = left.len() == right.len();
        for (at, line) in left.iter().enumerate().filter(|(at, line)| !same || **line != right[*at])
        {
            let _ = writeln!(out, "-{line}");
            if same {
                let _ = writeln!(out, "+{}", right[at]);
            }
        }
        if !same {
            for line in right {
                let _ = writeln!(out, "+{line}");
            }
        }
    }
    out
}

/// FO-07: every open task of the fixtures that a worker does can be finished in the order of the plan; the last state
/// of the files says so, and a second time changes nothing.
#[test]
fn all_tasks_of_real_plans_can_be_finished() {
    let all = [
        "agent-os",
        "beads",
        "checklist",
        "gsd/greeting",
        "gsd/shop",
        "gsd2",
        "kiro",
        "long-run/greeting",
        "openspec",
        "prd",
        "spec-kit",
        "specflow",
        "task-master",
        "task-master-untagged",
        "tasker",
        "tasker-older",
        "ultraplan/greeting",
    ];
    for fixture in all {
        let name = fixture.split('/').next().unwrap_or(fixture);
        let name = name.trim_end_matches("-untagged").trim_end_matches("-older");
        let mut files = folders::files(fixture);
        let read = |files: &PlanFiles| {
            folders::read(format(name), &MemoryFolder::new(files.clone()))
                .plan
                .unwrap_or_else(|| panic!("{fixture} has no plan"))
        };
        let plan = read(&files);
        let mut finished: BTreeSet<String> = plan
            .tasks()
            .iter()
            .filter(|task| !task.has_worker())
            .map(|task| task.id.to_string())
            .collect();
        for work in plan.waves().into_iter().flatten().map(|at| plan.task(at)) {
            if !work.has_worker() {
                continue;
            }
            let done = MarkedTask { finished: finished.clone(), ..task(work.id.as_str()) };
            files = finish(name, &files, &done)
                .unwrap_or_else(|problem| panic!("{fixture} {}: {problem}", work.id));
            finished.insert(work.id.to_string());
        }
        let after = read(&files);
        let open: Vec<&str> = after
            .tasks()
            .iter()
            .filter(|task| task.has_worker())
            .map(|task| task.id.as_str())
            .collect();
        assert_eq!(open, Vec::<&str>::new(), "{fixture}");
    }
}
