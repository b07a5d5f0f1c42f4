//! A changed plan for the same run.

use crate::ids::AttemptId;
use crate::plan::{Plan, Task};
use crate::question::Question;
use crate::run::frontier::TaskFrontier;
use crate::run::task::{ActiveAttempt, MergeStage, TaskStage, TaskState};
use crate::run::{FinalChecks, Run};

impl Run {
    /// Unchanged tasks keep their state; so does one that is about to land.
    pub(super) fn plan_changed(&mut self, plan: &Plan) {
        let old_plan = std::mem::replace(&mut self.plan, plan.clone());
        let old_tasks = std::mem::take(&mut self.tasks);
        let works: Vec<ActiveAttempt> =
            old_tasks.states().iter().filter_map(|state| state.stage.work().cloned()).collect();
        self.tasks = plan.tasks().iter().map(|task| self.new_state(task)).collect();
        for (at, state) in old_tasks.indexed(&old_plan) {
            let old = old_plan.task(at);
            let history = state.history();
            self.keep_receipt(old, state, plan);
            let Some(position) = plan.index_of(&old.id) else {
                self.removed_tasks.insert(old.id.clone(), history);
                continue;
            };
            // Until the intent is recorded, the old task does not have to land.
            let landing =
                matches!(state.stage, TaskStage::Merging { merge: MergeStage::Moving { .. }, .. });
            self.tasks[position] = if landing || plan.task(position).is_same_work_as(old) {
                // In the new plan, the blocking task may depend on this one.
                let mut state = state.clone();
                state.people.waits_for.clear();
                state
            } else {
                TaskState::for_task(plan.task(position)).with_history(history)
            };
            // The plan no longer marks it as done; a person's answer still stands.
            let task = plan.task(position);
            let taken_back = old.done_before.is_some() && task.done_before.is_none();
            if taken_back
                && task.checkpoint.is_none()
                && matches!(self.tasks[position].stage, TaskStage::Settled { .. })
            {
                self.tasks[position].stage = TaskStage::Idle;
            }
            // What was finished by hand meanwhile is not done again.
            if let (Some(how), TaskStage::Idle) =
                (&plan.task(position).done_before, &self.tasks[position].stage)
            {
                self.tasks[position].stage = TaskStage::Settled { how: how.clone() };
            }
        }
        let tasks = &self.tasks;
        self.merge_queue.renumber(|old| {
            let at = plan.index_of(&old_plan.task(old).id)?;
            let is_kept =
                matches!(tasks[at].stage, TaskStage::Queued { .. } | TaskStage::Merging { .. });
            is_kept.then_some(at)
        });
        let holds = |attempt: &AttemptId| {
            plan.index_of(&attempt.task).is_some_and(|at| tasks[at].attempt() == Some(attempt))
        };
        for work in works {
            if self.slots.get(&work.slot) == Some(&work.attempt) && !holds(&work.attempt) {
                self.unsaved_slots.insert(work.slot, work);
            }
        }
        self.slots.retain(|_, attempt| holds(attempt));
        let asks = |question: &Question| {
            plan.index_of(&question.task)
                .is_some_and(|at| tasks[at].stage.question() == Some(question.id))
        };
        self.questions.retain(|_, question| asks(question));
        self.final_checks = FinalChecks::NotYet;
        self.frontier = TaskFrontier::rebuild(&self.plan, &self.tasks);
        self.note_measured();
    }

    /// What landed is compared with later merges, whatever the plan says about its task now.
    fn keep_receipt(&mut self, old: &Task, state: &TaskState, plan: &Plan) {
        let is_kept = plan.index_of(&old.id).is_some_and(|at| plan.task(at).is_same_work_as(old));
        if let (false, TaskStage::Done { commit, receipt, .. }) = (is_kept, &state.stage) {
            self.dropped_receipts.insert(commit.clone(), (**receipt).clone());
        }
    }

    /// A task that enters the plan, perhaps not for the first time.
    pub(super) fn new_state(&mut self, task: &Task) -> TaskState {
        let new = TaskState::for_task(task);
        match self.removed_tasks.remove(&task.id) {
            Some(history) => new.with_history(history),
            None => new,
        }
    }
}
