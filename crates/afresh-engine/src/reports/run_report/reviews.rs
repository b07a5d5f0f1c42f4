//! The reviews of an attempt, with what they cost (EX-08).

use afresh_core::plan::ModelTier;
use afresh_core::review::{Review, ReviewEnd, ReviewId, ReviewIssue, ReviewOutcome, ReviewVerdict};
use afresh_core::status::UsageStatus;
use afresh_core::usage::Usage;
use schemars::JsonSchema;
use serde::Serialize;

use super::models::ModelUsageReport;

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct ReviewReport {
    /// Counted from 1 for each attempt.
    pub number: u32,
    pub agent: String,
    pub tier: ModelTier,
    pub result: ReviewResult,
    /// What the reviewer says, or why there is no review.
    pub summary: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<ReviewIssue>,
    pub duration_ms: Option<u64>,
    pub usage: UsageStatus,
    /// Usage by model, if the program reports it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelUsageReport>,
    /// The same in whole numbers, for adding up.
    #[serde(skip)]
    pub used: Usage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewResult {
    Underway,
    Approved,
    ChangesRequested,
    /// The reviewer failed, or its answer could not be understood.
    Failed,
    /// It was ended, or lost with its driver.
    Interrupted,
}

impl ReviewResult {
    pub fn word(self) -> &'static str {
        match self {
            Self::Underway => "underway",
            Self::Approved => "approved",
            Self::ChangesRequested => "changes requested",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

impl ReviewReport {
    pub(super) fn new(review: &ReviewId, agent: &str, tier: ModelTier) -> Self {
        Self {
            number: review.number,
            agent: agent.to_owned(),
            tier,
            result: ReviewResult::Underway,
            summary: String::new(),
            issues: Vec::new(),
            duration_ms: None,
            usage: UsageStatus::from(&Usage::default()),
            models: Vec::new(),
            used: Usage::default(),
        }
    }

    /// Reported usage is a running total, and may be reported twice.
    pub(super) fn use_at_least(&mut self, usage: &Usage) {
        self.used = self.used.at_least(usage);
        self.usage = UsageStatus::from(&self.used);
    }

    pub(super) fn end(&mut self, end: &ReviewEnd) {
        self.use_at_least(&end.usage);
        self.duration_ms = Some(end.duration_ms);
        self.models = end.models.iter().map(ModelUsageReport::from_usage).collect();
        match &end.outcome {
            ReviewOutcome::Given(Review { verdict, summary, issues }) => {
                self.result = match verdict {
                    ReviewVerdict::Approved => ReviewResult::Approved,
                    ReviewVerdict::ChangesRequested => ReviewResult::ChangesRequested,
                };
                self.summary.clone_from(summary);
                self.issues.clone_from(issues);
            }
            ReviewOutcome::Stopped | ReviewOutcome::Lost => self.result = ReviewResult::Interrupted,
            failed => {
                self.result = ReviewResult::Failed;
                self.summary = failed.failure().unwrap_or_default();
            }
        }
    }
}
