//! The status of tasks in their own files: done, cancelled, deferred.
//!
//! Done tasks stay in the plan as done. Cancelled tasks are left out: what needed one waits for what
//! that waited for. Deferred tasks are left out too, unless a task needs one: then a person is asked.

use std::collections::{BTreeMap, BTreeSet};

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
    add_tasks(&mut drafted, found, file);
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
fn add_tasks(drafted: &mut DraftPlan, found: Vec<ImportedTask>, file: &str) {
    let open = found.iter().filter(|one| one.standing == TaskStanding::Open);
    let needed: BTreeSet<String> =
        open.flat_map(|one| &one.needs).map(|(id, _)| id.clone()).collect();
    let is_out = |one: &ImportedTask| match one.standing {
        TaskStanding::Cancelled => true,
        TaskStanding::Deferred => !needed.contains(&one.task.draft.id),
        TaskStanding::Open | TaskStanding::Done(_) => false,
    };
    let (out, kept): (Vec<ImportedTask>, Vec<ImportedTask>) = found.into_iter().partition(is_out);
    let left_out: Vec<(String, SourceSpan)> =
        out.iter().map(|one| (one.task.draft.id.clone(), one.task.places.whole.clone())).collect();
    // Of two tasks with one id, the one that is kept is meant.
    let ids: BTreeSet<String> = kept.iter().map(|one| one.task.draft.id.clone()).collect();
    let out = out.into_iter().map(|one| (one.task.draft.id, one.needs));
    let mut out = LeftOutTasks::new(out.filter(|(id, _)| !ids.contains(id)));
    for ImportedTask { mut task, needs, standing } in kept {
        match standing {
            TaskStanding::Done(how) => task.draft.done_before = Some(how),
            TaskStanding::Deferred => ask_about(&mut task),
            TaskStanding::Open | TaskStanding::Cancelled => {}
        }
        for (id, span) in out.replace_in(needs) {
            task.note(None, PlanField::Needs, task.draft.needs.len(), span);
            task.draft.needs.push(id);
        }
        drafted.tasks.push(task);
    }
    out.report(drafted, file);
    report_left_out(drafted, &left_out);
}

/// Tasks that are left out, by id, with their dependencies: what needed one of them waits for those,
/// so that the order stays.
#[derive(Debug)]
pub(crate) struct LeftOutTasks<P> {
    needs: BTreeMap<String, Vec<(String, P)>>,
    /// How many dependencies were followed.
    steps: usize,
}

/// The most dependencies of tasks that are left out which are followed.
const MAX_STEPS: usize = 2_000_000;

impl<P: Clone> LeftOutTasks<P> {
    pub(crate) fn new(tasks: impl IntoIterator<Item = (String, Vec<(String, P)>)>) -> Self {
        // Two tasks with one id are both left out: what needed them waits for what either waited for.
        let mut needs: BTreeMap<String, Vec<(String, P)>> = BTreeMap::new();
        for (id, theirs) in tasks {
            needs.entry(id).or_default().extend(theirs);
        }
        Self { needs, steps: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.needs.is_empty()
    }

    /// The dependencies, with those that are left out replaced by theirs.
    pub(crate) fn replace_in(&mut self, needs: Vec<(String, P)>) -> Vec<(String, P)> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<(String, P)> = needs.into_iter().rev().collect();
        let mut found = Vec::new();
        while let Some((id, place)) = open.pop() {
            if !seen.insert(id.clone()) {
                continue;
            }
            match self.needs.get(&id) {
                Some(theirs) if self.steps < MAX_STEPS => {
                    self.steps += theirs.len();
                    open.extend(theirs.iter().rev().map(|(id, _)| (id.clone(), place.clone())));
                }
                Some(_) => {}
                None => found.push((id, place)),
            }
        }
        found
    }

    /// Reports if there were too many to follow.
    pub(crate) fn report(&self, drafted: &mut DraftPlan, file: &str) {
        if self.steps >= MAX_STEPS {
            let message = "tasks that are left out have too many dependencies";
            let finding = Finding::for_file(file, "too-large", message);
            drafted.findings.push(finding.with_hint("remove them from the plan"));
        }
    }
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
