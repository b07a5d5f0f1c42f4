//! What was measured before any work: what each check is worth, and what fails already (TR-01, TR-02).

use std::collections::{BTreeMap, BTreeSet};

use super::{Run, TaskStage};
use crate::check::{CheckExcuse, CheckResult};
use crate::ids::CommitId;
use crate::plan::{Check, Task, TaskIndex};
use crate::probe::{CheckClass, ProbedCheck};
use crate::settings::{MutationRule, ProbeScope};

/// The measurement of the base.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BaseMeasurement {
    /// The commit that is being measured.
    underway: Option<CommitId>,
    /// By command.
    checks: BTreeMap<String, ProbedCheck>,
    /// The commands with whose results a person continues.
    accepted: BTreeSet<String>,
}

/// A task that no check of its own can prove done.
#[derive(Debug, Clone)]
pub struct UnprovedTask<'a> {
    pub task: &'a Task,
    pub checks: Vec<&'a ProbedCheck>,
}

impl UnprovedTask<'_> {
    /// One line for people.
    pub fn describe(&self) -> String {
        let checks = self.checks.iter();
        let checks = checks.map(|probed| format!("`{}` is {}", probed.command(), probed.class));
        let checks: Vec<String> = checks.collect();
        format!("nothing can prove {} done: {}", self.task.id, checks.join(", "))
    }
}

/// Something that failed before the work, compared with the branch as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierFailure {
    pub command: String,
    /// The tests that failed; empty if only the command as a whole is known.
    pub still_failing: Vec<String>,
    /// Those of them that pass now, or all if the whole command passes.
    pub now_passing: Vec<String>,
    /// Whether the command as a whole passes now.
    pub passes_now: bool,
}

impl Run {
    /// What a command was worth before the work.
    pub fn probed(&self, command: &str) -> Option<&ProbedCheck> {
        self.base_checks.checks.get(command)
    }

    /// Everything that was measured, by command.
    pub fn probed_checks(&self) -> impl Iterator<Item = &ProbedCheck> {
        self.base_checks.checks.values()
    }

    /// Whether checks are being run on the base.
    pub fn is_probing(&self) -> bool {
        self.base_checks.underway.is_some()
    }

    /// The commit that is being measured.
    pub(crate) fn probed_commit(&self) -> Option<&CommitId> {
        self.base_checks.underway.as_ref()
    }

    /// The checks of every merge that were not measured yet.
    pub(crate) fn unmeasured_always(&self) -> Vec<Check> {
        if self.settings.probe == ProbeScope::Nothing {
            return Vec::new();
        }
        let always = self.settings.always.iter().map(|command| Check::from_command(command));
        self.unmeasured(always)
    }

    /// The checks of tasks without any attempt that were not measured yet.
    pub(crate) fn unmeasured_own(&self) -> Vec<Check> {
        if self.settings.probe != ProbeScope::All {
            return Vec::new();
        }
        let only = self.settings.only.as_ref();
        let untouched = self.tasks().filter(|(task, state)| {
            only.is_none_or(|id| *id == task.id)
                && task.checkpoint.is_none()
                && state.retries.last_number == 0
                && matches!(state.stage, TaskStage::Idle | TaskStage::Waiting(_))
        });
        let is_always = |check: &Check| self.settings.always.contains(&check.command);
        let own = untouched.flat_map(|(task, _)| task.all_checks()).cloned();
        self.unmeasured(own.filter(|check| !is_always(check)))
    }

    fn unmeasured(&self, checks: impl Iterator<Item = Check>) -> Vec<Check> {
        let mut seen = BTreeSet::new();
        let known = &self.base_checks.checks;
        checks
            .filter(|check| !known.contains_key(&check.command))
            .filter(|check| seen.insert(check.command.clone()))
            .collect()
    }

    /// The checks of every merge that fail before any work, and that a person has not accepted yet. What a task will
    /// create, and a runner without any test so far, is no failure of the base.
    pub fn red_base(&self) -> Vec<&ProbedCheck> {
        let always = self.settings.always.iter();
        let measured = always.filter_map(|command| self.base_checks.checks.get(command));
        let is_red = |probed: &&ProbedCheck| {
            matches!(probed.class, CheckClass::Red | CheckClass::Unrunnable)
                && self.settings.quarantine_of(probed.command()).is_none()
        };
        measured.filter(is_red).filter(|probed| !self.is_accepted(probed.command())).collect()
    }

