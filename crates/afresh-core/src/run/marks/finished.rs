//! A plan whose files have been updated with the run's own progress: the same plan, with marks of what is done.

use std::collections::BTreeSet;

use crate::ids::TaskId;
use crate::plan::{Plan, Task};
use crate::run::{Run, TaskStage};

impl Run {
    /// The plan as the run has it, as far as the new one differs only by what the run itself finished: a task that
    /// landed and that the files now call done, and dependencies on such tasks that are no longer stated.
    #[must_use]
    pub fn without_own_marks(&self, plan: &Plan) -> Plan {
        let done: BTreeSet<&TaskId> =
            self.tasks().filter(|(_, state)| state.is_done()).map(|(task, _)| &task.id).collect();
        if done.is_empty() {
            return plan.clone();
        }
        let pinned = |new: &Task| {
            let at = self.plan().index_of(&new.id)?;
            let old = self.plan().task(at);
            let was_done_here = matches!(self.task(at).stage, TaskStage::Done { .. });
            let is_marked = new.done_before.is_some()
                && (was_done_here || old.done_before.is_some())
                && (is_without_details(new) || differs_in_needs_on(old, new, &done));
            let is_open = old.done_before.is_none() && new.done_before.is_none();
            (is_marked || is_open && differs_in_needs_on(old, new, &done)).then(|| old.clone())
        };
        plan.with_tasks_replaced(pinned)
    }
}

/// Whether two versions of a task are the same except for dependencies on these tasks.
fn differs_in_needs_on(old: &Task, new: &Task, done: &BTreeSet<&TaskId>) -> bool {
    let old_needs: BTreeSet<&TaskId> = old.needs.iter().collect();
    let new_needs: BTreeSet<&TaskId> = new.needs.iter().collect();
    let are_done = old_needs.symmetric_difference(&new_needs).all(|need| done.contains(*need));
    let linked = Task { needs: old.needs.clone(), ..new.clone() };
    are_done && linked.is_same_work_as(old)
}

/// Readers forget what is only needed to do a task, once it is done.
fn is_without_details(task: &Task) -> bool {
    task.files.is_empty() && task.checks.is_empty() && task.steps.is_empty()
}
