//! What our own checks found, on which tree.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::denial::Denial;
use crate::ids::{CommitId, TreeId};
use crate::outcome::{CriterionReport, Deviation};
use crate::plan::Check;
use crate::process::{LimitExceeded, describe_signal};
use crate::review::ReviewReceipt;
use crate::time::render_span;

/// Which tree a round of checks is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum CheckPhase {
    /// The tree the attempt started from; checks marked `red_first` must fail there (EX-11).
    Red,
    /// A finished step, while its worker waits.
    Step,
    /// The attempt's own tree.
    Alone,
    /// The tree that would become the branch.
    Merged,
    /// The branch's last tree, with every distinct check of the run.
    Final,
    /// The tree that the work starts from, before any worker (TR-01, TR-02).
    Probe,
}

/// One command, run once.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct CheckResult {
    pub name: String,
    pub command: String,
    pub end: CheckEnd,
    pub duration_ms: u64,
    /// blake3 of the whole output.
    pub output_digest: String,
    /// The end of the output, bounded and made printable. Notes of a repository leave it out.
    #[serde(default)]
    pub output_tail: String,
    /// The pass was seen before on exactly this tree, in this run.
    #[serde(default)]
    pub reused: bool,
    /// What the sandbox denied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Denial>,
    /// The time limit, if it was reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_ms: Option<u64>,
    /// What the test runners report that were recognised in its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestTally>,
    /// Failures on the same tree before this result. One that passes after a failure is flaky (TR-03).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_tries: Vec<FailedTry>,
    /// Why its failure does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excuse: Option<CheckExcuse>,
    /// Test files that the work created or changed, and that this check did not execute (TR-04).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexecuted: Vec<String>,
    /// How many mutants of the change were noticed, where this is a mutation test (TR-07).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<MutationTally>,
    /// Equal for two failures of the same kind: a hash of the command and its normalised output (TR-09).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The file of its output, below the directory of the run's checks: `T001.1/alone-1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
}

/// What test runners report, added up.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct TestTally {
    /// The runners that were recognised, such as `pytest`.
    pub runners: Vec<String>,
    /// Tests that passed or failed; skipped ones were not executed.
    pub executed: u64,
    /// The names of those that failed, sorted; at most [`MAX_FAILED_NAMES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Whether more tests failed than are listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// Those that did not fail before the work, where others did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_failed: Vec<String>,
}

impl TestTally {
    /// `: failing: a, b, c and 3 more`; the new ones, where others failed before. Empty if no test is known to fail.
    fn describe_failed(&self) -> String {
        const NAMED: usize = 3;
        let (names, newly) = match self.new_failed.as_slice() {
            [] => (self.failed.as_slice(), ""),
            new => (new, "newly "),
        };
        let more = names.len().saturating_sub(NAMED);
        let mut text = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        if more > 0 {
            text = format!("{text} and {more} more");
        }
        if names.is_empty() { text } else { format!(": {newly}failing: {text}") }
    }
}

/// How many names of failed tests are kept of one check.
pub const MAX_FAILED_NAMES: usize = 2_000;

/// Deliberate faults in the change, and how many of them the tests noticed.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct MutationTally {
    pub noticed: u64,
    /// Those that could be tested.
    pub tested: u64,
    /// The share that must be noticed, in per cent; none: it is only measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_percent: Option<u8>,
    /// Some of those that nothing noticed: place and change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unnoticed: Vec<String>,
}

impl MutationTally {
    /// Whether enough were noticed; a change without any mutant has nothing to notice.
    pub fn is_enough(&self) -> bool {
        let required = u128::from(self.required_percent.unwrap_or(0));
        u128::from(self.noticed) * 100 >= required * u128::from(self.tested)
    }

    /// `7 of 10 mutants noticed`.
    pub fn describe(&self) -> String {
        format!("{} of {} mutants noticed", self.noticed, self.tested)
    }
}

/// A failure that a later try on the same tree did not repeat.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct FailedTry {
    pub end: CheckEnd,
    pub duration_ms: u64,
    pub output_digest: String,
    #[serde(default)]
    pub output_tail: String,
}

/// Why a failed check does not stand in the way of a merge.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckExcuse {
    /// It failed before the work, and nothing else fails now (TR-02).
    FailedBefore,
    /// The configuration lets it fail until a day, for this reason (TR-03).
    Quarantined(String),
    /// It measures and decides nothing (TR-07).
    OnlyMeasured,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckEnd {
    Exited(i32),
    Signaled(i32),
    TimedOut,
    OverLimit(LimitExceeded),
    NotStarted(String),
}