    /// Unfinished tasks whose every check proves nothing.
    pub fn unproved_tasks(&self) -> Vec<UnprovedTask<'_>> {
        let unfinished = self.tasks().filter(|(_, state)| !state.is_finished());
        unfinished.filter_map(|(task, _)| self.unproved(task)).collect()
    }

    fn unproved<'a>(&'a self, task: &'a Task) -> Option<UnprovedTask<'a>> {
        let probed = |check: &Check| self.base_checks.checks.get(&check.command);
        let checks: Vec<&ProbedCheck> = task.all_checks().map(probed).collect::<Option<_>>()?;
        let proves_nothing = checks.iter().all(|probed| probed.class.proves_nothing());
        (!checks.is_empty() && proves_nothing).then_some(UnprovedTask { task, checks })
    }

    /// The same without those that a person has accepted.
    pub(crate) fn unaccepted_unproved_tasks(&self) -> Vec<UnprovedTask<'_>> {
        let mut tasks = self.unproved_tasks();
        let accepted = |probed: &&ProbedCheck| self.is_accepted(probed.command());
        tasks.retain(|unproved| !unproved.checks.iter().all(accepted));
        tasks
    }

    fn is_accepted(&self, command: &str) -> bool {
        self.base_checks.accepted.contains(command)
    }

    /// The results with an excuse for each failure that does not count: of a task's round, or of the final one.
    pub(crate) fn excuse_failures(
        &self,
        at: Option<TaskIndex>,
        results: &[CheckResult],
    ) -> Vec<CheckResult> {
        let excused = |result: &CheckResult| {
            let excuse = if result.passed() { None } else { self.excuse_of(at, result) };
            CheckResult { excuse, ..result.clone() }
        };
        results.iter().map(excused).collect()
    }

    fn excuse_of(&self, at: Option<TaskIndex>, result: &CheckResult) -> Option<CheckExcuse> {
        if let Some(entry) = self.settings.quarantine_of(&result.command) {
            let reason = format!("{} (until {})", entry.reason, entry.until);
            return Some(CheckExcuse::Quarantined(reason));
        }
        let mutation = self.settings.mutation.as_ref();
        let is_measured =
            |rule: &MutationRule| rule.command == result.command && rule.required_percent.is_none();
        if mutation.is_some_and(is_measured) {
            return Some(CheckExcuse::OnlyMeasured);
        }
        let known = self.known_failure(at, &result.command)?;
        repeats(known, result).then_some(CheckExcuse::FailedBefore)
    }

    /// The commands whose failure may not count, so that it must not end a round of checks.
    pub(crate) fn tolerated(&self, at: Option<TaskIndex>, checks: &[Check]) -> Vec<String> {
        let commands = checks.iter().map(|check| &check.command);
        let may_fail = |command: &&String| {
            self.settings.quarantine_of(command).is_some()
                || self.known_failure(at, command).is_some()
        };
        commands.filter(may_fail).cloned().collect()
    }

    /// How a check of every merge failed before the work of a task: on the base, or as the last work that landed left
    /// it. What has passed since must not fail again. A task's own checks must pass whatever was before.
    fn known_failure(&self, at: Option<TaskIndex>, command: &str) -> Option<&CheckResult> {
        let is_own =
            |at: TaskIndex| self.plan.task(at).all_checks().any(|check| check.command == command);
        if at.is_some_and(is_own) || !self.settings.always.iter().any(|always| always == command) {
            return None;
        }
        let on_base = &self.base_checks.checks.get(command)?.result;
        if on_base.passed() {
            return None;
        }
        let last = self.landed_results(command).last().unwrap_or(on_base);
        (!last.passed()).then_some(last)
    }

    /// The results of a command with which work landed, oldest first.
    fn landed_results(&self, command: &str) -> impl Iterator<Item = &CheckResult> {
        let receipts =
            self.landings.iter().filter_map(|landing| match &self.state_of(&landing.task)?.stage {
                TaskStage::Done { receipt, .. } => Some(receipt),
                _ => None,
            });
        receipts.flat_map(move |receipt| {
            receipt.checks.iter().filter(move |result| result.command == command)
        })
    }

    /// What failed before the work, and what became of it: on the final tree, or with what landed last.
    pub fn earlier_failures(&self) -> Vec<EarlierFailure> {
        let always = self.settings.always.iter();
        let failed = always.filter_map(|command| {
            let before = &self.base_checks.checks.get(command)?.result;
            (!before.passed() && !before.executed_no_test()).then_some(before)
        });
        failed
            .map(|before| {
                let now = self.final_result(&before.command);
                let now = now.or_else(|| self.landed_results(&before.command).last());
                compare(before, now.unwrap_or(before))
            })
            .collect()
    }

    pub(in crate::run) fn probe_started(&mut self, commit: &CommitId) {
        self.base_checks.underway = Some(commit.clone());
    }

    pub(in crate::run) fn probe_stopped(&mut self) {
        self.base_checks.underway = None;
    }

    pub(in crate::run) fn base_probed(&mut self, checks: &[ProbedCheck]) {
        self.base_checks.underway = None;
        let by_command = checks.iter().map(|probed| (probed.command().to_owned(), probed.clone()));
        self.base_checks.checks.extend(by_command);
    }

    /// A person continues with everything that was measured so far.
    pub(in crate::run) fn base_accepted(&mut self) {
        self.base_checks.accepted = self.base_checks.checks.keys().cloned().collect();
    }
}

/// Whether a failure shows nothing that did not fail before.
fn repeats(before: &CheckResult, now: &CheckResult) -> bool {
    if before.executed_no_test() {
        return now.executed_no_test();
    }
    let Some(known) = before.tests.as_ref().filter(|tests| !tests.failed.is_empty()) else {
        // Only the command as a whole is known to fail.
        return true;
    };
    if known.is_cut {
        return true;
    }
    let failing = now.tests.as_ref().filter(|tests| !tests.failed.is_empty() && !tests.is_cut);
    failing.is_some_and(|now| now.failed.iter().all(|name| known.failed.contains(name)))
}

fn compare(before: &CheckResult, now: &CheckResult) -> EarlierFailure {
    let failed = |result: &CheckResult| {
        result.tests.as_ref().map(|tests| tests.failed.clone()).unwrap_or_default()
    };
    let (then, now_failing) = (failed(before), failed(now));
    let passes_now = now.passed();
    let is_still = |name: &String| !passes_now && now_failing.contains(name);
    let (still_failing, now_passing) = then.into_iter().partition(is_still);
    EarlierFailure { command: before.command.clone(), still_failing, now_passing, passes_now }
}
