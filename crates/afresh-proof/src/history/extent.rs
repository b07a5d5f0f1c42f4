//! Where a run begins in a history, if nobody says so.

use std::collections::BTreeMap;

use afresh_core::ids::{CommitId, RunId};

use super::commit::{CommitRole, CommitTrailers};

/// The part of a first-parent history that belongs to a run and to what came after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunExtent {
    /// How many commits, from the newest on.
    pub commits: usize,
    pub run: RunId,
}

/// Trailers and number of parents of a commit.
#[derive(Debug, Clone, Copy)]
pub struct ExtentCommit<'a> {
    pub commit: &'a CommitId,
    pub trailers: &'a CommitTrailers,
    pub parents: usize,
}

/// The newest run in a history, newest commit first; none if no commit is of a run.
///
/// `named_base` is the base that the note of a commit names. Notes may be forged, so a base that they name can only
/// make the part longer: every commit with the run's trailer belongs to it. What `land` merged is the run's side, so
/// the user's own commits below such a merge do not.
pub fn default_extent(
    newest_first: &[ExtentCommit<'_>],
    mut named_base: impl FnMut(&CommitId) -> Option<CommitId>,
) -> Option<RunExtent> {
    let role = |it: &ExtentCommit<'_>| it.trailers.role(it.parents);
    let newest = newest_first.iter().position(|it| role(it) != CommitRole::Foreign)?;
    let run = newest_first[newest].trailers.run.clone()?;
    if matches!(role(&newest_first[newest]), CommitRole::LandMerge | CommitRole::Squash) {
        return Some(RunExtent { commits: newest + 1, run });
    }
    let positions: BTreeMap<&CommitId, usize> =
        newest_first.iter().enumerate().map(|(at, it)| (it.commit, at)).collect();
    let mut commits = newest + 1;
    for (at, it) in newest_first.iter().enumerate().skip(newest) {
        if it.trailers.run.as_ref() != Some(&run) || role(it) != CommitRole::Task {
            continue;
        }
        commits = commits.max(at + 1);
        let Some(base) = named_base(it.commit) else { continue };
        if let Some(below) = positions.get(&base) {
            commits = commits.max(*below);
        }
    }
    Some(RunExtent { commits, run })
}
