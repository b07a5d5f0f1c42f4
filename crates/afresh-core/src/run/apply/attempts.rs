//! Attempts, from the start of a worker to the verdict.

use crate::harvest::Harvest;
use crate::ids::AttemptId;
use crate::input::AttemptEnd;
use crate::rejection::Rejection;
use crate::run::task::{ActiveAttempt, TaskStage};
use crate::run::{IllegalEvent, Run};
use crate::time::Timestamp;
use crate::usage::{BudgetAmount, Usage};

impl Run {
    pub(super) fn starting(&mut self, work: ActiveAttempt) -> Result<(), IllegalEvent> {
        let at = self.index(&work.attempt.task)?;
        let task = &mut self.tasks[at];
        task.retries.last_number = work.attempt.number;
        task.retries.not_before = None;
        task.last.review = None;
        if let Some(agent) = &work.agent {
            task.records.agents.insert(work.attempt.number, agent.clone());
        }
        if let Some(by) = &work.by_hand {
            task.records.by_hand.insert(work.attempt.number, by.clone());
        }
        task.take_up(&work);
        task.hand_over_comments(&work);
        self.slots.insert(work.slot, work.attempt.clone());
        self.set(at, TaskStage::Starting(work));
        Ok(())
    }

    pub(super) fn spawned(&mut self, attempt: &AttemptId) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Starting(work) = self.tasks[at].stage.clone() else {
            return Err(self.wrong_stage(at));
        };
        self.tasks[at].retries.spawn_failures = 0;
        self.worker_started(at);
        self.set(at, TaskStage::Running(work));
        Ok(())
    }

    pub(super) fn spawn_failed(
        &mut self,
        attempt: &AttemptId,
        not_before: Option<Timestamp>,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.free_slot(attempt);
        let blamed = u32::from(!self.is_stopped_by_disk());
        let task = &mut self.tasks[at];
        task.take_back_comments(attempt);
        task.retries.spawn_failures += blamed;
        task.retries.not_before = not_before;
        self.set(at, TaskStage::Idle);
        Ok(())
    }

    pub(super) fn count(&mut self, attempt: &AttemptId, usage: &Usage) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let counted = self.tasks[at].records.usages.entry(attempt.number).or_default();
        let before = BudgetAmount::from(&*counted);
        *counted = counted.at_least(usage);
        let after = BudgetAmount::from(&*counted);
        self.note_report(before, after);
        Ok(())
    }

    /// What one worker or reviewer had used before and after a report.
    pub(super) fn note_report(&mut self, before: BudgetAmount, after: BudgetAmount) {
        self.dearest = self.dearest.max(after);
        self.largest_report = self.largest_report.max(after.minus(before));
        self.knows_use |= after != BudgetAmount::default();
    }

    pub(super) fn ended(
        &mut self,
        attempt: &AttemptId,
        end: &AttemptEnd,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.count(attempt, &end.usage)?;
        let is_by_hand = self.tasks[at].records.by_hand.contains_key(&attempt.number);
        self.knows_use |= !end.ending.is_cut_off() && !is_by_hand;
        self.tasks[at].last.outcome = Some(end.outcome.clone());
        // The worker that waited for an answer is gone.
        self.tasks[at].steps.claimed = None;
        let (TaskStage::Starting(work) | TaskStage::Running(work)) = self.tasks[at].stage.clone()
        else {
            return Err(self.wrong_stage(at));
        };
        self.set(at, TaskStage::Harvesting { work, end: end.clone() });
        Ok(())
    }

    pub(super) fn harvested(
        &mut self,
        attempt: &AttemptId,
        harvest: &Harvest,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.free_slot(attempt);
        let TaskStage::Harvesting { work, end } = self.tasks[at].stage.clone() else {
            return Err(self.wrong_stage(at));
        };
        self.set(at, TaskStage::Judging { work, end, harvest: harvest.clone() });
        Ok(())
    }

    pub(super) fn free_slot(&mut self, attempt: &AttemptId) {
        self.slots.retain(|_, holder| holder != attempt);
    }

    pub(super) fn rejected(
        &mut self,
        attempt: &AttemptId,
        reason: &Rejection,
        counts: bool,
        not_before: Option<Timestamp>,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.free_slot(attempt);
        let is_broken =
            matches!(reason, Rejection::ChecksFailed { .. } | Rejection::BrokenMerge { .. });
        // What was sent to its own tree after its merge failed is counted already.
        if is_broken && matches!(self.tasks[at].stage, TaskStage::Merging { .. }) {
            self.merge_queue.note_failed();
        }
        self.leave_merge(at);
        let task = &mut self.tasks[at];
        task.retries.counted += u32::from(counts);
        task.retries.not_before = not_before;
        task.retries.note_failure(reason);
        task.last.rejection = Some(reason.clone());
        task.retries.deaths = if reason.is_death() { task.retries.deaths + 1 } else { 0 };
        let by_model = task.note_model(reason);
        task.session.context_reached = None;
        task.note_interruption(attempt, reason);
        // A person who wants another try has seen the last one.
        task.retries.reviews_rejected +=
            u32::from(counts && matches!(reason, Rejection::ReviewRejected { .. }));
        task.retries.timeouts += u32::from(matches!(reason, Rejection::TimedOut { .. }));
        let says_nothing = by_model
            || matches!(
                reason,
                Rejection::Stopped
                    | Rejection::Orphaned
                    | Rejection::NotResumed { .. }
                    | Rejection::Asked
                    | Rejection::Trouble { .. }
            );
        if !says_nothing {
            task.last.feedback = Some(reason.clone());
        }
        if let Rejection::Blocked { by, .. } = reason {
            task.people.waits_for.clone_from(by);
        }
        if let Rejection::Conflict { paths, .. } = reason {
            for path in paths {
                if !task.last.footprint.contains(path) {
                    task.last.footprint.push(path.clone());
                }
            }
        }
        if counts {
            self.end_turn(at);
        }
        self.set(at, TaskStage::Idle);
        Ok(())
    }
}
