//! Rounds of checks: on the base (must fail), on the attempt's own tree, and on the final tree. The round on the
//! merged tree belongs to merging.

use super::Decider;
use super::attempt::verdict::AttemptCounts;
use super::halting::HaltMode;
use crate::check::{CheckOutcome, CheckPhase, CheckResult};
use crate::effect::{CheckOn, CheckRequest, Effect};
use crate::event::Event;
use crate::ids::{AttemptId, TreeId};
use crate::input::CheckReport;
use crate::plan::{Check, TaskIndex};
use crate::rejection::Rejection;
use crate::run::settings::MutationRule;
use crate::run::{FinalChecks, TaskStage};

impl Decider<'_> {
    pub(super) fn checked(&mut self, report: &CheckReport) {
        match (&report.attempt, report.phase) {
            (None, _) => self.final_checks_ended(report),
            (Some(_), CheckPhase::Merged) => {
                if let Some(batch) = report.batch {
                    self.batch_checked(batch, report);
                }
            }
            (Some(attempt), CheckPhase::Step) => self.step_checked(attempt, report),
            (Some(attempt), _) => {
                let Some(TaskStage::Checking { round: stage, .. }) = self.stage_of(attempt) else {
                    return;
                };
                if stage.phase == report.phase {
                    let at = self.index(&attempt.task);
                    self.attempt_checked(at, report);
                }
            }
        }
    }

    fn attempt_checked(&mut self, at: TaskIndex, report: &CheckReport) {
        let Some(attempt) = report.attempt.clone() else { return };
        match &report.checked {
            CheckOutcome::Stopped => self.checks_were_stopped(attempt, report.phase),
            CheckOutcome::Impossible(why) => self.checks_are_impossible(at, why),
            CheckOutcome::Ran(results) if report.phase == CheckPhase::Red => {
                self.red_checked(at, results);
            }
            CheckOutcome::Ran(results) => {
                let results = self.run.excuse_failures(&[at], results);
                if let Some(broken) = self.run.broken_merge_of(at) {
                    return self.blame(at, broken, results);
                }
                if !results.iter().all(CheckResult::is_accepted) {
                    let reason = Rejection::ChecksFailed { results };
                    return self.reject(at, reason, AttemptCounts::Yes);
                }
                // A round from before a restart says nothing about checks that were added later.
                if self.covers_own_checks(at, &results) {
                    let tree = report.tree.clone();
                    self.accept_checked(at, attempt, tree, results);
                }
            }
        }
    }

    pub(super) fn checks_were_stopped(&mut self, attempt: AttemptId, phase: CheckPhase) {
        self.record(Event::ChecksStopped { attempt: Some(attempt), phase });
        // The halt may have been cleared meanwhile.
        self.restart_stopped_checks();
    }

    pub(super) fn checks_are_impossible(&mut self, at: TaskIndex, why: &str) {
        let message = format!("checks could not run: {why}");
        self.reject(at, Rejection::Trouble { message }, AttemptCounts::Yes);
    }

    /// A check that passes before the work is done proves nothing (EX-11).
    fn red_checked(&mut self, at: TaskIndex, results: &[CheckResult]) {
        let Some(attempt) = self.run.task(at).attempt().cloned() else { return };
        if let Some(passed) = results.iter().find(|result| result.passed()) {
            return self.reject(
                at,
                Rejection::NotRed { results: vec![passed.clone()] },
                AttemptCounts::Yes,
            );
        }
        self.record(Event::RedSeen { attempt, results: results.to_vec() });
        self.check_again(at);
    }

    /// What failed on the merged tree was run on its own tree.
    fn blame(&mut self, at: TaskIndex, broken: Vec<CheckResult>, results: Vec<CheckResult>) {
        if results.iter().all(CheckResult::is_accepted) {
            return self.reject_broken(at, broken);
        }
        self.reject(at, Rejection::ChecksFailed { results }, AttemptCounts::Yes);
    }

    /// Requests the next round of checks of a task.
    pub(super) fn check_again(&mut self, at: TaskIndex) {
        let TaskStage::Checking { work, harvest, round: stage, broken } = &self.run.task(at).stage
        else {
            return;
        };
        if let Some(broken) = broken.clone() {
            return self.request_blame_round(at, &broken);
        }
        if stage.phase == CheckPhase::Alone && !self.needs_filter(at) {
            let attempt = work.attempt.clone();
            return self.record(Event::ChecksDeferred { attempt });
        }
        let attempt = Some(work.attempt.clone());
        let task = self.run.plan().task(at);
        match stage.phase {
            CheckPhase::Red => {
                let on = CheckOn::Commit(work.ground.base.clone());
                let checks = task.all_checks().filter(|check| check.red_first).cloned().collect();
                let request = CheckRequest::plain(attempt, CheckPhase::Red, on, checks);
                self.request_checks(request, &[at]);
            }
            phase => {
                let on = CheckOn::Tree(harvest.tree.clone());
                let changed_tests = harvest.changed_tests();
                let request = CheckRequest::plain(attempt, phase, on, Vec::new());
                // As on the tree that would land: what passes here must not depend on what another group has built.
                let groups = self.run.own_groups(at);
                self.request_checks(CheckRequest { groups, changed_tests, ..request }, &[at]);
            }
        }
    }

    /// Requests a round of checks about these tasks, unless a halt ends everything: then it has to wait (R7).
    pub(super) fn request_checks(&mut self, mut request: CheckRequest, tasks: &[TaskIndex]) {
        if self.run.halt().is_some_and(|halt| halt.now) {
            let CheckRequest { attempt, phase, .. } = request;
            return self.record(Event::ChecksStopped { attempt, phase });
        }
        // A check that must fail proves nothing by passing later.
        if request.phase != CheckPhase::Red {
            request.reruns = self.run.settings().rerun;
            request.tolerated = self.run.tolerated(tasks, request.checks());
        }
        self.request(Effect::Check(request));
    }

    /// Whether these include everything that the task needs to land now. The plan or the settings may have changed
    /// since they were requested (R4).
    pub(super) fn covers(&self, at: TaskIndex, results: &[CheckResult]) -> bool {
        let mutation = self.run.settings().mutation.as_ref();
        let is_told = |rule: &MutationRule| results.iter().any(|it| it.command == rule.command);
        has_all(results, &self.run.landing_checks(at)) && mutation.is_none_or(is_told)
    }

    /// The same for its own tree, before anything else is merged into it.
    fn covers_own_checks(&self, at: TaskIndex, results: &[CheckResult]) -> bool {
        has_all(results, &self.run.own_checks(at))
    }

    /// Once nothing else can happen: every distinct check once more, on the last tree.
    pub(super) fn start_final_checks(&mut self) {
        let run = &*self.run;
        let resting = !run.is_underway() && run.halt().is_none() && run.aborted().is_none();
        let settled = run.frontier().ready().next().is_none()
            && run.questions().next().is_none()
            && run.waiting_reviews().next().is_none()
            && run.open_by_hand().next().is_none();
        let (true, true, None) = (resting, settled, &run.settings().only) else { return };
        let tree = run.tip_tree();
        // Where nothing has landed, only the word of the plan is left to check.
        if tree.is_none() && !run.marked_done().any(|task| task.all_checks().next().is_some()) {
            return;
        }
        let known = match run.final_checks() {
            FinalChecks::Ended { tree: last, epoch, results } => {
                let passed = results.iter().all(CheckResult::is_accepted);
                tree.is_none_or(|tree| last == tree) && (passed || *epoch == run.epoch())
            }
            FinalChecks::Underway { .. } => true,
            FinalChecks::NotYet | FinalChecks::Stopped => false,
        };
        if known || self.run.required_final_checks().is_empty() {
            return;
        }
        let tree = tree.cloned();
        self.record(Event::FinalChecksStarted { tree: tree.clone() });
        self.request_final_checks(tree);
    }

    fn request_final_checks(&mut self, tree: Option<TreeId>) {
        let on = tree.map_or_else(|| CheckOn::Commit(self.run.base().clone()), CheckOn::Tree);
        let request = CheckRequest::plain(None, CheckPhase::Final, on, Vec::new());
        let groups = self.run.final_groups();
        self.request_checks(CheckRequest { groups, ..request }, &[]);
    }

    fn final_checks_ended(&mut self, report: &CheckReport) {
        let FinalChecks::Underway { tree } = self.run.final_checks() else { return };
        if tree.as_ref().is_some_and(|tree| *tree != report.tree) {
            return;
        }
        let tree = report.tree.clone();
        match &report.checked {
            CheckOutcome::Ran(results) => {
                // A round from before a restart says nothing about checks that were added later.
                let results = self.run.excuse_failures(&[], results);
                let told = |check: &Check| results.iter().any(|r| r.command == check.command);
                let passed = results.iter().all(CheckResult::is_accepted);
                if !passed || self.run.required_final_checks().iter().all(told) {
                    self.record(Event::FinalChecked { tree, results });
                }
            }
            CheckOutcome::Stopped => {
                self.record(Event::ChecksStopped { attempt: None, phase: CheckPhase::Final });
            }
            CheckOutcome::Impossible(why) => {
                self.record(Event::ChecksStopped { attempt: None, phase: CheckPhase::Final });
                self.halt(
                    HaltMode::Graceful,
                    &format!("the final checks could not run: {why}"),
                    "afresh",
                );
            }
        }
    }

    /// Requests again the final checks that an earlier driver did not finish.
    pub(super) fn resume_final_checks(&mut self) {
        if let FinalChecks::Underway { tree } = self.run.final_checks() {
            let tree = tree.clone();
            self.request_final_checks(tree);
        }
    }
}

/// Whether there is a result for every check.
fn has_all(results: &[CheckResult], checks: &[Check]) -> bool {
    let is_told = |check: &Check| results.iter().any(|result| result.command == check.command);
    checks.iter().all(is_told)
}
