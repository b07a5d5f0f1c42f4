//! The lines that the client writes: every message in both directions, and what it has to add.
//!
//! | line | meaning |
//! | --- | --- |
//! | `{"to": {…}}` | a message of ours to the agent |
//! | `{"from": {…}}` | a message of the agent's |
//! | `{"note": "…"}` | something that is no message: a line that made no sense, or was too long |
//! | `{"failed": {"class": …, "message": …}}` | why there will be no answer, where the agent did not say it |

use afresh_core::model_error::ModelError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    To(Value),
    From(Value),
    Note(String),
    Failed(ModelError),
}

impl Line {
    /// None where it is no line of ours.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub fn render(&self) -> String {
        serde_json::to_string(self).expect("texts and JSON values can be written")
    }
}
