//! What a worker reported at its end.
//!
//! A report is never enough (RE-03): the verdict depends on the harvest and on our own checks.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`process`] | how the worker's process ended, and which limit it exceeded |
//! | [`model_error`] | what went wrong between an agent program and its model |

pub mod model_error;
pub mod process;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a worker reported.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Outcome {
    /// It said nothing that we can read as an answer.
    Silent,
    Done(CompletionClaim),
    /// It ended normally with words, none of which is an answer: what it changed may still be right.
    Unreported {
        excerpt: String,
    },
    /// It reports that it finished a part.
    Partial(PartialOutcome),
    /// It could not begin, or not continue, before something else is done.
    Blocked(BlockedOutcome),
    NeedsDecision(DecisionRequest),
    NeedsAction(ActionRequest),
    Failed(WorkerFailure),
    /// There was an answer, but it could not be understood.
    Unintelligible {
        reason: String,
        excerpt: String,
    },
}

impl Outcome {
    /// Whether there is no answer that can be acted on.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Silent | Self::Unreported { .. } | Self::Unintelligible { .. })
    }

    /// What it reports about its work, however the attempt ended.
    pub fn claim(&self) -> Option<&CompletionClaim> {
        match self {
            Self::Done(claim) => Some(claim),
            Self::Partial(partial) => Some(&partial.claim),
            Self::Blocked(blocked) => Some(&blocked.claim),
            Self::Failed(failure) => Some(&failure.claim),
            Self::Silent
            | Self::Unreported { .. }
            | Self::NeedsDecision(_)
            | Self::NeedsAction(_)
            | Self::Unintelligible { .. } => None,
        }
    }
}

/// What a worker reports about its work.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct CompletionClaim {
    pub files: Vec<String>,
    pub deviations: Vec<Deviation>,
    pub notes: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionReport>,
    /// Irregularities of the answer itself, which can still be understood.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl CompletionClaim {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An acceptance criterion, and what the worker reports about it. Our own checks decide.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct CriterionReport {
    pub name: String,
    pub result: CriterionResult,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CriterionResult {
    Pass,
    Fail,
    /// Met in part.
    Partial,
    Skip,
}

impl CriterionResult {
    /// The word that people and scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Partial => "PARTIAL",
            Self::Skip => "SKIP",
        }
    }
}

/// A part of the work is done; the finished steps are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct PartialOutcome {
    /// How far it got, or why no further.
    pub reason: String,
    #[serde(skip_serializing_if = "CompletionClaim::is_empty")]
    pub claim: CompletionClaim,
}

/// Something else has to be done first.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct BlockedOutcome {
    pub reason: String,
    /// The tasks that it names as blocking.
    pub by: Vec<String>,
    #[serde(skip_serializing_if = "CompletionClaim::is_empty")]
    pub claim: CompletionClaim,
}

/// A worker reports that it went beyond its task, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deviation {
    /// Which of the five deviation rules it applied; 0 if it did not say.
    pub rule: u8,
    pub description: String,
    pub files: Vec<String>,
}

impl Deviation {
    /// Whether `path` is declared here, in the list or by its name in the description.
    pub fn declares(&self, path: &str) -> bool {
        let listed = |file: &String| file.strip_prefix("./").unwrap_or(file) == path;
        self.files.iter().any(listed) || names(&self.description, path)
    }
}

/// Whether `text` contains `path` as a separate word.
pub fn names(text: &str, path: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-');
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].trim_end_matches("./").chars().next_back();
        let rest = &text[at + path.len()..];
        let after = rest.chars().next();
        let extended = rest.starts_with('.') && rest[1..].starts_with(char::is_alphanumeric);
        !before.is_some_and(|c| part(c) || c == '.') && !after.is_some_and(part) && !extended
    })
}

/// A worker stopped at a choice that it may not make itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct DecisionRequest {
    pub blocked_at: String,
    pub question: String,
    pub options: Vec<DecisionOption>,
    pub context: String,
}

/// One possible answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionOption {
    pub key: String,
    pub description: String,
}

impl DecisionOption {
    pub fn new(key: &str, description: &str) -> Self {
        Self { key: key.to_owned(), description: description.to_owned() }
    }
}

/// A worker needs something done that it cannot do.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct ActionRequest {
    pub blocked_at: String,
    pub needed: String,
    pub instructions: Vec<String>,
    pub verification: String,
}

/// A worker gave up.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerFailure {
    pub failed_at: String,
    pub error: String,
    pub output: String,
    /// `Some(false)` skips automatic retries.
    pub retryable: Option<bool>,
    /// The category of the error, as reported by the worker: `test`, `compilation`, `dependency` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(skip_serializing_if = "CompletionClaim::is_empty")]
    pub claim: CompletionClaim,
}

/// Why the worker could not be started.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct SpawnFailure {
    pub message: String,
    pub hint: Option<String>,
    /// A retry would end the same way, so there is none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lasting: bool,
    /// The end of what a program printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    #[serde(default, skip_serializing_if = "FailureReach::is_agent")]
    pub reach: FailureReach,
}

/// Which other workers would fail to start in the same way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureReach {
    /// Those of the same agent.
    #[default]
    Agent,
    /// All: the set-up or the machine failed.
    Machine,
}

impl FailureReach {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    fn is_agent(&self) -> bool {
        *self == Self::Agent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_counts_as_named_only_as_a_word_of_its_own() {
        assert!(names("had to touch src/a.rs, sorry", "src/a.rs"));
        assert!(names("src/a.rs", "src/a.rs"));
        assert!(names("see `./src/a.rs`.", "src/a.rs"));
        assert!(!names("see src/a.rs.bak", "src/a.rs"));
        assert!(!names("see lib/src/a.rs", "src/a.rs"));
        assert!(!names("see src/a.rsx", "src/a.rs"));
    }
}
