//! Finds out whether a commit contains some work. Only the objects themselves count as evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use afresh_core::ids::CommitId;

use crate::git::command::CommandError;
use crate::git::repository::{Repository, parse_id};
use crate::merge::{MergeOutcome, parse_outcome};
use crate::objects::diff::change;
use crate::objects::diff::diff_trees;
use crate::refs::RefError;
use crate::refs::names::{OWN_REFS, RUN_BRANCHES, branch_ref, run_of_branch_ref};
use crate::workspace::pool::PoolError;

/// How many stashes are searched.
const MAX_STASHES: usize = 5;

/// How one commit contains the work of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeEvidence {
    /// The work is an ancestor of the commit, or the same commit.
    Ancestor,
    /// Every path that the work changed since their common ancestor is the same in the commit.
    SameContent,
}

impl Repository {
    /// The tips of the user's own branches, and HEAD where it is on none.
    pub fn user_branch_tips(&self) -> Result<BTreeMap<String, CommitId>, RefError> {
        let mut tips = self.list_refs(&branch_ref(""))?;
        tips.retain(|name, _| run_of_branch_ref(name).is_none());
        if self.branch()?.is_none()
            && let Some(head) = self.head()?
        {
            tips.insert("HEAD".to_owned(), head);
        }
        Ok(tips)
    }

    /// The newest stash of the user's that holds an untracked or ignored file of this path.
    pub fn find_in_stashes(&self, path: &Path) -> Result<Option<String>, CommandError> {
        let Some(path) = path.to_str().filter(|_| path.is_relative()) else { return Ok(None) };
        for number in 0..MAX_STASHES {
            let stash = format!("stash@{{{number}}}");
            let call = self.git("look for a file in the stashes");
            let file = format!("{stash}^3:{path}");
            let answer = call.args(["rev-parse", "--verify", "--quiet", &file]).run()?;
            if answer.status.success() {
                return Ok(Some(stash));
            }
        }
        Ok(None)
    }

    /// The user's current branch, if it contains a commit.
    pub fn branch_with(&self, commit: &CommitId) -> Result<Option<String>, CommandError> {
        let (Some(head), branch) = (self.head()?, self.branch()?) else { return Ok(None) };
        let call = self.git("see whether the run has landed");
        let call = call.args(["merge-base", "--is-ancestor", commit.as_str(), head.as_str()]);
        let is_in = call.run()?.status.success();
        Ok(is_in.then(|| branch.unwrap_or_else(|| "HEAD".to_owned())))
    }

    /// Our refs whose commits are ancestors of `tip`.
    pub fn own_refs_merged_into(&self, tip: &CommitId) -> Result<Vec<String>, CommandError> {
        let call = self.git(format!("list what is merged into {tip}"));
        let merged = format!("--merged={tip}");
        let call = call.args(["for-each-ref", "--format=%(refname)", merged.as_str()]);
        let answer = call.args([OWN_REFS, RUN_BRANCHES]).run_checked()?;
        Ok(String::from_utf8_lossy(&answer.stdout).lines().map(str::to_owned).collect())
    }

    /// Whether, and how, `there` contains the work of `work`.
    pub fn find_merge_evidence(
        &self,
        there: &CommitId,
        work: &CommitId,
    ) -> Result<Option<MergeEvidence>, CommandError> {
        if self.is_ancestor(work, there)? {
            return Ok(Some(MergeEvidence::Ancestor));
        }
        let Some(base) = self.merge_base(there, work)? else { return Ok(None) };
        let changed = self.paths_between(&base, work)?;
        let differing = self.paths_between(work, there)?;
        Ok(changed.is_disjoint(&differing).then_some(MergeEvidence::SameContent))
    }

    /// Whether every path that `work` changed since `base` is in `there` exactly as it is in `work`. Reads trees alone,
    /// without a git process.
    pub fn has_same_changes(
        &self,
        base: &CommitId,
        work: &CommitId,
        there: &CommitId,
    ) -> Result<bool, CommandError> {
        let tree = |commit: &CommitId| self.tree_object_id_of(commit);
        let (base, work, there) = (tree(base)?, tree(work)?, tree(there)?);
        let mut source = self;
        let differing = diff_trees(self, work, there, &mut source)?;
        if differing.is_empty() {
            return Ok(true);
        }
        let changed = diff_trees(self, base, work, &mut source)?;
        let changed: BTreeSet<Vec<u8>> = changed.into_iter().map(|one| one.path).collect();
        Ok(differing.iter().all(|one| !changed.contains(&one.path)))
    }

    /// Whether `landed` is what comes of merging `work` into its first parent: the work landed as another commit, in
    /// files that both sides changed.
    pub fn is_result_of_merging(
        &self,
        work: &CommitId,
        landed: &CommitId,
    ) -> Result<bool, PoolError> {
        let Some(onto) = self.first_parent(landed)? else { return Ok(false) };
        let call = self.stage_objects_of(self.git(format!("merge {work} into {onto} again")))?;
        let verb = ["merge-tree", "--write-tree", "-z", "--name-only", "--messages"];
        let answer = call.args(verb).args([onto.as_str(), work.as_str()]).run()?;
        let tree = self.commit_tree(landed)?;
        Ok(matches!(parse_outcome(answer)?, MergeOutcome::Clean { tree: merged } if merged == tree))
    }

    fn merge_base(&self, a: &CommitId, b: &CommitId) -> Result<Option<CommitId>, CommandError> {
        let call = self.git(format!("find the merge base of {a} and {b}"));
        let answer = call.args(["merge-base", a.as_str(), b.as_str()]).run()?;
        if answer.code() == Some(1) {
            return Ok(None);
        }
        let answer = answer.success()?;
        Ok(Some(parse_id(answer.line()?, |detail| answer.unexpected(detail))?))
    }

    fn paths_between(
        &self,
        old: &CommitId,
        new: &CommitId,
    ) -> Result<BTreeSet<Vec<u8>>, CommandError> {
        let call = self.git(format!("compare {old} and {new}"));
        let changes = change::diff_with_git(call, old.as_str(), new.as_str())?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    }
}
