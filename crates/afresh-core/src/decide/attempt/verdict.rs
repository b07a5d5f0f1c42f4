//! The verdict on an attempt: what it reported, what it changed, and whether a fresh worker retries.

use super::Decider;
use crate::decide::halting::HaltMode;
use crate::event::Event;
use crate::harvest::{Change, Harvest};
use crate::model_error::ModelErrorClass;
use crate::outcome::{CompletionClaim, Outcome, WorkerFailure};
use crate::plan::{Task, TaskIndex};
use crate::process::ProcessEnd;
use crate::question::QuestionTopic;
use crate::rejection::Rejection;
use crate::run::TaskStage;
use crate::run::settings::{OnFailure, OnOrphan, ScopeMode, TimeoutAction};
use crate::scope::{ScopeVerdict, ScopeViolation, TaskScope};

/// How many attempts in a row may fail in the same way: the last one knows that, and then a person is asked (TR-09).
pub(in crate::decide) const MAX_SAME_FAILURES: u32 = 3;

/// Whether a rejected attempt counts against the task's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::decide) enum AttemptCounts {
    Yes,
    No,
}

impl AttemptCounts {
    pub(in crate::decide) fn when(counts: bool) -> Self {
        if counts { Self::Yes } else { Self::No }
    }
}

impl Decider<'_> {
    /// Judges an attempt whose work is saved.
    pub(in crate::decide) fn judge_attempt(&mut self, at: TaskIndex) {
        let TaskStage::Judging { end, harvest, .. } = self.run.task(at).stage.clone() else {
            return;
        };
        if let Some(reason) = self.why_not_resumed(at, &end, &harvest) {
            return self.reject(at, Rejection::NotResumed { reason }, AttemptCounts::No);
        }
        match (end.ending, end.outcome, end.error) {
            (ProcessEnd::Lost, ..) => self.handle_orphan(at),
            (ProcessEnd::Stopped, ..) if self.run.task(at).session.context_reached.is_some() => {
                self.context_full(at);
            }
            // It was stopped because it would have retried its model forever.
            (ProcessEnd::Stopped, outcome, Some(error)) if outcome.is_missing() => {
                self.model_failed(at, error);
            }
            (ProcessEnd::Stopped, ..) => self.reject(at, Rejection::Stopped, AttemptCounts::No),
            (ProcessEnd::OverLimit(excess), ..) => {
                self.reject(at, Rejection::OverLimit { excess, unsaved: None }, AttemptCounts::Yes);
            }
            (ProcessEnd::TimedOut | ProcessEnd::WentSilent, ..) => {
                let (limit_ms, ran_ms) = (end.time_limit_ms, Some(end.duration_ms));
                let reason = Rejection::TimedOut { ending: end.ending, limit_ms, ran_ms };
                self.handle_timeout(at, reason);
            }
            // A signal from outside ended it, and it had time to report an error.
            (ending @ ProcessEnd::Exited(_), outcome, Some(error))
                if outcome.is_missing()
                    && ending.is_by_signal()
                    && error.class == ModelErrorClass::Unknown =>
            {
                let last_words = end.last_words;
                self.reject(at, Rejection::Died { ending, last_words }, AttemptCounts::Yes);
            }
            // A worker that gave an answer was not stopped by its model error.
            (_, outcome, Some(error)) if outcome.is_missing() => self.model_failed(at, error),
            (_, Outcome::Failed(failure), _) => self.handle_reported_failure(at, failure),
            (ProcessEnd::Exited(0), Outcome::NeedsDecision(decision), _) => {
                self.ask_decision(at, &decision);
            }
            (ProcessEnd::Exited(0), Outcome::NeedsAction(action), _) => {
                self.ask_action(at, &action);
            }
            (ProcessEnd::Exited(0), Outcome::Partial(partial), _) => {
                self.record_partial_work(at, partial.reason);
            }
            (ProcessEnd::Exited(0), Outcome::Blocked(blocked), _) => self.blocked(at, &blocked),
            (ProcessEnd::Exited(0), Outcome::Unintelligible { reason, excerpt }, _) => {
                self.reject(at, Rejection::Unintelligible { reason, excerpt }, AttemptCounts::Yes);
            }
            (ProcessEnd::Exited(0), Outcome::Unreported { excerpt }, _) => {
                self.judge_unreported(at, &harvest, excerpt);
            }
            (ProcessEnd::Exited(0), Outcome::Done(claim), _) => {
                self.judge_changes(at, &harvest, &claim);
            }
            (ProcessEnd::Exited(0), Outcome::Silent, _) => {
                self.judge_changes(at, &harvest, &CompletionClaim::default());
            }
            (ProcessEnd::Exited(_) | ProcessEnd::Signaled(_) | ProcessEnd::SupervisorLost, ..) => {
                let (ending, last_words) = (end.ending, end.last_words);
                self.reject(at, Rejection::Died { ending, last_words }, AttemptCounts::Yes);
            }
        }
    }

    fn handle_reported_failure(&mut self, at: TaskIndex, failure: WorkerFailure) {
        let reason = Rejection::GaveUp {
            failed_at: failure.failed_at,
            error: failure.error,
            output: failure.output,
            category: failure.category,
        };
        self.reject(at, reason, AttemptCounts::Yes);
        if failure.retryable == Some(false)
            && matches!(self.run.task(at).stage, TaskStage::Idle)
            && !self.has_contest_turn(at)
        {
            self.fail_for_last_rejection(at);
        }
    }

    /// A worker that forgot its report may have done its work: its changes and the checks decide, if there are any.
    fn judge_unreported(&mut self, at: TaskIndex, harvest: &Harvest, excerpt: String) {
        let is_checked = self.run.plan().task(at).all_checks().next().is_some()
            || !self.run.settings().always.is_empty();
        if !has_own_changes(self.run.plan().task(at), harvest) || !is_checked {
            let reason = "its final text holds no answer".to_owned();
            let reason = Rejection::Unintelligible { reason, excerpt };
            return self.reject(at, reason, AttemptCounts::Yes);
        }
        let note = "the worker did not report a result: its changes and the checks were judged";
        let claim =
            CompletionClaim { warnings: vec![note.to_owned()], ..CompletionClaim::default() };
        self.judge_changes(at, harvest, &claim);
    }

    /// The finished steps stay, and a fresh worker continues after them (RE-04). A worker that finished a step has not
    /// failed; the number of steps limits how often this can happen.
    fn record_partial_work(&mut self, at: TaskIndex, reason: String) {
        let progressed = self.finished_a_step(at);
        self.reject(at, Rejection::Partial { reason }, AttemptCounts::when(!progressed));
    }

    /// Whether the attempt that is being judged finished a step.
    pub(in crate::decide) fn finished_a_step(&self, at: TaskIndex) -> bool {
        let state = self.run.task(at);
        state.steps.finished.iter().any(|step| Some(&step.attempt) == state.attempt())
    }

    fn judge_changes(&mut self, at: TaskIndex, harvest: &Harvest, claim: &CompletionClaim) {
        let claim = &self.with_steps(at, claim);
        let task = self.run.plan().task(at);
        if !has_own_changes(task, harvest) && task.lists_files() {
            return self.reject(at, Rejection::NoChange, AttemptCounts::Yes);
        }
        let judgement = self.scope_of(at, claim).check_changes(&harvest.changes);
        let ScopeVerdict { mut violations, ask, beyond } = judgement;
        violations.extend(harvest.leaks.iter().map(ScopeViolation::from));
        if !violations.is_empty() {
            return self.reject(at, Rejection::OutOfScope { violations }, AttemptCounts::Yes);
        }
        let paths = self.missing_files(harvest, claim);
        if !paths.is_empty() {
            return self.reject(at, Rejection::FilesMissing { paths }, AttemptCounts::Yes);
        }
        if !ask.is_empty() {
            return self.ask_about_trust(at, ask);
        }
        let task = self.run.plan().task(at);
        self.accept(at, differences(task, harvest, claim, &beyond));
    }

    /// Files that the plan has the task create, unless the worker says in a deviation why one is not needed (EX-07).
    fn missing_files(&self, harvest: &Harvest, claim: &CompletionClaim) -> Vec<String> {
        if self.run.settings().scope == ScopeMode::Open {
            return Vec::new();
        }
        let declared = |path: &&String| claim.deviations.iter().any(|it| it.declares(path));
        harvest.missing.iter().filter(|path| !declared(path)).cloned().collect()
    }

    /// A person allowed a change that the verdict alone could not accept.
    pub(in crate::decide) fn accept_held(&mut self, at: TaskIndex) {
        let TaskStage::Held { harvest, .. } = &self.run.task(at).stage else { return };
        let claim = self.run.task(at).claim().cloned().unwrap_or_default();
        let claim = self.with_steps(at, &claim);
        let beyond = self.scope_of(at, &claim).check_changes(&harvest.changes).beyond;
        let differences = differences(self.run.plan().task(at), harvest, &claim, &beyond);
        self.accept(at, differences);
    }

    /// What a worker claims at the end, with what was declared and finished before.
    fn with_steps(&self, at: TaskIndex, claim: &CompletionClaim) -> CompletionClaim {
        let state = self.run.task(at);
        let mut claim = claim.clone();
        claim.deviations.extend(state.declared_in_steps().cloned());
        if !claim.files.is_empty() {
            let earlier = state.steps.finished.iter().flat_map(|step| &step.paths);
            claim.files.extend(earlier.cloned());
        }
        claim
    }

    pub(in crate::decide) fn scope_of<'t>(
        &'t self,
        at: TaskIndex,
        claim: &'t CompletionClaim,
    ) -> TaskScope<'t> {
        let settings = self.run.settings();
        let unfinished = self
            .run
            .indexed_tasks()
            .filter(|(other, _, state)| *other != at && !state.is_finished());
        TaskScope {
            mode: settings.scope,
            task: self.run.plan().task(at),
            deviations: &claim.deviations,
            unfinished: unfinished.map(|(_, task, _)| task).collect(),
            always: &settings.always,
            pinned: &settings.pinned,
        }
    }

    fn accept(&mut self, at: TaskIndex, differences: Vec<String>) {
        let Some(attempt) = self.run.task(at).attempt().cloned() else { return };
        self.record(Event::AttemptAccepted { attempt, differences });
        self.check_again(at);
    }

    /// The attempt is rejected. A fresh worker retries unless the attempts are used up.
    pub(in crate::decide) fn reject(
        &mut self,
        at: TaskIndex,
        reason: Rejection,
        counts: AttemptCounts,
    ) {
        let counts = counts == AttemptCounts::Yes && !self.is_fault_of_disk(&reason);
        let Some(attempt) = self.run.task(at).attempt().cloned() else { return };
        let deaths = self.run.task(at).retries.deaths;
        let not_before = match &reason {
            Rejection::Died { .. } => self.backoff_deadline(deaths),
            Rejection::ModelFailed { error } => self.after_model_failure(at, error),
            _ => None,
        };
        let over = self.invalidates_steps(at, &reason);
        self.note_interruption(at, &reason);
        self.record(Event::AttemptRejected { attempt, reason, counts, not_before });
        if over {
            self.drop_steps(at);
        }
        // The work of another agent may be good, or another one has not tried yet.
        if self.settle_contest(at) || self.is_obstacle_to_work(at) || self.has_contest_turn(at) {
            return;
        }
        let retries = &self.run.task(at).retries;
        let is_spent = counts && retries.counted >= self.run.settings().attempts.max(1);
        if is_spent || counts && retries.same_failures >= MAX_SAME_FAILURES {
            self.fail_for_last_rejection(at);
        }
    }

    fn fail_for_last_rejection(&mut self, at: TaskIndex) {
        let last = self.run.task(at).last_error();
        self.fail(at, last.unwrap_or_else(|| "failed".to_owned()));
    }

    /// The task's attempts are used up; the policy or a person decides what follows.
    pub(in crate::decide) fn fail(&mut self, at: TaskIndex, reason: String) {
        let task = self.run.plan().task(at).id.clone();
        self.record(Event::TaskFailed { task, reason });
        self.settle_failure(at);
    }

    pub(in crate::decide) fn settle_failure(&mut self, at: TaskIndex) {
        let TaskStage::Failed { reason, question } = self.run.task(at).stage.clone() else {
            return;
        };
        let id = self.run.plan().task(at).id.clone();
        let retried = self.run.task(at).retries.retried_in == Some(self.run.epoch());
        match self.run.settings().on_failure {
            // A policy that always retries would spend without end, so it retries once per start of afresh.
            OnFailure::Retry if !retried => self.answer_by_policy(question, "retry", |turn| {
                turn.record(Event::TaskRetried { task: id });
            }),
            OnFailure::Skip => self.answer_by_policy(question, "skip", |turn| {
                turn.record(Event::TaskSkipped { task: id, reason });
            }),
            OnFailure::Abort => self.abort(format!("task {id} failed: {reason}")),
            OnFailure::Ask | OnFailure::Retry if question.is_none() => {
                self.ask_about_failure(at, QuestionTopic::Failed, &reason);
            }
            OnFailure::Ask | OnFailure::Retry => {}
        }
    }

    pub(in crate::decide) fn abort(&mut self, reason: String) {
        self.record(Event::Aborted { reason, for_good: false });
        let grace = self.run.settings().halt_grace;
        self.stop_workers(grace);
    }

    /// A person ends the run.
    pub(in crate::decide) fn end_for_good(&mut self, reason: &str, by: &str) {
        let reason = match reason {
            "" => format!("ended by {by}"),
            _ => format!("ended by {by}: {reason}"),
        };
        self.record(Event::Aborted { reason, for_good: true });
        let grace = self.run.settings().halt_grace;
        self.stop_workers(grace);
    }

    pub(in crate::decide) fn handle_orphan(&mut self, at: TaskIndex) {
        let id = self.run.plan().task(at).id.clone();
        self.reject(at, Rejection::Orphaned, AttemptCounts::No);
        match self.run.settings().on_orphan {
            OnOrphan::Retry => {}
            OnOrphan::Ask => {
                self.ask_about_failure(at, QuestionTopic::Orphan, "was running when afresh ended");
            }
            OnOrphan::Skip => {
                self.record(Event::TaskSkipped {
                    task: id,
                    reason: "was running when afresh ended".to_owned(),
                });
            }
            OnOrphan::Abort => self.abort(format!("task {id} was running when afresh ended")),
        }
    }

    /// Nothing can be saved, merged or checked on a full disk.
    fn is_fault_of_disk(&self, reason: &Rejection) -> bool {
        self.run.is_stopped_by_disk() && matches!(reason, Rejection::Trouble { .. })
    }

    fn handle_timeout(&mut self, at: TaskIndex, reason: Rejection) {
        let id = self.run.plan().task(at).id.clone();
        let action = self.run.settings().timeout_action;
        let described = reason.describe();
        let Some(attempt) = self.run.task(at).attempt().cloned() else { return };
        if action == TimeoutAction::Retry || self.has_contest_turn(at) {
            return self.reject(at, reason, AttemptCounts::Yes);
        }
        self.record(Event::AttemptRejected { attempt, reason, counts: true, not_before: None });
        match action {
            TimeoutAction::Skip => self.record(Event::TaskSkipped { task: id, reason: described }),
            TimeoutAction::Fail => {
                self.halt(HaltMode::Graceful, &format!("{id}: {described}"), "afresh");
            }
            TimeoutAction::Ask | TimeoutAction::Retry => {
                self.ask_about_failure(at, QuestionTopic::Timeout, &described);
            }
        }
    }
}

