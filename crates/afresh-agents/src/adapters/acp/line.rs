//! The lines that the client writes: every message in both directions, and what it has to add.
//!
//! | line | meaning |
//! | --- | --- |
//! | `{"to": {…}}` | a message of ours to the agent |
//! | `{"from": {…}}` | a message of the agent's |
//! | `{"note": "…"}` | something that is no message: a line that made no sense, or was too long |
//! | `{"failed": {"class": …, "message": …}}` | why there will be no answer, where the agent did not say it |

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
    /// None where it is no line of ours.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub fn render(&self) -> String {
        serde_json::to_string(self).expect("texts and JSON values can be written")
    }
}

/// What a line of the agent's is.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentLine {
    /// A question or an answer.
    Message(Value),
    /// Nothing is to be done about it. It is not read further: most are such, and what is short on a line
    /// may be large in memory.
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
