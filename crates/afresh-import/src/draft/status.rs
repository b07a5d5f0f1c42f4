//! How far tasks are by what their own files say of them: done, given up, put off.
//!
//! What is done stays in the plan as done. What was given up is left out, and nobody waits for it.
//! What was put off is left out too, unless something needs it: then a person is asked there.

use std::collections::BTreeSet;

use afresh_core::plan::{Checkpoint, CheckpointKind, PlanField};

use crate::draft::{DraftPlan, DraftTask};
use crate::prose;
use afresh_formats::findings::{Finding, Severity};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};

/// How many tasks a message names.
const MAX_NAMED: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TaskStanding {
    Open,
    /// Finished before, and how that is known.
    Done(String),
    /// `cancelled`: given up for good.
    GivenUp,
    /// `deferred`: not now.
    PutOff,
}

/// A task, what it needs and where that is written, and how far it is.
#[derive(Debug)]
pub(crate) struct ImportedTask {
    pub(crate) task: DraftTask,
    pub(crate) needs: Vec<(String, SourceSpan)>,
    pub(crate) standing: TaskStanding,
}

/// Makes the plan. `expected` says where tasks would be, should there be none in `file`.
pub(crate) fn finish(
    folder: &dyn PlanFolder,
    mut drafted: DraftPlan,
    found: Vec<ImportedTask>,
    (file, expected): (&str, &str),
) -> PlanReading {
    settle(&mut drafted, found);
    if drafted.findings.iter().any(Finding::is_error) {
        return drafted.finish(folder);
    }
    if drafted.tasks.is_empty() {
        let empty = Finding::for_file(file, "empty-plan", "there are no tasks: nothing to do");
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
    let (given_up, put_off) = (of(&TaskStanding::GivenUp), of(&TaskStanding::PutOff));
    let open = found.iter().filter(|one| one.standing == TaskStanding::Open);
    let needed: BTreeSet<String> =
        open.flat_map(|one| &one.needs).map(|(id, _)| id.clone()).collect();
    let mut left_out: Vec<(String, SourceSpan)> = Vec::new();
    for ImportedTask { mut task, needs, standing } in found {
        match standing {
            TaskStanding::Open => {}
            TaskStanding::Done(how) => task.draft.done_before = Some(how),
            TaskStanding::PutOff if needed.contains(&task.draft.id) => ask_about(&mut task),
            TaskStanding::GivenUp | TaskStanding::PutOff => {
                left_out.push((task.draft.id.clone(), task.places.whole.clone()));
                continue;
            }
        }
        let asks = task.draft.checkpoint.is_some();
        let gone =
            |id: &String| given_up.contains(id) || put_off.contains(id) && !needed.contains(id);
        for (id, span) in needs.into_iter().filter(|(id, _)| !gone(id)) {
            // What was put off is not about to be done, so it waits for nothing.
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
        format!("{id} was put off, and others need it: {title}\n{}", task.draft.instructions);
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
    let message = format!("given up or put off, and left out: {}{more}", named.join(", "));
    let found = drafted.find(first, "left-out", message);
    found.severity = Severity::Warning;
    found.hint = Some("give them another status to have them done".to_owned());
}
