//! Commands of the user's that run before and after steps of a run (BE-11).
//!
//! A hook that fails before an action holds that one action back, and a person is asked. A hook that fails after one
//! is reported, and changes nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::AttemptId;

/// When a hook runs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum HookPoint {
    BeforeAttempt,
    AfterAttempt,
    BeforeCheck,
    AfterCheck,
    BeforeMerge,
    AfterMerge,
    OnQuestion,
    OnEnd,
}

impl HookPoint {
    pub const ALL: [Self; 8] = [
        Self::BeforeAttempt,
        Self::AfterAttempt,
        Self::BeforeCheck,
        Self::AfterCheck,
        Self::BeforeMerge,
        Self::AfterMerge,
        Self::OnQuestion,
        Self::OnEnd,
    ];

    /// The key in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::BeforeAttempt => "before_attempt",
            Self::AfterAttempt => "after_attempt",
            Self::BeforeCheck => "before_check",
            Self::AfterCheck => "after_check",
            Self::BeforeMerge => "before_merge",
            Self::AfterMerge => "after_merge",
            Self::OnQuestion => "on_question",
            Self::OnEnd => "on_end",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.word() == word)
    }

    /// Whether its failure holds an action back.
    pub fn is_before(self) -> bool {
        matches!(self, Self::BeforeAttempt | Self::BeforeCheck | Self::BeforeMerge)
    }

    /// The action that it is about, in words.
    pub fn action(self) -> &'static str {
        match self {
            Self::BeforeAttempt | Self::AfterAttempt => "the attempt",
            Self::BeforeCheck | Self::AfterCheck => "the checks",
            Self::BeforeMerge | Self::AfterMerge => "the merge",
            Self::OnQuestion => "the question",
            Self::OnEnd => "the end",
        }
    }
}

/// A hook that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct HookFailure {
    pub point: HookPoint,
    /// None for a hook that is about no attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptId>,
    pub command: String,
    /// How it ended, and the end of what it printed.
    pub why: String,
}

impl HookFailure {
    /// One sentence for people, and below it what was printed.
    pub fn describe(&self) -> String {
        format!("hook {} `{}` failed: {}", self.point.word(), self.command, self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_read_from_its_word() {
        for point in HookPoint::ALL {
            assert_eq!(HookPoint::from_word(point.word()), Some(point));
            let stored = serde_json::to_value(point).expect("JSON");
            assert_eq!(stored, point.word(), "the journal has the same word");
        }
        assert_eq!(HookPoint::from_word("before_lunch"), None);
    }
}
