//! Ids of runs, tasks, attempts and commits.
//!
//! Every id is checked once, where it enters; afterwards it can be used in a path, a ref or a command line without
//! another check.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest id that is accepted, in characters.
pub const MAX_ID_CHARS: usize = 64;

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("is empty")]
    Empty,
    #[error("has {0} characters; at most {MAX_ID_CHARS} are allowed")]
    TooLong(usize),
    #[error("holds {0:?}; only letters, digits, '-', '_' and '.' are allowed")]
    Character(char),
    #[error("starts or ends with '.', starts with '-', holds '..', or ends in '.lock'")]
    Shape,
    #[error("is a reserved device name on some systems")]
    Reserved,
    #[error("is not a full object id of 40 or 64 hexadecimal digits")]
    NotAnObject,
}

/// Names that some file systems reserve for devices.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Why `text` cannot name a task or a run, if it cannot.
pub fn check_name(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    let length = text.chars().count();
    if length > MAX_ID_CHARS {
        return Err(IdError::TooLong(length));
    }
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if let Some(bad) = text.chars().find(|c| !allowed(c)) {
        return Err(IdError::Character(bad));
    }
    let dotted = text.starts_with('.') || text.ends_with('.') || text.contains("..");
    let lower = text.to_ascii_lowercase();
    if dotted || text.starts_with('-') || lower.strip_suffix(".lock").is_some() {
        return Err(IdError::Shape);
    }
    let stem = lower.split('.').next().unwrap_or_default();
    let numbered = (stem.starts_with("com") || stem.starts_with("lpt"))
        && stem.len() == 4
        && stem.ends_with(|c: char| c.is_ascii_digit());
    if RESERVED.contains(&stem) || numbered {
        return Err(IdError::Reserved);
    }
    Ok(())
}

/// Why `text` cannot be a git object id, if it cannot.
fn check_object(text: &str) -> Result<(), IdError> {
    let hex = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if hex && matches!(text.len(), 40 | 64) { Ok(()) } else { Err(IdError::NotAnObject) }
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                $check(&text)?;
                Ok(Self(text))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    };
}

text_id!(
    /// One task of a plan.
    TaskId,
    check_name
);
text_id!(
    /// One execution of a plan; also the last part of its branch's name.
    RunId,
    check_name
);
text_id!(
    /// A commit, by its full object id.
    CommitId,
    check_object
);
text_id!(
    /// A tree, by its full object id.
    TreeId,
    check_object
);

/// One start of one worker for one task; printed as `T007.2`.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct AttemptId {
    pub task: TaskId,
    /// Counts from 1 and is never reused, however the attempt ended.
    pub number: u32,
}

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.task, self.number)
    }
}

/// The number of a workspace in the pool, counted from 1; its path never changes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct WorkspaceSlot(pub u16);

impl WorkspaceSlot {
    /// Attempts by hand have their own workspaces from here on: those of agents are used again by other runs, and a
    /// person may still have a workspace open when its run is over.
    pub const FIRST_BY_HAND: Self = Self(10_001);
}

impl fmt::Display for WorkspaceSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One question to the person; printed as `Q3`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct QuestionId(pub u32);

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Q{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B08: ids match the documented pattern, whatever a plan contains.
    #[test]
    fn what_could_leave_its_directory_is_not_an_id() {
        for bad in [
            "", "../x", "con", "COM1", "nul.txt", "a/b", "é", "🦀", ".", "..", ".x", "x.", "-x",
            "a..b", "a b", "a\n", "x.lock",
        ] {
            assert!(TaskId::new(bad).is_err(), "{bad:?} was accepted");
        }
        assert!(TaskId::new("x".repeat(1000)).is_err());
    }

    #[test]
    fn ids_of_real_plans_are_accepted() {
        for good in ["T001", "01", "G2a", "G2-S1", "03-02", "a_b.c", "command", "x"] {
            assert!(TaskId::new(good).is_ok(), "{good:?} was refused");
        }
    }
}
