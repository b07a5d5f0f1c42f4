//! What can happen next in a run: which tasks could start, and what a driver can do now.

use std::collections::BTreeMap;

use super::merge_queue::BatchStage;
use super::{BlockCause, FinalChecks, RewindState, Run, TaskState, frontier};
use crate::check::CheckResult;
use crate::ids::TaskId;
use crate::plan::TaskIndex;
use crate::time::Timestamp;

/// What the driver can do with the run now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveState {
    /// Something is underway, or will start by itself.
    Busy,
    Halted,
    Waiting,
    BudgetReached,
    Finished {
        ok: bool,
    },
}

impl Run {
    /// Why each blocked task cannot run: the failed or skipped tasks that it depends on.
    pub fn blocked(&self) -> BTreeMap<TaskIndex, Vec<BlockCause>> {
        frontier::blocked(&self.plan, &self.tasks)
    }

    /// Tasks that could start if a workspace were free; the most urgent first.
    pub(crate) fn eligible(&self) -> impl Iterator<Item = TaskIndex> + '_ {
        let only = self.settings.only.as_ref();
        let asked_for = move |at: &TaskIndex| only.is_none_or(|id| *id == self.plan.task(*at).id);
        let ready = self.frontier.ready().filter(asked_for);
        ready.filter(|at| self.held_up_by(*at).next().is_none() && self.obstacle_to(*at).is_none())
    }

    /// Whether it could start if a workspace were free.
    pub fn is_ready(&self, at: TaskIndex) -> bool {
        self.frontier.is_ready(&self.plan, at) && self.held_up_by(at).next().is_none()
    }

    /// The unfinished tasks that its last worker named as blocking.
    pub fn held_up_by(&self, at: TaskIndex) -> impl Iterator<Item = &TaskId> {
        // A run of one task alone does not wait for others.
        let counts = self.settings.only.is_none();
        let waits_for = self.tasks[at].people.waits_for.iter().filter(move |_| counts);
        waits_for.filter(|id| self.state_of(id).is_some_and(|other| !other.is_met()))
    }

    /// Whether an effect has not been answered yet.
    pub fn is_underway(&self) -> bool {
        matches!(self.final_checks, FinalChecks::Underway { .. })
            || self.is_probing()
            || matches!(self.rewind, Some(RewindState::Moving { .. }))
            || !self.unsaved_slots.is_empty()
            || self.frontier.active().any(|at| self.is_task_underway(at))
    }

    /// Whether an effect for this task has not been answered yet. What has passed in a batch may wait for the batch
    /// before it.
    fn is_task_underway(&self, at: TaskIndex) -> bool {
        let is_waiting = self.merge_queue.batch_of(at).is_some_and(|batch| match &batch.stage {
            BatchStage::Passed(_) | BatchStage::Failed(_) => true,
            BatchStage::Searching(search) => search.running.is_empty(),
            BatchStage::Building | BatchStage::Checking | BatchStage::Landing => false,
        });
        self.tasks[at].stage.is_underway() && !is_waiting
    }

    pub fn drive_state(&self, now: Timestamp) -> DriveState {
        if self.is_underway() {
            return DriveState::Busy;
        }
        let wants_to_start =
            self.eligible().next().is_some() || self.waiting_reviews().next().is_some();
        let wants_agent = wants_to_start && self.left_to_people().next().is_none();
        if self.budget_reached && wants_agent && self.abort.is_none() {
            return DriveState::BudgetReached;
        }
        if self.abort.is_some() {
            return DriveState::Finished { ok: false };
        }
        if self.halt.is_some() {
            return DriveState::Halted;
        }
        if self.wake_at(now).is_some() {
            return DriveState::Busy;
        }
        // What could start and does not is blocked by a task that waits for a person.
        if !self.questions.is_empty() || self.waits_for_work_by_hand() {
            return DriveState::Waiting;
        }
        if wants_to_start {
            DriveState::Busy
        } else {
            DriveState::Finished { ok: self.is_all_well() }
        }
    }

    /// When the next backoff ends.
    pub fn wake_at(&self, now: Timestamp) -> Option<Timestamp> {
        if self.halt.is_some() || self.abort.is_some() || self.budget_reached {
            return None;
        }
        let tasks = self.eligible().filter(|_| !self.holds_back_agents);
        let tasks = tasks.filter_map(|at| self.held_until(at));
        let reviews = self.waiting_reviews().filter_map(|at| self.review_held_until(at));
        let batch = self.merge_queue.gathers_until();
        tasks.chain(reviews).chain(batch).filter(|at| *at > now).min()
    }

    /// Whether every task is done and the final checks passed.
    fn is_all_well(&self) -> bool {
        if let Some(only) = &self.settings.only {
            return self.state_of(only).is_some_and(TaskState::is_done);
        }
        let final_ok = match &self.final_checks {
            FinalChecks::Ended { results, .. } => results.iter().all(CheckResult::is_accepted),
            FinalChecks::NotYet => true,
            FinalChecks::Underway { .. } | FinalChecks::Stopped => false,
        };
        final_ok && self.tasks.states().iter().all(TaskState::is_done)
    }
}
