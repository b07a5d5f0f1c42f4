//! Whether receipts cover the commits of a branch: reads history and notes, verifies signatures, and lets
//! `afresh-proof` judge. No journal, no model and no network is needed.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `range` | which commits are meant |
//! | `read` | commits with their notes and what the signatures are worth |

mod range;
mod read;

use afresh_core::ids::{CommitId, RunId};
use afresh_git::ref_names::RECEIPT_NOTES;
use afresh_git::{CommandError, RefError, Repository};
use afresh_proof::history::{CommitVerdict, SignaturePolicy};

use crate::signing::verifier::SignatureVerifier;
use range::{HistoryRange, RangeFinder};
use read::ReceiptReader;

/// How many commits are searched for a run, and verified.
const MAX_COMMITS: usize = 100_000;

/// What to verify.
#[derive(Debug, Clone, Copy)]
pub struct VerifyRequest<'a> {
    /// As the user names it; none: `HEAD`, or the newest branch of a run if no run is in `HEAD`.
    pub reference: Option<&'a str>,
    /// The commit to start after; none: the base of the newest run.
    pub base: Option<&'a str>,
    pub policy: SignaturePolicy,
}

/// What was found.
#[derive(Debug)]
pub struct VerifiedHistory {
    /// What was verified, for people: `HEAD`, a branch, or what the user named.
    pub reference: String,
    pub tip: CommitId,
    /// The commit below the first one that was verified; none at the beginning of the history.
    pub base: Option<CommitId>,
    /// The newest run in it.
    pub run: Option<RunId>,
    /// Whether the repository has notes of ours at all.
    pub has_notes: bool,
    /// The oldest first; the commits of a run that `land` merged come before its merge.
    pub verdicts: Vec<CommitVerdict>,
}

/// Why nothing could be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("{name} is no commit of this repository")]
    UnknownCommit { name: String },
    #[error("the branch you are on has no commit yet")]
    Unborn,
    #[error("no commit of {reference} was made by a run of afresh")]
    NoRun { reference: String },
    #[error("{reference} has no commit after {base}")]
    Nothing { reference: String, base: String },
    #[error("the history ends at {commit}, because this is a shallow clone")]
    Shallow { commit: CommitId },
    #[error("{reference} has more than {MAX_COMMITS} commits to verify")]
    TooLong { reference: String },
    #[error("the notes in {RECEIPT_NOTES} cannot be read: {0}")]
    Notes(CommandError),
    #[error(transparent)]
    Git(#[from] CommandError),
    #[error(transparent)]
    Ref(#[from] RefError),
}

impl VerifyError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownCommit { .. } => "name a branch, a tag or a commit id".to_owned(),
            Self::Unborn => "name a branch: `afresh verify-run BRANCH`".to_owned(),
            Self::NoRun { .. } => {
                "name the branch of a run, or the commit to start after with `--base COMMIT`"
                    .to_owned()
            }
            Self::Nothing { .. } => {
                "name an earlier commit with `--base COMMIT`, or leave `--base` out".to_owned()
            }
            Self::Shallow { .. } => "fetch the whole history: `git fetch --unshallow`".to_owned(),
            Self::TooLong { .. } => "name a later commit with `--base COMMIT`".to_owned(),
            Self::Notes(_) => {
                format!("fetch them again: `git fetch origin +{RECEIPT_NOTES}:{RECEIPT_NOTES}`")
            }
            Self::Git(_) | Self::Ref(_) => return None,
        })
    }
}

/// Verifies the receipts of a branch.
pub fn verify(
    repository: &Repository,
    request: &VerifyRequest<'_>,
    verifier: &SignatureVerifier,
) -> Result<VerifiedHistory, VerifyError> {
    let mut receipts = ReceiptReader::open(repository, verifier)?;
    let mut finder = RangeFinder { repository, receipts: &mut receipts };
    let range = finder.find_range(request)?;
    let lines = finder.split_at_landings(&range.commits)?;
    let mut verdicts = Vec::new();
    for line in lines {
        verdicts.extend(receipts.verify_line(&line, request.policy)?);
    }
    let base = range.commits.last().and_then(|oldest| oldest.parents.first().cloned());
    let HistoryRange { reference, tip, run, .. } = range;
    Ok(VerifiedHistory { reference, tip, base, run, has_notes: receipts.has_notes(), verdicts })
}
