//! Comments of people on a task while its run is underway (BE-12).
//!
//! A comment goes to the worker that is at the task, and to every fresh one after it: a fresh worker knows nothing of
//! the comments that others got.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest comment. A longer text belongs into the plan or a file.
pub const MAX_COMMENT_CHARS: usize = 4_000;
/// The most comments of a task: every worker of it pays for all of them.
pub const MAX_COMMENTS: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct TaskComment {
    /// Counted from 1 within the task; never used again.
    pub number: u32,
    pub text: String,
    pub by: String,
}

/// A comment, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct KeptComment {
    #[serde(flatten)]
    pub comment: TaskComment,
    /// The attempt whose worker it was sent to, if one was at work.
    pub sent_to: Option<u32>,
    /// The attempts whose workers have it: in their prompt, or read while they worked.
    pub read_by: BTreeSet<u32>,
}

/// Why a text is no comment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommentRefusal {
    #[error("a comment needs words")]
    Empty,
    #[error(
        "a comment has at most {MAX_COMMENT_CHARS} characters, this one has {0}; put it into a file or the plan"
    )]
    TooLong(usize),
}

/// The text as it is kept: without blanks around it.
pub fn check_text(text: &str) -> Result<&str, CommentRefusal> {
    let text = text.trim();
    match text.chars().count() {
        0 => Err(CommentRefusal::Empty),
        count if count > MAX_COMMENT_CHARS => Err(CommentRefusal::TooLong(count)),
        _ => Ok(text),
    }
}