/// What the worker changed: the files that were written before its work are not its own.
fn own_changes<'h>(task: &'h Task, harvest: &'h Harvest) -> impl Iterator<Item = &'h Change> {
    harvest.changes.iter().filter(|change| !task.is_acceptance_file(&change.path))
}

fn has_own_changes(task: &Task, harvest: &Harvest) -> bool {
    own_changes(task, harvest).next().is_some()
}

/// Where a worker's report and the facts differ (RE-03), and what of its work was left out.
fn differences(
    task: &Task,
    harvest: &Harvest,
    claim: &CompletionClaim,
    beyond: &[String],
) -> Vec<String> {
    let mut differences = unlike_claimed(task, harvest, claim);
    differences.extend(claim.warnings.iter().cloned());
    differences.extend(beyond.iter().map(|path| {
        let declared = claim.deviations.iter().any(|deviation| deviation.declares(path));
        let word = if declared { "declared as a deviation" } else { "and was not declared" };
        format!("{path} is beyond the task's files, {word}")
    }));
    differences.extend(harvest.missing.iter().map(|path| format!("{path} was not created")));
    differences.extend(harvest.notes.iter().cloned());
    differences
}

fn unlike_claimed(task: &Task, harvest: &Harvest, claim: &CompletionClaim) -> Vec<String> {
    if claim.files.is_empty() {
        return Vec::new();
    }
    let clean = |path: &String| path.strip_prefix("./").unwrap_or(path).to_owned();
    let claimed: Vec<String> = claim.files.iter().map(clean).collect();
    let unchanged =
        claimed.iter().filter(|path| !harvest.changes.iter().any(|change| change.path == **path));
    let unclaimed = own_changes(task, harvest).filter(|change| !claimed.contains(&change.path));
    unchanged
        .map(|path| format!("{path} was claimed, but did not change"))
        .chain(unclaimed.map(|change| format!("{} changed, but was not claimed", change.path)))
        .collect()
}
