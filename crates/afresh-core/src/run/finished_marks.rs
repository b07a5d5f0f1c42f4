//! A plan whose files have been updated with the run's own progress: the same plan, with marks of what is done.

use std::collections::BTreeSet;

use super::{Run, TaskStage};
use crate::ids::TaskId;
use crate::plan::{Plan, Task};

impl Run {
    /// The plan as the run has it, as far as the new one differs only by what the run itself finished: a task that
    /// landed and that the files now call done, and dependencies on such tasks that are no longer stated.
    #[must_use]
    pub fn without_own_marks(&self, plan: &Plan) -> Plan {
        let done: BTreeSet<&TaskId> = self
            .tasks()
            .filter(|(_, state)| matches!(state.stage, TaskStage::Done { .. }))
            .map(|(task, _)| &task.id)
            .collect();
        if done.is_empty() {
            return plan.clone();
        }
        let pinned = |new: &Task| {
            let old = self.plan().task(self.plan().index_of(&new.id)?);
            let is_marked = done.contains(&new.id) && new.done_before.is_some();
            (is_marked || differs_in_needs_on(old, new, &done)).then(|| old.clone())
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
    are_done && old.done_before == new.done_before && linked.is_same_work_as(old)
}
