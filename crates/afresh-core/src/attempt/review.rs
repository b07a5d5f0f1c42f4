//! What a fresh reviewer says about work whose checks passed (EX-08).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::AttemptId;
use crate::model_error::ModelError;
use crate::plan::ModelTier;
use crate::usage::{ModelUsage, Usage};

/// How many issues of a review are kept.
pub const MAX_REVIEW_ISSUES: usize = 50;

/// One reviewer's look at the work of one attempt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize)]
pub struct ReviewId {
    pub attempt: AttemptId,
    /// Counted from 1 for each attempt, and never used again.
    pub number: u32,
}

impl std::fmt::Display for ReviewId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "review {} of {}", self.number, self.attempt)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewVerdict {
    Approved,
    ChangesRequested,
}

/// What a reviewer reports.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Review {
    pub verdict: ReviewVerdict,
    pub summary: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<ReviewIssue>,
}

/// Something that the reviewer wants changed, or remarks on.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ReviewIssue {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub description: String,
}

impl ReviewIssue {
    /// `src/a.rs:3: the lock is never released`.
    pub fn describe(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{file}:{line}: {}", self.description),
            (Some(file), None) => format!("{file}: {}", self.description),
            (None, _) => self.description.clone(),
        }
    }
}

/// How a review ended.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewOutcome {
    Given(Review),
    /// The reviewer's answer could not be understood.
    Unintelligible {
        reason: String,
        excerpt: String,
    },
    /// The reviewer could not be started, died, or ran out of time.
    Failed {
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<ModelError>,
    },
    /// We ended it, because the run was halted or the budget was reached.
    Stopped,
    /// It was running when afresh ended.
    Lost,
}

impl ReviewOutcome {
    /// Why there is no review, if the reviewer is to blame.
    pub fn failure(&self) -> Option<String> {
        match self {
            Self::Given(_) | Self::Stopped | Self::Lost => None,
            Self::Unintelligible { reason, .. } => Some(format!("unintelligible answer: {reason}")),
            Self::Failed { error: Some(error), .. } => Some(error.describe()),
            Self::Failed { reason, .. } => Some(reason.clone()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ReviewEnd {
    pub outcome: ReviewOutcome,
    pub usage: Usage,
    pub duration_ms: u64,
    /// Usage by model, if the program reports it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelUsage>,
}

impl ReviewEnd {
    /// An end that cost nothing.
    pub fn unused(outcome: ReviewOutcome) -> Self {
        Self { outcome, usage: Usage::default(), duration_ms: 0, models: Vec::new() }
    }
}

/// Why reviewed work could land; part of its receipt.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ReviewReceipt {
    /// The last review; none if nothing was reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewId>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<ModelTier>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Remarks of a reviewer that approved; what a reviewer wanted changed, if a person accepted the work as it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<ReviewIssue>,
    /// Who accepted the work without an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_by: Option<String>,
}

impl ReviewReceipt {
    /// One line for people.
    pub fn describe(&self) -> String {
        let summary = match self.summary.lines().next() {
            None | Some("") => String::new(),
            Some(first) => format!(": {first}"),
        };
        match (&self.accepted_by, &self.review) {
            (Some(by), Some(_)) => {
                format!("accepted by {by} although changes were requested{summary}")
            }
            (Some(by), None) => format!("accepted by {by} without a review"),
            (None, _) => format!("approved by {}{summary}", self.agent),
        }
    }
}
