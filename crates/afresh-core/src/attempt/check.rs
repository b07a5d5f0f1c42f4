//! What our own checks found, on which tree.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::denial::Denial;
use crate::ids::TreeId;
use crate::outcome::{CriterionReport, Deviation};
use crate::process::{LimitExceeded, describe_signal};
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
    pub fn passed(&self) -> bool {
        self.end == CheckEnd::Exited(0)
    }

    /// One line for people: what ran, and how it ended.
    pub fn describe(&self) -> String {
        let command = &self.command;
        match &self.end {
            CheckEnd::Exited(code) => format!("`{command}` ended with exit code {code}"),
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

/// The proof that a task is done.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Receipt {
    /// The tree the checks ran on, and the branch's tree.
    pub tree: TreeId,
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
}
