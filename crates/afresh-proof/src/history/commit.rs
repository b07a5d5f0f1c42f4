//! A commit of a history, with its trailers and its note.

use afresh_core::commit::CHECKED_TREE;
use afresh_core::ids::{CommitId, RunId, TaskId, TreeId};

use crate::statement::Statement;

/// One first-parent commit.
#[derive(Debug, Clone)]
pub struct HistoryCommit {
    pub commit: CommitId,
    pub tree: TreeId,
    pub parents: Vec<CommitId>,
    pub trailers: CommitTrailers,
    pub note: FoundNote,
}

/// What the notes have for a commit.
#[derive(Debug, Clone)]
pub enum FoundNote {
    Missing,
    /// It is larger than [`crate::MAX_NOTE_BYTES`].
    TooLarge,
    Lines(Vec<CheckedLine>),
}

/// One line of a note, with its signature verified.
#[derive(Debug, Clone)]
pub struct CheckedLine {
    /// The statement, or why it cannot be read.
    pub statement: Result<Box<Statement>, String>,
    pub signature: SignatureState,
}

/// What the signature of a line is worth, the best last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignatureState {
    /// It is not a signature of this text, or cannot be verified.
    Bad {
        why: String,
    },
    Unsigned,
    /// A good signature by a key that the user's git does not trust, and why.
    UnknownKey {
        key: String,
        why: String,
    },
    Trusted {
        key: String,
        signer: String,
    },
}

/// The trailers that afresh writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitTrailers {
    pub run: Option<RunId>,
    pub task: Option<TaskId>,
    pub attempt: Option<u32>,
    /// The tree that was checked for this commit and its neighbours.
    pub checked_tree: Option<TreeId>,
    /// `land` made it because the user's branch had moved on.
    pub is_unchecked_merge: bool,
    /// `land --squash` made it of the run that ended with this commit.
    pub squashed: Option<CommitId>,
}

/// The trailer of the commit that `land --squash` makes; its value is the last commit of the run.
pub const SQUASHED: &str = "Afresh-Squashed";

/// The trailer of the merge commit that `land` makes; its value is the run.
pub const UNCHECKED_MERGE: &str = "Afresh-Unchecked-Merge";

/// What a commit is to afresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitRole {
    /// The merge of a task.
    Task,
    /// The merge commit of `land`, whose tree nobody checked.
    LandMerge,
    /// All of a run in one commit, by `land --squash`.
    Squash,
    /// Not made by afresh.
    Foreign,
}

impl CommitTrailers {
    /// Reads `Key: value` lines. A trailer that is there twice with different values counts as missing: afresh writes
    /// each once.
    pub fn parse(text: &str) -> Self {
        let value = |wanted: &str| {
            let lines = text.lines().filter_map(|line| line.split_once(':'));
            let mut values =
                lines.filter(|(key, _)| key.eq_ignore_ascii_case(wanted)).map(|(_, v)| v.trim());
            let first = values.next()?;
            values.all(|other| other == first).then_some(first)
        };
        Self {
            run: value("Afresh-Run").and_then(|text| text.parse().ok()),
            task: value("Afresh-Task").and_then(|text| text.parse().ok()),
            attempt: value("Afresh-Attempt").and_then(|text| text.parse().ok()),
            checked_tree: value(CHECKED_TREE).and_then(|text| text.parse().ok()),
            is_unchecked_merge: value(UNCHECKED_MERGE).is_some(),
            squashed: value(SQUASHED).and_then(|text| text.parse().ok()),
        }
    }

    /// What a commit with these trailers and so many parents is.
    pub fn role(&self, parents: usize) -> CommitRole {
        match (&self.run, &self.task) {
            (Some(_), Some(_)) if !self.is_unchecked_merge => CommitRole::Task,
            (Some(_), None) if self.squashed.is_some() => CommitRole::Squash,
            // Earlier versions wrote only the run.
            (Some(_), None) if parents == 2 => CommitRole::LandMerge,
            _ => CommitRole::Foreign,
        }
    }
}

impl CommitTrailers {
    /// The same for a commit with these trailers and so many parents.
    pub fn receipt_commit<'a>(&'a self, commit: &'a CommitId, parents: usize) -> &'a CommitId {
        match &self.squashed {
            Some(squashed) if self.role(parents) == CommitRole::Squash => squashed,
            _ => commit,
        }
    }
}

impl HistoryCommit {
    pub fn role(&self) -> CommitRole {
        self.trailers.role(self.parents.len())
    }

    /// The commit whose note has its receipt: a squashed run has that of its last commit.
    pub fn receipt_commit(&self) -> &CommitId {
        self.trailers.receipt_commit(&self.commit, self.parents.len())
    }
}
