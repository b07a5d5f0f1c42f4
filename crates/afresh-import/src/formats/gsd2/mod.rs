//! GSD 2: `.gsd/milestones/M001/`, with slices and tasks.
//!
//! Every task of a slice is a task. The first unfinished milestone is read, because GSD works on one
//! after the other.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `milestone` | the files of a milestone |
//! | `boxes` | the lines of roadmaps and slices |
//! | `task_plan` | T01-PLAN.md: inputs, outputs, steps, verification |
//! | `order` | dependencies: from the files that tasks read and write, and from their slices |
//! | `slices` | the slices of a milestone and their order |
//! | `tasks` | a line and its plan as a task |
//! | `trace` | requirements and must-haves, and which tasks serve them |

mod boxes;
mod milestone;
mod order;
mod slices;
mod task_plan;
mod tasks;
mod trace;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::DraftPlan;
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;
use milestone::Gsd2Milestone;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "gsd2", is_present, read, requirements: trace::add };

fn is_present(folder: &dyn PlanFolder) -> bool {
    !milestone::all(folder).is_empty()
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let all = milestone::all(folder);
    if let Some(only) = &options.only {
        let named = all.iter().find(|milestone| only.starts_with(&milestone.directory));
        if let Some(milestone) = named {
            return read_milestone(folder, milestone);
        }
    }
    let mut last = None;
    for milestone in &all {
        let reading = read_milestone(folder, milestone);
        let tasks = reading.plan.as_ref().map(afresh_core::Plan::tasks);
        let finished =
            tasks.is_some_and(|tasks| tasks.iter().all(|task| task.done_before.is_some()));
        if !finished && !milestone.is_finished(folder) {
            return reading;
        }
        last = Some(reading).filter(|reading| reading.plan.is_some()).or(last);
    }
    last.unwrap_or_else(nothing)
}

fn read_milestone(folder: &dyn PlanFolder, milestone: &Gsd2Milestone) -> PlanReading {
    let text = match milestone.roadmap.as_ref().and_then(|roadmap| folder.text(roadmap)) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => return PlanReading::failed(finding),
        // Without a roadmap the directories say which slices there are.
        None => {
            let lines = milestone.slice_ids(folder).into_iter();
            let lines: Vec<String> = lines.map(|id| format!("- [ ] **{id}: {id}**")).collect();
            lines.join("\n")
        }
    };
    let mut drafted = DraftPlan { name: slices::name(&text, milestone), ..DraftPlan::default() };
    drafted.spec.clone_from(&milestone.roadmap);
    slices::add(folder, &mut drafted, milestone, &text);
    if drafted.tasks.is_empty() {
        let message = format!("{} has no planned task: nothing to do", milestone.id);
        let finding = Finding::for_file(milestone.file(), "empty-plan", message);
        let hint = "expected slices in the roadmap, and slices/S01/S01-PLAN.md with tasks";
        drafted.findings.push(finding.with_hint(hint));
    }
    drafted.finish(folder)
}

fn nothing() -> PlanReading {
    let finding = Finding::for_file(".", "empty-plan", "no milestone here: nothing to do");
    PlanReading::failed(finding.with_hint("expected .gsd/milestones/M001/M001-ROADMAP.md"))
}
