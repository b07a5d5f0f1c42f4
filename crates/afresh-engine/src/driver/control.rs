//! Commands of other terminals. They reach the driver through the inbox; with no driver, the
//! command applies them itself under the lock.

use afresh_core::Input;
use afresh_core::ids::{QuestionId, RunId, TaskId};
use afresh_secrets::redact;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case")]
pub enum ControlCommand {
    Halt { run: RunId, now: bool, reason: String, by: String },
    ClearHalt { run: RunId },
    Decide { run: RunId, question: u32, answer: String, by: String },
    Retry { run: RunId, task: TaskId },
    Skip { run: RunId, task: TaskId, reason: String },
    Ignore { run: RunId, task: TaskId },
}

impl ControlCommand {
    /// The same with nothing secret in a person's words (B36).
    #[must_use]
    pub fn without(mut self, secrets: &[String]) -> Self {
        if let Self::Halt { reason: words, .. }
        | Self::Decide { answer: words, .. }
        | Self::Skip { reason: words, .. } = &mut self
        {
            *words = redact(words, secrets);
        }
        self
    }

    pub fn run(&self) -> &RunId {
        match self {
            Self::Halt { run, .. }
            | Self::ClearHalt { run }
            | Self::Decide { run, .. }
            | Self::Retry { run, .. }
            | Self::Skip { run, .. }
            | Self::Ignore { run, .. } => run,
        }
    }

    pub fn to_input(&self) -> Input {
        match self.clone() {
            Self::Halt { now, reason, by, .. } => Input::HaltAsked { now, reason, by },
            Self::ClearHalt { .. } => Input::HaltCleared,
            Self::Decide { question, answer, by, .. } => {
                Input::Answered { question: QuestionId(question), answer, by }
            }
            Self::Retry { task, .. } => Input::RetryAsked(task),
            Self::Skip { task, reason, .. } => Input::SkipAsked { task, reason },
            Self::Ignore { task, .. } => Input::IgnoreAsked(task),
        }
    }
}