impl CheckResult {
    /// A result of which nothing is known but how it ended.
    pub fn new(check: &Check, end: CheckEnd) -> Self {
        Self {
            name: check.name.clone(),
            command: check.command.clone(),
            end,
            duration_ms: 0,
            output_digest: String::new(),
            output_tail: String::new(),
            reused: false,
            refusals: Vec::new(),
            time_limit_ms: None,
            tests: None,
            failed_tries: Vec::new(),
            excuse: None,
            unexecuted: Vec::new(),
            mutants: None,
            fingerprint: None,
            log: None,
        }
    }

    /// Exit code 0, and at least one test where a test runner ran (TR-04).
    pub fn passed(&self) -> bool {
        // Such a tool ends with an error if a single mutant is left.
        if let Some(mutants) = &self.mutants {
            return mutants.is_enough();
        }
        self.end == CheckEnd::Exited(0) && !self.executed_no_test()
    }

    /// Whether it passed, or its failure does not count.
    pub fn is_accepted(&self) -> bool {
        self.passed() || self.excuse.is_some()
    }

    /// Whether a test runner ran and executed nothing.
    pub fn executed_no_test(&self) -> bool {
        self.tests.as_ref().is_some_and(|tests| tests.executed == 0)
    }

    /// Whether it failed and then passed on the same tree, or failed only as it did before the work.
    pub fn is_flaky(&self) -> bool {
        self.is_accepted() && !self.failed_tries.is_empty()
    }

    /// One line for people: what ran, and how it ended.
    pub fn describe(&self) -> String {
        let command = &self.command;
        match &self.end {
            CheckEnd::Exited(_) if self.mutants.is_some() => {
                let mutants = self.mutants.as_ref().map(MutationTally::describe);
                format!("`{command}`: {}", mutants.unwrap_or_default())
            }
            CheckEnd::Exited(0) if self.executed_no_test() => {
                format!("`{command}` ended with exit code 0, but executed no test")
            }
            CheckEnd::Exited(code) => {
                let failed = self.tests.as_ref().map(TestTally::describe_failed);
                format!("`{command}` ended with exit code {code}{}", failed.unwrap_or_default())
            }
            CheckEnd::Signaled(signal) => {
                format!("`{command}` was ended by {}", describe_signal(*signal))
            }
            CheckEnd::TimedOut => {
                // Earlier versions did not record the limit.
                let limit_ms = self.time_limit_ms.unwrap_or(self.duration_ms / 1000 * 1000);
                let span = render_span(Duration::from_millis(limit_ms));
                format!("failed:timeout: `{command}` did not end within {span} (`checks.timeout`)")
            }
            CheckEnd::OverLimit(excess) => {
                format!("failed:limit: `{command}` {}, and was ended", excess.describe())
            }
            CheckEnd::NotStarted(why) => format!("`{command}` could not be started: {why}"),
        }
    }
}

/// How a round of checks ended.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// All checks that ran, in order; the first failure ends the round, except on the base and on the final tree.
    Ran(Vec<CheckResult>),
    /// We stopped them, because the run was halted.
    Stopped,
    /// The checks could not be run at all; this says nothing about the work.
    Impossible(String),
}

/// Why others cannot rely on the receipt of a merge as a git note. The merge itself stands (TR-06).
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteProblem {
    /// It could not be written.
    Missing(String),
    /// A signing key is configured, but the key did not sign.
    Unsigned(String),
}

impl NoteProblem {
    /// One line for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Missing(why) => format!(
                "merged, but its receipt could not be added to the git notes, so `afresh verify-run` will name it: {why}"
            ),
            Self::Unsigned(why) => format!(
                "receipts are not signed from here on: {why}; a key with a passphrase must be unlocked in its agent"
            ),
        }
    }
}

/// The proof that a task is done.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Receipt {
    /// The tree the checks ran on: that of the commit, or of the one that covers it.
    pub tree: TreeId,
    /// The last commit of its batch, whose tree was checked for it; none: its own tree was (IN-02).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered_by: Option<CommitId>,
    pub checks: Vec<CheckResult>,
    pub created: Vec<String>,
    pub modified: Vec<String>,
    pub deleted: Vec<String>,
    /// Where the worker's report and the facts differ (RE-03).
    pub differences: Vec<String>,
    /// What the worker reports about its work (RE-05); no decision depends on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionReport>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<Deviation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Test files that the work created or changed, and that no check executed (TR-04).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexecuted_tests: Vec<String>,
    /// Who approved the work, where reviews are asked for (EX-08).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewReceipt>,
}
