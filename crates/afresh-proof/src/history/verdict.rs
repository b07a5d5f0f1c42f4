//! What is said about a commit.

use afresh_core::ids::{CommitId, TreeId};
use afresh_core::printable;

use super::commit::{CommitRole, SignatureState};
use crate::statement::ReceiptPredicate;

/// What is asked of signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignaturePolicy {
    /// Receipts without a signature count, and are reported as unsigned.
    Optional,
    /// Only a signature by a trusted key counts.
    Required,
}

/// One commit, and whether a receipt covers it.
#[derive(Debug, Clone)]
pub struct CommitVerdict {
    pub commit: CommitId,
    pub tree: TreeId,
    pub role: CommitRole,
    /// From the trailer; a commit that afresh did not make has none.
    pub task: Option<String>,
    /// The commit whose receipt covers it: itself, or the last one of its batch.
    pub covered_by: Option<CommitId>,
    /// The signature of that receipt.
    pub signature: Option<SignatureState>,
    /// The receipt itself, where the commit has its own.
    pub receipt: Option<Box<ReceiptPredicate>>,
    pub problem: Option<CommitProblem>,
}

/// The receipt of this commit does not hold: neither its commit nor those that it covers are covered.
pub fn refute(verdicts: &mut [CommitVerdict], commit: &CommitId, problem: &CommitProblem) {
    let is_covered_by = |it: &CommitVerdict| {
        it.covered_by.as_ref() == Some(commit) || (it.covered_by.is_some() && it.commit == *commit)
    };
    for verdict in verdicts.iter_mut().filter(|it| is_covered_by(it)) {
        verdict.covered_by = None;
        verdict.problem = Some(problem.clone());
    }
}

/// Why no receipt covers a commit. The order is that of how much was right before: the last one is the most useful.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommitProblem {
    NotMadeByAfresh,
    UncheckedMerge,
    /// `land --squash` on top of other commits; the last commit of the run.
    UncheckedSquash(String),
    MissingNote,
    NoteTooLarge,
    MalformedNote(String),
    /// The note is about another commit.
    MovedNote(String),
    BadSignature(String),
    OtherTree(String),
    OtherRun(String),
    OtherTask(String),
    OtherParent(String),
    OtherCoveringTree(String),
    FailedCheck(String),
    Unsigned,
    UntrustedKey(String),
    /// Running the checks again gave another result.
    RerunFailed(String),
    RerunImpossible(String),
}

impl CommitProblem {
    /// For scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotMadeByAfresh => "not-made-by-afresh",
            Self::UncheckedMerge => "unchecked-merge",
            Self::UncheckedSquash(_) => "unchecked-squash",
            Self::MissingNote => "missing-note",
            Self::NoteTooLarge => "note-too-large",
            Self::MalformedNote(_) => "malformed-note",
            Self::MovedNote(_) => "moved-note",
            Self::BadSignature(_) => "bad-signature",
            Self::OtherTree(_) => "other-tree",
            Self::OtherRun(_) => "other-run",
            Self::OtherTask(_) => "other-task",
            Self::OtherParent(_) => "other-parent",
            Self::OtherCoveringTree(_) => "not-covered",
            Self::FailedCheck(_) => "failed-check",
            Self::Unsigned => "unsigned",
            Self::UntrustedKey(_) => "untrusted-key",
            Self::RerunFailed(_) => "rerun-failed",
            Self::RerunImpossible(_) => "rerun-impossible",
        }
    }

    /// One line for people; names in it may come from a forged note.
    pub fn describe(&self) -> String {
        let text = match self {
            Self::NotMadeByAfresh => "afresh did not make this commit".to_owned(),
            Self::UncheckedMerge => {
                "`afresh land` merged a run into a branch that had moved on; no check ran on the result"
                    .to_owned()
            }
            Self::UncheckedSquash(_) => {
                "`afresh land --squash` put a run on a branch that had moved on; no check ran on the result"
                    .to_owned()
            }
            Self::MissingNote => "it has no note under refs/notes/afresh".to_owned(),
            Self::NoteTooLarge => {
                format!("its note is larger than {} MiB", crate::MAX_NOTE_BYTES / 1024 / 1024)
            }
            Self::MalformedNote(why) => format!("its note cannot be read: {why}"),
            Self::MovedNote(other) => format!("its note is about another commit, {other}"),
            Self::BadSignature(why) => format!("the signature of its note is not valid: {why}"),
            Self::OtherTree(other) => format!("its receipt is for another tree, {other}"),
            Self::OtherRun(other) => format!("its receipt is of another run, {other}"),
            Self::OtherTask(other) => format!("its receipt is of another attempt, {other}"),
            Self::OtherParent(other) => format!("its receipt is for a commit on top of {other}"),
            Self::OtherCoveringTree(tree) => {
                format!("no later commit has a receipt for the tree that it names, {tree}")
            }
            Self::FailedCheck(how) => format!("its receipt has a failed check: {how}"),
            Self::Unsigned => "its receipt is not signed".to_owned(),
            Self::UntrustedKey(why) => format!("its receipt is signed by an untrusted key: {why}"),
            Self::RerunFailed(how) => format!("run again, a check failed: {how}"),
            Self::RerunImpossible(why) => format!("its checks could not be run again: {why}"),
        };
        printable::line(&text.chars().take(500).collect::<String>())
    }
}
