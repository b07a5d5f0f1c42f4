//! The status of tasks in their own files: done, cancelled, deferred.
//!
//! Done tasks stay in the plan as done. Cancelled tasks are left out, and no task waits for them.
//! Deferred tasks are left out too, unless a task needs one: then a person is asked.

use std::collections::BTreeSet;

use afresh_core::plan::{Checkpoint, CheckpointKind, PlanField};

use crate::draft::{DraftPlan, DraftTask};
use crate::prose;
use afresh_formats::findings::{Finding, Severity};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};

/// The most tasks that a message names.
const MAX_NAMED: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TaskStanding {
    Open,
    /// Done, and how that is known.
    Done(String),
    /// Cancelled for good.
    Cancelled,
    /// Deferred for now.
    Deferred,
}

/// A task with its dependencies, their positions, and its status.
#[derive(Debug)]
pub(crate) struct ImportedTask {
    pub(crate) task: DraftTask,
    pub(crate) needs: Vec<(String, SourceSpan)>,
    pub(crate) standing: TaskStanding,
}

/// Builds the plan. `expected` says where tasks should be, if `file` has none.
pub(crate) fn finish(
    folder: &dyn PlanFolder,
    mut drafted: DraftPlan,
    found: Vec<ImportedTask>,
    (file, expected): (&str, &str),
) -> PlanReading {
    settle(&mut drafted, found);
    if drafted.has_failed() {
        return drafted.finish(folder);
    }
    if drafted.tasks.is_empty() {
        let empty = Finding::for_file(file, "empty-plan", "no tasks: nothing to do");
        drafted.findings.push(empty.with_hint(expected));
        return drafted.finish(folder);
    }
    prose::label_unjudged(&mut drafted);
    drafted.finish(folder)
}

/// Adds the tasks to the plan.
fn settle(drafted: &mut DraftPlan, found: Vec<ImportedTask>) {
    let of = |wanted: &TaskStanding| -> BTreeSet<String> {
        let those = found.iter().filter(|one| one.standing == *wanted);
        those.map(|one| one.task.draft.id.clone()).collect()
    };
    let (cancelled, deferred) = (of(&TaskStanding::Cancelled), of(&TaskStanding::Deferred));
    let open = found.iter().filter(|one| one.standing == TaskStanding::Open);
    let needed: BTreeSet<String> =
        open.flat_map(|one| &one.needs).map(|(id, _)| id.clone()).collect();
    let mut left_out: Vec<(String, SourceSpan)> = Vec::new();
    for ImportedTask { mut task, needs, standing } in found {
        match standing {
            TaskStanding::Open => {}
            TaskStanding::Done(how) => task.draft.done_before = Some(how),
            TaskStanding::Deferred if needed.contains(&task.draft.id) => ask_about(&mut task),
            TaskStanding::Cancelled | TaskStanding::Deferred => {
                left_out.push((task.draft.id.clone(), task.places.whole.clone()));
                continue;
            }
        }
        let asks = task.draft.checkpoint.is_some();
        let gone =
            |id: &String| cancelled.contains(id) || deferred.contains(id) && !needed.contains(id);
        for (id, span) in needs.into_iter().filter(|(id, _)| !gone(id)) {
            // A deferred task asks a person and does not wait for its own dependencies.
            if !asks {
                task.note(None, PlanField::Needs, task.draft.needs.len(), span);
                task.draft.needs.push(id);
            }
        }
        drafted.tasks.push(task);
    }
    report_left_out(drafted, &left_out);
}

fn ask_about(task: &mut DraftTask) {
    let (id, title) = (&task.draft.id, &task.draft.title);
    let text =
        format!("{id} was deferred, and other tasks need it: {title}\n{}", task.draft.instructions);
    let kind = CheckpointKind::Action;
    task.draft.checkpoint = Some(Checkpoint { kind, text, options: Vec::new() });
    task.draft.checks.clear();
    task.draft.steps.clear();
}

fn report_left_out(drafted: &mut DraftPlan, left_out: &[(String, SourceSpan)]) {
    let Some((_, first)) = left_out.first() else { return };
    let named: Vec<&str> = left_out.iter().take(MAX_NAMED).map(|(id, _)| id.as_str()).collect();
    let more = match left_out.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("cancelled or deferred, and not run: {}{more}", named.join(", "));
    let found = drafted.find(first, "left-out", message);
    found.severity = Severity::Warning;
    found.hint = Some("change their status to run them".to_owned());
}
