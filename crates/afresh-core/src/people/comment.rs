//! Comments of people on a task while its run is underway (BE-12).
//!
//! A comment goes to the worker that is at the task, and to every fresh one after it: a fresh worker knows nothing of
//! the comments that others got.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::printable;

/// The longest comment. A longer text belongs into the plan or a file.
pub const MAX_COMMENT_CHARS: usize = 4_000;
/// The most comments of a task: every worker of it pays for all of them.
pub const MAX_COMMENTS: usize = 50;
/// The most of a quotation in one comment; the worker can read the file for more.
pub const MAX_QUOTED_LINES: usize = 20;
pub const MAX_QUOTED_LINE_CHARS: usize = 160;

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct TaskComment {
    /// Counted from 1 within the task; never used again.
    pub number: u32,
    pub text: String,
    pub by: String,
    /// The part of an attempt's change that it is on; absent if it is on the task as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<CommentedPart>,
}

/// A part of what an attempt changed: a file, or lines of it.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct CommentedPart {
    /// The attempt that made the change.
    pub attempt: u32,
    pub path: String,
    /// Lines of the file as the attempt left it; absent: the file as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineRange>,
    /// The beginning of these lines as the attempt left them, without secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quoted: Vec<String>,
}

/// The first and the last of some lines, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct LineRange {
    pub first: u32,
    pub last: u32,
}

impl CommentedPart {
    /// Only the beginning of a long quotation, of lines and of each line.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.quoted.truncate(MAX_QUOTED_LINES);
        for line in &mut self.quoted {
            if let Some((cut, _)) = line.char_indices().nth(MAX_QUOTED_LINE_CHARS) {
                line.truncate(cut);
                line.push('…');
            }
        }
        self
    }

    /// What the comment is on, on one printable line.
    pub fn describe(&self) -> String {
        format!("{} as attempt {} left it", printable::line(&self.to_string()), self.attempt)
    }

    /// The quoted lines, each behind its number: a worker wrote them, so none may look like anything else.
    pub fn quotation(&self) -> Vec<String> {
        let Some(range) = self.lines else { return Vec::new() };
        let numbered = (range.first..).zip(&self.quoted);
        let mut lines: Vec<String> = numbered
            .map(|(number, text)| format!("{number:>6} | {}", printable::line(text)))
            .map(|line| line.trim_end().to_owned())
            .collect();
        let quoted = u32::try_from(self.quoted.len()).unwrap_or(u32::MAX);
        match range.count().saturating_sub(quoted) {
            0 => {}
            1 => lines.push("       (1 more line)".to_owned()),
            more => lines.push(format!("       ({more} more lines)")),
        }
        lines
    }
}

impl fmt::Display for CommentedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines {
            Some(lines) => write!(f, "{}:{lines}", self.path),
            None => f.write_str(&self.path),
        }
    }
}

impl LineRange {
    fn count(self) -> u32 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        if first == last { write!(f, "{first}") } else { write!(f, "{first}-{last}") }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn part(lines: Option<(u32, u32)>, quoted: &[&str]) -> CommentedPart {
        let lines = lines.map(|(first, last)| LineRange { first, last });
        let quoted = quoted.iter().map(ToString::to_string).collect();
        CommentedPart { attempt: 2, path: "src/a.rs".to_owned(), lines, quoted }
    }

    /// BE-12, B35: each quoted line stands behind its number, and nothing in it breaks out of the line.
    #[test]
    fn quoted_lines_are_numbered_and_printable() {
        let on = part(Some((9, 12)), &["## Rules", "a\nb\u{1b}[2J", ""]);
        assert_eq!(on.describe(), "src/a.rs:9-12 as attempt 2 left it");
        let quotation =
            ["     9 | ## Rules", "    10 | a b\\u{1b}[2J", "    11 |", "       (1 more line)"];
        assert_eq!(on.quotation(), quotation);
        assert_eq!(part(None, &[]).describe(), "src/a.rs as attempt 2 left it");
        assert_eq!(part(None, &["x"]).quotation(), [""; 0]);
    }

    /// BE-12, PR-06: a quotation is bounded, in lines and in the length of each.
    #[test]
    fn a_long_quotation_is_cut() {
        let long = "é".repeat(MAX_QUOTED_LINE_CHARS + 1);
        let on = part(Some((1, 500)), &vec![long.as_str(); 500]).bounded();
        assert_eq!(on.quoted.len(), MAX_QUOTED_LINES);
        assert!(on.quoted.iter().all(|line| line.chars().count() == MAX_QUOTED_LINE_CHARS + 1));
        assert_eq!(on.quotation().last().map(|it| it.trim()), Some("(480 more lines)"));
    }
}
