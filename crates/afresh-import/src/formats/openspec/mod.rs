//! `OpenSpec`: `openspec/changes/NAME/tasks.md`, with `proposal.md`, `design.md` and the changed specs
//! (FO-08).
//!
//! A change is a plan, and an outermost box of its tasks.md is a task; boxes below it are steps. There
//! are no stated dependencies, so the tasks are done in the order of the file. Archived changes are not
//! run; those with open boxes are reported.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `changes` | the directories of changes, and which file of each has the tasks |
//! | `tasks` | boxes as tasks |
//! | `trace` | the requirements of the delta specs, and which tasks name them |

mod changes;
mod tasks;
mod trace;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::feature_dirs::read_one;
use afresh_formats::findings::{Finding, Severity};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;
use afresh_formats::text::markdown::check_boxes;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "openspec", is_present, read, requirements: trace::add };

/// The most archived changes that a message names.
const MAX_NAMED: usize = 10;

fn is_present(folder: &dyn PlanFolder) -> bool {
    changes::in_use(folder).next().is_some()
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let all: Vec<_> = changes::in_use(folder).collect();
    if all.is_empty() && options.only.is_none() && !changes::archived(folder).is_empty() {
        let message = "every change is archived: nothing to do";
        let finding = Finding::for_file(".", "empty-plan", message);
        let mut reading = PlanReading::failed(finding.with_hint("propose a change first"));
        reading.findings.extend(unfinished_archive(folder));
        return reading;
    }
    let dirs: Vec<_> = all.iter().map(|change| change.directory.clone()).collect();
    let mut reading = read_one(folder, options, &dirs, |feature| {
        let change = all.iter().find(|change| change.directory == *feature);
        change.map_or_else(PlanReading::default, |change| tasks::read(folder, change))
    });
    if options.only.is_none() {
        reading.findings.extend(unfinished_archive(folder));
    }
    reading
}

/// Archived changes with open boxes: they are not run.
fn unfinished_archive(folder: &dyn PlanFolder) -> Option<Finding> {
    let mut open = Vec::new();
    for path in changes::archived(folder) {
        let text = folder.finished_text(&path).unwrap_or_default();
        let boxes = check_boxes(&text);
        if boxes.iter().any(|found| !found.ticked) {
            open.push(path);
        }
    }
    let first = open.first()?.clone();
    let named = open.iter().take(MAX_NAMED);
    let named: Vec<String> =
        named.map(|path| folder.shown(path.trim_end_matches("/tasks.md"))).collect();
    let message = format!("{} archived changes have open boxes: {}", open.len(), named.join(", "));
    let mut finding = Finding::for_file(&first, "archived-unfinished", message);
    finding.severity = Severity::Note;
    Some(finding.with_hint("archived changes are not run; move one back to changes/ to finish it"))
}
