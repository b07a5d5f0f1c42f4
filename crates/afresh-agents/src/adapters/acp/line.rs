//! The lines that the client writes: every message in both directions, and its own notes.
//!
//! | line | meaning |
//! | --- | --- |
//! | `{"to": {…}}` | a message of ours to the agent |
//! | `{"from": {…}}` | a message of the agent's |
//! | `{"note": "…"}` | not a message: an invalid or too long line |
//! | `{"failed": {"class": …, "message": …}}` | why there is no result, if the agent did not say it |

use afresh_core::model_error::ModelError;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientLine {
    To(Value),
    From(Value),
    Note(String),
    Failed(ModelError),
}

impl ClientLine {
    /// `None` for any other line.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub fn render(&self) -> String {
        serde_json::to_string(self).expect("strings and JSON values are serialisable")
    }
}

/// A line of the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentLine {
    /// A request or a response.
    Message(Value),
    /// A notification, which needs no reaction. It is not parsed: most lines are such, and a short line
    /// can be large in memory.
    Notice,
    Nonsense,
}

impl AgentLine {
    pub fn read(line: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Asks {
            id: Option<IgnoredAny>,
        }
        let text = std::str::from_utf8(line).unwrap_or_default();
        match serde_json::from_str(text) {
            Ok(Asks { id: None }) if text.starts_with('{') => Self::Notice,
            Ok(Asks { id: Some(_) }) if text.starts_with('{') => {
                serde_json::from_str(text).map_or(Self::Nonsense, Self::Message)
            }
            _ => Self::Nonsense,
        }
    }
}
