//! Contests: turns, entries, and the work that is chosen (BE-08).

use crate::check::CheckResult;
use crate::ids::{AttemptId, TaskId};
use crate::plan::{ContestRule, TaskIndex};
use crate::run::task::{ContestEntry, SessionState, TaskStage};
use crate::run::{IllegalEvent, Run};

impl Run {
    pub(super) fn contest_entered(
        &mut self,
        attempt: &AttemptId,
        results: &[CheckResult],
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Checking { work, harvest, .. } = self.tasks[at].stage.clone() else {
            return Err(self.wrong_stage(at));
        };
        let task = &mut self.tasks[at];
        let entry = ContestEntry {
            work,
            harvest,
            results: results.to_vec(),
            outcome: task.last.outcome.take(),
            differences: std::mem::take(&mut task.last.differences),
            steps: std::mem::take(&mut task.steps.finished),
        };
        task.contest.entries.push(entry);
        self.end_turn(at);
        self.set(at, TaskStage::Idle);
        Ok(())
    }

    pub(super) fn contest_forfeited(&mut self, task: &TaskId) -> Result<(), IllegalEvent> {
        let at = self.index(task)?;
        let state = &mut self.tasks[at];
        (state.retries.spawn_failures, state.retries.not_before) = (0, None);
        (state.model_health.failures, state.model_health.waits) = (0, 0);
        self.end_turn(at);
        Ok(())
    }

    pub(super) fn contest_decided(&mut self, attempt: &AttemptId) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let task = &mut self.tasks[at];
        let entries = std::mem::take(&mut task.contest.entries);
        let Some(chosen) = entries.into_iter().find(|entry| entry.work.attempt == *attempt) else {
            return Err(self.wrong_stage(at));
        };
        task.contest.winner.clone_from(&chosen.work.agent);
        task.last.outcome = chosen.outcome;
        task.last.differences = chosen.differences;
        (task.last.feedback, task.last.rejection, task.last.review) = (None, None, None);
        task.steps.finished = chosen.steps;
        let (work, harvest, results) = (chosen.work, chosen.harvest, chosen.results);
        self.merge_queue.push(at);
        self.set(at, TaskStage::Queued { work, harvest, results });
        Ok(())
    }

    /// It is the next agent's turn. What this one's conversation and backoff were says nothing about that one; where
    /// all start alike, neither do its steps and its failure.
    pub(super) fn end_turn(&mut self, at: TaskIndex) {
        let Some(contest) = &self.plan.task(at).contest else { return };
        let state = &mut self.tasks[at];
        if state.contest.winner.is_some() {
            return;
        }
        state.contest.turns += 1;
        state.session = SessionState::default();
        let all_start_alike = contest.land == ContestRule::Cheapest
            && (state.contest.turns as usize) < contest.agents.len();
        if all_start_alike {
            state.steps.finished.clear();
            (state.last.feedback, state.retries.failure) = (None, None);
            state.retries.same_failures = 0;
        }
    }
}
