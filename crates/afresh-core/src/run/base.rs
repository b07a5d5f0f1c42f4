//! What was measured before any work: what each check is worth, and what fails already (TR-01, TR-02).

use std::collections::{BTreeMap, BTreeSet};

use super::{LandedTask, Run, TaskStage};
use crate::check::{CheckEnd, CheckExcuse, CheckResult, Receipt, TestTally};
use crate::effect::ToleratedCheck;
use crate::ids::CommitId;
use crate::plan::{Check, Task, TaskIndex};
use crate::probe::{CheckClass, ProbedCheck, find_unproved};
use crate::run::settings::{MutationRule, ProbeScope};

/// The measurement of the base.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BaseMeasurement {
    /// The commit that is being measured.
    underway: Option<CommitId>,
    /// By command.
    checks: BTreeMap<String, MeasuredCheck>,
    /// The commands with whose results a person continues.
    accepted: BTreeSet<String>,
    /// Whether every check that has to be measured was; kept, because it is asked after every input.
    is_complete: bool,
}

/// A check that was measured when so much had landed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MeasuredCheck {
    probed: ProbedCheck,
    landings: usize,
}

/// How a check failed before the work of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFailure {
    /// What it was worth when it was measured.
    class: CheckClass,
    result: CheckResult,
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
        self.base_checks.checks.get(command).map(|measured| &measured.probed)
    }

    /// Everything that was measured, by command.
    pub fn probed_checks(&self) -> impl Iterator<Item = &ProbedCheck> {
        self.base_checks.checks.values().map(|measured| &measured.probed)
    }

    /// Whether checks are being run on the base.
    pub fn is_probing(&self) -> bool {
        self.base_checks.underway.is_some()
    }

    /// The commit that is being measured.
    pub(crate) fn probed_commit(&self) -> Option<&CommitId> {
        self.base_checks.underway.as_ref()
    }

    /// Whether every check that has to be measured was.
    pub fn is_base_measured(&self) -> bool {
        self.base_checks.is_complete
    }

    /// After every change of what has to be measured, or of what was.
    pub(in crate::run) fn note_measured(&mut self) {
        self.base_checks.is_complete =
            self.unmeasured_own().is_empty() && self.unmeasured_always().is_empty();
    }

    /// The checks of every merge, if one of them was not measured yet: a later one may need what an earlier one builds.
    pub(crate) fn unmeasured_always(&self) -> Vec<Check> {
        let known = &self.base_checks.checks;
        let always = &self.settings.always;
        let is_complete = always.iter().all(|command| known.contains_key(command));
        if is_complete || self.settings.probe == ProbeScope::Nothing {
            return Vec::new();
        }
        let mut seen = BTreeSet::new();
        let distinct = always.iter().filter(|command| seen.insert(command.as_str()));
        distinct.map(|command| Check::from_command(command)).collect()
    }

    /// The checks of tasks that wait for a worker, and that were not measured yet.
    pub(crate) fn unmeasured_own(&self) -> Vec<Check> {
        if self.settings.probe != ProbeScope::All {
            return Vec::new();
        }
        let only = self.settings.only.as_ref();
        let untouched = self.tasks().filter(|(task, state)| {
            only.is_none_or(|id| *id == task.id)
                && task.checkpoint.is_none()
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
        let measured = always.filter_map(|command| self.probed(command));
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
        let checks = find_unproved(task, |command| self.probed(command))?;
        Some(UnprovedTask { task, checks })
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

    /// The results with an excuse for each failure that does not count: of a round about these tasks, or of the final
    /// one about none.
    pub(crate) fn excuse_failures(
        &self,
        tasks: &[TaskIndex],
        results: &[CheckResult],
    ) -> Vec<CheckResult> {
        let excused = |result: &CheckResult| {
            let excuse = if result.passed() { None } else { self.excuse_of(tasks, result) };
            let tests = match (&result.tests, &excuse) {
                (Some(tests), None) if !result.passed() => {
                    let new_failed = self.new_failures(tasks, &result.command, tests);
                    Some(TestTally { new_failed, ..tests.clone() })
                }
                (tests, _) => tests.clone(),
            };
            CheckResult { tests, excuse, ..result.clone() }
        };
        results.iter().map(excused).collect()
    }

    /// The failing tests that did not fail before the work; none where no test is known to have failed.
    fn new_failures(&self, tasks: &[TaskIndex], command: &str, now: &TestTally) -> Vec<String> {
        let known = self.known_failure(tasks, command).and_then(|known| known.result.tests);
        let Some(known) = known.filter(|known| !known.failed.is_empty()) else {
            return Vec::new();
        };
        now.failed.iter().filter(|test| !known.failed.contains(test)).cloned().collect()
    }

    fn excuse_of(&self, tasks: &[TaskIndex], result: &CheckResult) -> Option<CheckExcuse> {
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
        let known = self.known_failure(tasks, &result.command)?;
        known.is_repeated_by(result).then_some(CheckExcuse::FailedBefore)
    }

    /// The checks whose failure may not count, so that it must not end a round of checks.
    pub(crate) fn tolerated<'c>(
        &self,
        tasks: &[TaskIndex],
        checks: impl Iterator<Item = &'c Check>,
    ) -> Vec<ToleratedCheck> {
        let tolerate = |check: &Check| {
            let command = check.command.clone();
            if self.settings.quarantine_of(&command).is_some() {
                return Some(ToleratedCheck { command, known: None });
            }
            let known = Some(self.known_failure(tasks, &command)?);
            Some(ToleratedCheck { command, known })
        };
        checks.filter_map(tolerate).collect()
    }

    /// How a check of every merge failed before the work of a task: on the base, or as the last work that landed left
    /// it. What has passed since must not fail again. A task's own checks must pass whatever was before.
    fn known_failure(&self, tasks: &[TaskIndex], command: &str) -> Option<KnownFailure> {
        let is_own =
            |at: &TaskIndex| self.plan.task(*at).all_checks().any(|check| check.command == command);
        if tasks.iter().any(is_own) || !self.settings.always.iter().any(|always| always == command)
        {
            return None;
        }
        let MeasuredCheck { probed, landings } = self.base_checks.checks.get(command)?;
        if probed.result.passed() {
            return None;
        }
        let result = self.last_landed(command, *landings).unwrap_or(&probed.result);
        (!result.passed()).then(|| KnownFailure { class: probed.class, result: result.clone() })
    }

    /// The result of a command with which work landed last, after so many landings.
    fn last_landed(&self, command: &str, after: usize) -> Option<&CheckResult> {
        let landings = self.landings.iter().skip(after).rev();
        let mut receipts = landings.filter_map(|landing| self.receipt_of(landing));
        receipts.find_map(|receipt| receipt.checks.iter().find(|it| it.command == command))
    }

    /// With which receipt work landed, also if its task is no longer done.
    fn receipt_of(&self, landing: &LandedTask) -> Option<&Receipt> {
        match self.state_of(&landing.task).map(|state| &state.stage) {
            Some(TaskStage::Done { commit, receipt, .. }) if *commit == landing.commit => {
                Some(receipt)
            }
            _ => self.dropped_receipts.get(&landing.commit),
        }
    }

    /// What failed before the work, and what became of it: on the final tree, or with what landed last.
    pub fn earlier_failures(&self) -> Vec<EarlierFailure> {
        let always = self.settings.always.iter();
        let failed = always.filter_map(|command| {
            let probed = self.probed(command)?;
            let failed = matches!(probed.class, CheckClass::Red | CheckClass::Unrunnable);
            failed.then_some(&probed.result)
        });
        failed
            .map(|before| {
                let now = self.final_result(&before.command);
                let now = now.or_else(|| self.last_landed(&before.command, 0));
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
        let landings = self.landings.len();
        for probed in checks {
            // What was measured first stays: later it would excuse what landed meanwhile.
            let known = self.base_checks.checks.entry(probed.command().to_owned());
            known.or_insert_with(|| MeasuredCheck { probed: probed.clone(), landings });
        }
        self.note_measured();
    }

    /// What was measured after work that is undone says nothing any more.
    pub(in crate::run) fn forget_later_measurements(&mut self) {
        let landings = self.landings.len();
        self.base_checks.checks.retain(|_, measured| measured.landings <= landings);
        self.note_measured();
    }

    /// A person continues with everything that was measured so far.
    pub(in crate::run) fn base_accepted(&mut self) {
        self.base_checks.accepted = self.base_checks.checks.keys().cloned().collect();
    }
}

impl KnownFailure {
    /// What a check showed on the commit before the work; none if it passed.
    pub fn from_result(result: &CheckResult) -> Option<Self> {
        let is_empty = result.executed_no_test();
        let class = if is_empty { CheckClass::Empty } else { CheckClass::Red };
        (!result.passed()).then(|| Self { class, result: result.clone() })
    }

    /// Whether a failure shows nothing that did not fail before. What was never really measured excuses nothing.
    pub fn is_repeated_by(&self, now: &CheckResult) -> bool {
        let before = &self.result;
        if !ends_alike(&before.end, &now.end) {
            return false;
        }
        match self.class {
            CheckClass::Red | CheckClass::Unrunnable => fails_no_more(before, now),
            CheckClass::Empty => now.executed_no_test(),
            // Once anything is executed, what it needs exists.
            CheckClass::Pending => {
                before.end == now.end && now.tests.as_ref().is_none_or(|tests| tests.executed == 0)
            }
            CheckClass::Vacuous | CheckClass::Guard | CheckClass::Flaky | CheckClass::Unprobed => {
                false
            }
        }
    }
}

/// A check that hangs or crashes now fails otherwise than one that ended with an error.
fn ends_alike(before: &CheckEnd, now: &CheckEnd) -> bool {
    std::mem::discriminant(before) == std::mem::discriminant(now)
}

/// By the names of tests, where both reports have them; else by the exit code of the whole command.
fn fails_no_more(before: &CheckResult, now: &CheckResult) -> bool {
    let Some(known) = before.tests.as_ref().filter(|tests| !tests.failed.is_empty()) else {
        return before.end == now.end && !now.executed_no_test();
    };
    let Some(failing) = now.tests.as_ref().filter(|tests| !tests.failed.is_empty()) else {
        return false;
    };
    known.is_cut || !failing.is_cut && failing.failed.iter().all(|it| known.failed.contains(it))
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
