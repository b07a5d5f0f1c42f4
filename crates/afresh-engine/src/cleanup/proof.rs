//! Whether a branch of the user's contains a commit of ours; proven from git objects.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::ids::CommitId;
use afresh_git::ref_names::display_name;
use afresh_git::{CommandError, Repository};

use super::CleanupError;

/// What the user's branches contain.
#[derive(Debug)]
pub(super) struct MergeProof<'a> {
    repository: &'a Repository,
    /// Our refs whose commits are ancestors of a branch tip, with the name of that branch.
    merged: BTreeMap<String, String>,
    /// The commit that the user has checked out.
    head: Option<CommitId>,
    head_name: String,
}

/// The commits of a run that are in the user's branch, by attempt.
#[derive(Debug, Default)]
pub(super) struct LandedRefs(BTreeMap<String, CommitId>);

impl<'a> MergeProof<'a> {
    pub(super) fn new(repository: &'a Repository) -> Result<Self, CleanupError> {
        let mut merged = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (name, tip) in repository.user_branch_tips()? {
            let shown = display_name(&name);
            // Many branches often point to the same commit.
            if !seen.insert(tip.clone()) {
                continue;
            }
            for ours in repository.own_refs_merged_into(&tip)? {
                merged.entry(ours).or_insert_with(|| shown.to_owned());
            }
        }
        let head_name = repository.branch()?.unwrap_or_else(|| "HEAD".to_owned());
        Ok(Self { repository, merged, head: repository.head()?, head_name })
    }

    /// Why the work under this ref of ours cannot be lost.
    pub(super) fn find_merge(
        &self,
        name: &str,
        commit: &CommitId,
    ) -> Result<Option<String>, CommandError> {
        if let Some(tip) = self.merged.get(name) {
            return Ok(Some(format!("it is in {tip}")));
        }
        let Some(head) = &self.head else { return Ok(None) };
        let held = self.repository.find_merge_evidence(head, commit)?;
        Ok(held.map(|_| format!("everything it changed is in {}", self.head_name)))
    }

    /// The same for the work of one attempt, which may have landed as another commit: the run's commit has the same
    /// content in every file that the attempt changed.
    pub(super) fn of_attempt(
        &self,
        landed: &LandedRefs,
        attempt: &str,
        work: &CommitId,
    ) -> Result<Option<String>, CleanupError> {
        let Some(commit) = landed.0.get(attempt) else { return Ok(None) };
        let is_in = self.repository.find_merge_evidence(commit, work)?.is_some()
            || self.repository.is_result_of_merging(work, commit)?;
        Ok(is_in.then(|| format!("it landed as {}", &commit.as_str()[..10])))
    }

    /// Which commits of a run are in the branch that the user has checked out.
    pub(super) fn landed(&self, run: &Run) -> Result<LandedRefs, CommandError> {
        let mut landed = LandedRefs::default();
        let Some(head) = &self.head else { return Ok(landed) };
        if !self.repository.exists(run.tip())? || !self.repository.is_ancestor(run.tip(), head)? {
            return Ok(landed);
        }
        for commit in self.repository.first_parents(run.tip(), Some(run.base()))? {
            let value = |key: &str| {
                let mut lines = commit.trailers.lines();
                lines.find_map(|line| line.strip_prefix(key)).map(str::trim)
            };
            if let (Some(task), Some(number)) = (value("Afresh-Task:"), value("Afresh-Attempt:")) {
                landed.0.insert(format!("{task}.{number}"), commit.commit);
            }
        }
        Ok(landed)
    }
}
