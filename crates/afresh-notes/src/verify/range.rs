//! Which commits are meant.

use std::collections::BTreeSet;

use afresh_core::ids::{CommitId, RunId};
use afresh_git::ref_names::{RUN_BRANCHES, display_name};
use afresh_git::{FirstParentCommit, Repository};
use afresh_proof::history::{CommitRole, CommitTrailers, ExtentCommit, default_extent};

use super::read::ReceiptReader;
use super::{MAX_COMMITS, VerifyError, VerifyRequest};

/// The commits to verify, newest first.
pub(super) struct HistoryRange {
    pub(super) reference: String,
    pub(super) tip: CommitId,
    pub(super) run: Option<RunId>,
    pub(super) commits: Vec<FirstParentCommit>,
}

/// Finds the commits to verify.
pub(super) struct RangeFinder<'a, 'b> {
    pub(super) repository: &'a Repository,
    /// Notes name the base of their run.
    pub(super) receipts: &'b mut ReceiptReader<'a>,
}

impl RangeFinder<'_, '_> {
    pub(super) fn find_range(
        &mut self,
        request: &VerifyRequest<'_>,
    ) -> Result<HistoryRange, VerifyError> {
        if let Some(name) = request.base {
            let base = self.resolve(name)?;
            let (reference, tip) = self.find_tip(request.reference)?;
            let commits = self.first_parents(&reference, &tip, Some(&base))?;
            if commits.is_empty() {
                return Err(VerifyError::Nothing { reference, base: name.to_owned() });
            }
            let trailers = commits.iter().map(|it| CommitTrailers::parse(&it.trailers));
            let run = trailers.into_iter().find_map(|trailers| trailers.run);
            return Ok(HistoryRange { reference, tip, run, commits });
        }
        let (reference, tip) = self.find_tip(request.reference)?;
        if let Some(range) = self.find_run(&reference, &tip, None)? {
            return Ok(range);
        }
        let newest = if request.reference.is_none() { self.newest_run_branch()? } else { None };
        let found = newest.map(|(name, tip)| self.find_run(&name, &tip, None)).transpose()?;
        found.flatten().ok_or(VerifyError::NoRun { reference })
    }

    /// The part of a branch that belongs to its newest run; at most what is not in `other`.
    fn find_run(
        &mut self,
        reference: &str,
        tip: &CommitId,
        other: Option<&CommitId>,
    ) -> Result<Option<HistoryRange>, VerifyError> {
        let mut commits = self.first_parents(reference, tip, other)?;
        let trailers: Vec<CommitTrailers> =
            commits.iter().map(|it| CommitTrailers::parse(&it.trailers)).collect();
        let extents: Vec<ExtentCommit<'_>> = commits
            .iter()
            .zip(&trailers)
            .map(|(it, trailers)| ExtentCommit {
                commit: &it.commit,
                trailers,
                parents: it.parents.len(),
            })
            .collect();
        let mut failure = None;
        let mut bases = BTreeSet::new();
        let named_base = |commit: &CommitId| match self.receipts.named_base(commit) {
            Ok(base) => {
                bases.extend(base.clone());
                base
            }
            Err(error) => {
                failure.get_or_insert(error);
                None
            }
        };
        let extent = default_extent(&extents, named_base);
        if let Some(error) = failure {
            return Err(error);
        }
        // The base may be below the end of a shallow history, and commits of others above it.
        let is_seen = |base: &CommitId| commits.iter().any(|it| it.commit == *base);
        let begins_below = !bases.iter().all(is_seen);
        if begins_below {
            self.expect_whole(&commits)?;
        }
        let Some(extent) = extent else {
            // The run may be below the end of a shallow history.
            self.expect_whole(&commits)?;
            return Ok(None);
        };
        // A base in the other branch is below everything here.
        if other.is_none() || !begins_below {
            commits.truncate(extent.commits);
        }
        self.expect_whole(&commits)?;
        let (reference, tip) = (reference.to_owned(), tip.clone());
        Ok(Some(HistoryRange { reference, tip, run: Some(extent.run), commits }))
    }

    fn find_tip(&self, name: Option<&str>) -> Result<(String, CommitId), VerifyError> {
        if let Some(name) = name {
            return Ok((name.to_owned(), self.resolve(name)?));
        }
        match self.repository.head()? {
            Some(head) => Ok(("HEAD".to_owned(), head)),
            None => self.newest_run_branch()?.ok_or(VerifyError::Unborn),
        }
    }

    fn resolve(&self, name: &str) -> Result<CommitId, VerifyError> {
        let found = self.repository.resolve_commit(name)?;
        found.ok_or_else(|| VerifyError::UnknownCommit { name: name.to_owned() })
    }

    /// The branch of a run whose last commit is the newest.
    fn newest_run_branch(&self) -> Result<Option<(String, CommitId)>, VerifyError> {
        let branches = self.repository.list_refs(RUN_BRANCHES)?;
        let mut newest: Option<(u64, (String, CommitId))> = None;
        for (name, tip) in branches {
            let at = self.repository.committed_at(&tip)?;
            if newest.as_ref().is_none_or(|(other, _)| at >= *other) {
                newest = Some((at, (display_name(&name).to_owned(), tip)));
            }
        }
        Ok(newest.map(|(_, found)| found))
    }

    fn first_parents(
        &self,
        reference: &str,
        tip: &CommitId,
        base: Option<&CommitId>,
    ) -> Result<Vec<FirstParentCommit>, VerifyError> {
        let found = self.repository.first_parents_at_most(tip, base, MAX_COMMITS + 1)?;
        if base.is_some() {
            self.expect_whole(&found)?;
        }
        match found.len() {
            0..=MAX_COMMITS => Ok(found),
            _ if base.is_some() => Err(VerifyError::TooLong { reference: reference.to_owned() }),
            // A run is found near the end of a history.
            _ => Ok(found.into_iter().take(MAX_COMMITS).collect()),
        }
    }

    /// A shallow clone shows its last commits as if they had no parents.
    fn expect_whole(&self, newest_first: &[FirstParentCommit]) -> Result<(), VerifyError> {
        let boundary = self.repository.shallow_boundary();
        match newest_first.iter().find(|it| boundary.contains(&it.commit)) {
            Some(cut) => Err(VerifyError::Shallow { commit: cut.commit.clone() }),
            None => Ok(()),
        }
    }

    /// First-parent lines to judge, each oldest first: the run's side of each merge of `land` comes before the merge.
    pub(super) fn split_at_landings(
        &mut self,
        newest_first: &[FirstParentCommit],
    ) -> Result<Vec<Vec<FirstParentCommit>>, VerifyError> {
        let mut lines = vec![Vec::new()];
        for it in newest_first.iter().rev() {
            let trailers = CommitTrailers::parse(&it.trailers);
            let landed = it
                .parents
                .get(1)
                .filter(|_| trailers.role(it.parents.len()) == CommitRole::LandMerge);
            if let Some(tip) = landed {
                let side = self.find_run(tip.as_str(), tip, it.parents.first())?;
                let own = side.filter(|side| side.run == trailers.run);
                lines.push(
                    own.map(|side| side.commits.into_iter().rev().collect()).unwrap_or_default(),
                );
                lines.push(Vec::new());
            }
            lines.last_mut().expect("there is a line").push(it.clone());
        }
        Ok(lines)
    }
}
