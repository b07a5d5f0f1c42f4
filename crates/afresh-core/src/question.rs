//! Questions that only a person can answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{CommitId, QuestionId, TaskId};
use crate::outcome::DecisionOption;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub id: QuestionId,
    pub task: TaskId,
    pub topic: QuestionTopic,
    pub text: String,
    pub options: Vec<DecisionOption>,
}

impl Question {
    pub fn offers(&self, key: &str) -> bool {
        self.options.iter().any(|option| option.key == key)
    }

    /// Whether it is one of the answers that the question offers. Then it has the meaning given there, whatever the
    /// word means elsewhere: a worker may offer to `skip` a header, or to `abort` a transaction.
    pub fn is_for_who_asked(&self, answer: &str) -> bool {
        self.topic == QuestionTopic::Decision && answer != "defer" && self.offers(answer)
    }
}

/// What the question is about; this decides what an answer means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionTopic {
    /// A worker stopped at a choice.
    Decision,
    /// A worker needs something done first.
    Action,
    /// The task's attempts are used up.
    Failed,
    /// An attempt ran out of time.
    Timeout,
    /// An attempt was running when afresh ended.
    Orphan,
    /// The user wants to be asked before every task.
    Start,
    /// The attempt changed files that can make other programs run code.
    Trust(Vec<String>),
    /// Another program moved the run's branch to this commit.
    Branch(CommitId),
}

impl QuestionTopic {
    /// The word that scripts see.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Decision | Self::Trust(_) | Self::Branch(_) => "needs-decision",
            Self::Action => "needs-action",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Orphan => "orphan",
            Self::Start => "start",
        }
    }
}

/// How a person gives the next worker a hint: `clarify: use the second form`.
pub const CLARIFY: &str = "clarify:";

/// An answer that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnsweredQuestion {
    pub text: String,
    pub answer: String,
}
