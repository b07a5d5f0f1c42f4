//! Steps: finished parts of a task that outlive their worker (EX-04, ST-02).
//!
//! The worker waits for the answer, so a refusal reaches it while it can still react. A claim ends with its worker;
//! only `StepDone` is kept.

use super::Decider;
use crate::check::{CheckOutcome, CheckPhase, CheckResult};
use crate::effect::{CheckOn, CheckRequest, Effect};
use crate::event::Event;
use crate::harvest::Harvest;
use crate::ids::AttemptId;
use crate::input::CheckReport;
use crate::outcome::{CompletionClaim, Deviation};
use crate::plan::TaskIndex;
use crate::rejection::Rejection;
use crate::run::TaskStage;
use crate::scope::ScopeViolation;
use crate::step::StepAnswer;

impl Decider<'_> {
    pub(in crate::decide) fn step_claimed(
        &mut self,
        attempt: &AttemptId,
        step: u32,
        declared: &[Deviation],
    ) {
        let Some(TaskStage::Starting(work) | TaskStage::Running(work)) = self.stage_of(attempt)
        else {
            return;
        };
        let (slot, ground) = (work.slot, work.ground.clone());
        let at = self.index(&attempt.task);
        match self.step_readiness(at, step) {
            StepReadiness::Now => {
                let (attempt, deviations) = (attempt.clone(), declared.to_vec());
                self.record(Event::StepClaimed { attempt: attempt.clone(), step, deviations });
                self.request(Effect::SaveStep { attempt, slot, ground, step });
            }
            // A repeated claim gets the same answer.
            StepReadiness::Already => self.answer_step(attempt, step, StepAnswer::Accepted),
            StepReadiness::No(why) => self.answer_step(attempt, step, StepAnswer::Refused(why)),
        }
    }

    fn step_readiness(&self, at: TaskIndex, step: u32) -> StepReadiness {
        let (task, state) = (self.run.plan().task(at), self.run.task(at));
        let (all, done) = (task.steps.len(), state.steps_done());
        if all == 0 {
            return StepReadiness::No("this task has no steps; just finish it".to_owned());
        }
        if step == 0 || step as usize > all {
            return StepReadiness::No(format!("there is no step {step}: the task has {all}"));
        }
        if step <= done {
            return StepReadiness::Already;
        }
        if let Some(other) = &state.steps.claimed {
            return StepReadiness::No(format!("step {} is still being checked", other.step));
        }
        if step != done + 1 {
            return StepReadiness::No(format!("step {} comes first", done + 1));
        }
        StepReadiness::Now
    }

    pub(in crate::decide) fn step_saved(
        &mut self,
        attempt: &AttemptId,
        step: u32,
        saved: &Result<Harvest, String>,
    ) {
        if !self.awaits(attempt, step) {
            return;
        }
        let at = self.index(&attempt.task);
        match saved {
            Ok(harvest) => {
                let (attempt, harvest) = (attempt.clone(), harvest.clone());
                self.record(Event::StepSaved { attempt, step, harvest });
                self.judge_step(at, step);
            }
            Err(message) => {
                let message = format!("the step could not be saved: {message}");
                self.refuse_step(attempt, step, Rejection::Trouble { message });
            }
        }
    }

    /// Whether the worker waits for this step, and it is not saved yet.
    fn awaits(&self, attempt: &AttemptId, step: u32) -> bool {
        let Some(TaskStage::Starting(_) | TaskStage::Running(_)) = self.stage_of(attempt) else {
            return false;
        };
        let state = self.run.state_of(&attempt.task);
        let claim = state.and_then(|state| state.steps.claimed.as_ref());
        claim.is_some_and(|claim| claim.step == step && claim.saved.is_none())
    }

    fn judge_step(&mut self, at: TaskIndex, step: u32) {
        let state = self.run.task(at);
        let (Some(attempt), Some(claim)) = (state.attempt().cloned(), state.steps.claimed.clone())
        else {
            return;
        };
        let Some(harvest) = claim.saved else { return };
        let deviations = state.declared_in_steps().cloned().chain(claim.deviations).collect();
        let declared = CompletionClaim { deviations, ..CompletionClaim::default() };
        let judgement = self.scope_of(at, &declared).check_changes(&harvest.changes);
        let mut violations = judgement.violations;
        violations.extend(harvest.leaks.iter().map(ScopeViolation::from));
        if !violations.is_empty() {
            return self.refuse_step(&attempt, step, Rejection::OutOfScope { violations });
        }
        if let Some(path) = judgement.ask.first() {
            let message = format!(
                "{path} hands trust to other programs: a person is asked when the task ends, so \
                 go on without marking steps"
            );
            return self.refuse_step(&attempt, step, Rejection::Trouble { message });
        }
        let checks = self.run.plan().task(at).steps[step as usize - 1].checks.clone();
        if checks.is_empty() {
            return self.finish_step(&attempt, step, &[]);
        }
        // Everything has to end, including the worker (R7).
        if self.run.halt().is_some_and(|halt| halt.now) {
            return self.refuse_step(&attempt, step, Rejection::Stopped);
        }
        let on = CheckOn::Tree(harvest.tree);
        let attempt = Some(attempt);
        self.request_checks(CheckRequest::plain(attempt, CheckPhase::Step, on, checks), &[at]);
    }

    pub(in crate::decide) fn step_checked(&mut self, attempt: &AttemptId, report: &CheckReport) {
        if self.stage_of(attempt).is_none() {
            return;
        }
        let claim = self.run.state_of(&attempt.task).and_then(|state| state.steps.claimed.as_ref());
        let Some((step, tree)) = claim.and_then(|c| Some((c.step, &c.saved.as_ref()?.tree))) else {
            return;
        };
        if *tree != report.tree {
            return;
        }
        match &report.checked {
            CheckOutcome::Ran(results) => {
                let at = self.index(&attempt.task);
                let results = self.run.excuse_failures(&[at], results);
                if results.iter().all(CheckResult::is_accepted) {
                    self.finish_step(attempt, step, &results);
                } else {
                    self.refuse_step(attempt, step, Rejection::ChecksFailed { results });
                }
            }
            CheckOutcome::Stopped => self.refuse_step(attempt, step, Rejection::Stopped),
            CheckOutcome::Impossible(why) => {
                let message = format!("checks could not run: {why}");
                self.refuse_step(attempt, step, Rejection::Trouble { message });
            }
        }
    }

    fn finish_step(&mut self, attempt: &AttemptId, step: u32, results: &[CheckResult]) {
        let results = results.to_vec();
        self.record(Event::StepDone { attempt: attempt.clone(), step, results });
        self.answer_step(attempt, step, StepAnswer::Accepted);
    }

    fn refuse_step(&mut self, attempt: &AttemptId, step: u32, reason: Rejection) {
        let text = reason.explain();
        self.record(Event::StepRefused { attempt: attempt.clone(), step, reason });
        self.answer_step(attempt, step, StepAnswer::Refused(text));
    }

    fn answer_step(&mut self, attempt: &AttemptId, step: u32, answer: StepAnswer) {
        self.request(Effect::AnswerStep { attempt: attempt.clone(), step, answer });
    }

    /// Whether this rejection also invalidates the finished steps.
    pub(in crate::decide) fn invalidates_steps(&self, at: TaskIndex, reason: &Rejection) -> bool {
        let resumed = self.run.task(at).stage.work().is_some_and(|work| work.ground.is_resumed());
        match reason {
            // The branch that they are based on has moved, or a person refused them.
            Rejection::Conflict { .. }
            | Rejection::BrokenMerge { .. }
            | Rejection::Refused { .. } => true,
            // They do not contain the work that the task waits for.
            Rejection::Blocked { by, .. } => !by.is_empty(),
            // A second worker has already tried to fix it; perhaps the steps are wrong.
            Rejection::ChecksFailed { .. } => resumed,
            _ => false,
        }
    }

    pub(in crate::decide) fn drop_steps(&mut self, at: TaskIndex) {
        if !self.run.task(at).steps.finished.is_empty() {
            let task = self.run.plan().task(at).id.clone();
            self.record(Event::StepsDropped { task });
        }
    }
}

enum StepReadiness {
    Now,
    Already,
    No(String),
}
