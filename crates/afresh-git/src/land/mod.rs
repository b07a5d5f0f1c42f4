//! Brings a run's work to the branch that the user is on.
//!
//! This is the only code that writes to the user's checkout, and only because the user asked.
//! First, [`Repository::plan_landing`] finds out what would change. Then, unless uncommitted
//! changes are in the way, git fast-forwards branch, index and files to the run's commit, or to a
//! merge commit that was built before. All other uncommitted changes stay.
//!
//! After a kill at any moment, the same call continues: a file is in the way only if it is neither
//! in its old nor in its new state. The user's own configuration is used, because the user's
//! filters wrote the files of the checkout; hooks do not run.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `checkout` | running git on the user's checkout |
//! | `uncommitted` | files of the checkout that are in no commit |
//! | `obstacles` | uncommitted changes that landing would overwrite |
//! | `compare` | comparing files with one side of a change |
//! | `patch` | a run's work as a patch |
//! | `error` | why a run did not land |

mod checkout;
mod compare;
mod error;
mod obstacles;
mod patch;
mod uncommitted;

use std::time::Duration;

use afresh_core::ids::{CommitId, TreeId};

use crate::git::identity::CommitSignature;
use crate::git::repository::Repository;
use crate::harvest::prescan::display_path;
use crate::merge::{MergeOutcome, parse_outcome};
use crate::objects::commit::NewCommit;
use crate::objects::diff::change::{self, RawTreeChange};
use crate::refs::names::branch_ref;

pub use error::LandError;
pub use patch::PatchHeader;

use checkout::UserCheckout;

/// How long a git process of the user's that holds the index is waited for.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What to land.
#[derive(Debug, Clone, Copy)]
pub struct LandRequest<'a> {
    /// The directory that the user is in.
    pub directory: &'a std::path::Path,
    pub tip: &'a CommitId,
    pub shape: LandShape,
}

/// What landing would do.
#[derive(Debug)]
pub struct LandingPlan {
    /// The user's commit.
    pub from: CommitId,
    /// The run's commit.
    pub tip: CommitId,
    /// The branch that moves; none if HEAD is detached.
    pub branch: Option<String>,
    pub way: LandingMode,
    changes: Vec<RawTreeChange>,
    /// What is in the way, and why.
    pub obstacles: Vec<LandObstacle>,
    /// None in a bare repository.
    checkout: Option<UserCheckout>,
}

/// What the user's branch gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandShape {
    /// The run's own commits, with a merge commit where the branch has moved on.
    Commits,
    /// One commit with all of them.
    Squash,
}

/// How the branch is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LandingMode {
    /// The user's branch contains the work already.
    Already,
    FastForward,
    /// A merge commit with this tree.
    Merge(TreeId),
    /// One commit with all of the run's work, and exactly the tree that was checked.
    Squash(TreeId),
    /// The same on top of commits that the run does not know; no check ran on this tree.
    SquashOnto(TreeId),
}

impl LandingMode {
    /// Whether the result is a tree that no check has seen.
    pub fn is_unchecked(&self) -> bool {
        matches!(self, Self::Merge(_) | Self::SquashOnto(_))
    }
}

/// An uncommitted change that landing would overwrite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandObstacle {
    pub path: String,
    pub why: &'static str,
}

impl LandingPlan {
    /// The paths that change in the checkout, for display.
    pub fn paths(&self) -> Vec<String> {
        self.changes.iter().map(|change| display_path(&change.path)).collect()
    }
}

impl Repository {
    /// Finds out what landing would do; writes nothing but objects.
    pub fn plan_landing(&self, request: &LandRequest<'_>) -> Result<LandingPlan, LandError> {
        let from = self.head()?.ok_or(LandError::Unborn)?;
        let (branch, tip) = (self.branch()?, request.tip.clone());
        let mut landing = LandingPlan {
            way: LandingMode::Already,
            changes: Vec::new(),
            obstacles: Vec::new(),
            checkout: None,
            from,
            tip,
            branch,
        };
        if self.is_ancestor(&landing.tip, &landing.from)? {
            return Ok(landing);
        }
        landing.checkout = UserCheckout::find(self, request.directory)?;
        self.may_move(&landing)?;
        landing.way = self.way(&landing.from, &landing.tip)?;
        if request.shape == LandShape::Squash {
            landing.way = self.squash(&landing)?;
        }
        if landing.way == LandingMode::Already {
            return Ok(landing);
        }
        let target = match &landing.way {
            LandingMode::Merge(tree)
            | LandingMode::Squash(tree)
            | LandingMode::SquashOnto(tree) => tree.as_str(),
            LandingMode::Already | LandingMode::FastForward => landing.tip.as_str(),
        };
        let call = self.show_staged_to(self.git(format!("compare {} and {target}", landing.from)));
        landing.changes = change::diff_with_git(call, landing.from.as_str(), target)?;
        if let Some(checkout) = &landing.checkout {
            landing.obstacles = checkout.obstacles(&landing.changes)?;
        }
        Ok(landing)
    }

    /// Lands. The caller has checked that nothing is in the way; git checks again.
    pub fn land(
        &self,
        landing: &LandingPlan,
        message: &str,
        signature: &CommitSignature,
    ) -> Result<CommitId, LandError> {
        let to = match &landing.way {
            LandingMode::Already => return Ok(landing.from.clone()),
            LandingMode::FastForward => landing.tip.clone(),
            LandingMode::Merge(tree) => {
                let parents = [landing.from.clone(), landing.tip.clone()];
                self.make_commit(&NewCommit { tree, parents: &parents, message, signature })?
            }
            LandingMode::Squash(tree) | LandingMode::SquashOnto(tree) => {
                let parents = std::slice::from_ref(&landing.from);
                self.make_commit(&NewCommit { tree, parents, message, signature })?
            }
        };
        let moved = match &landing.checkout {
            Some(checkout) => checkout.fast_forward(&landing.changes, &to, signature),
            None => self.move_head(&landing.from, &to, signature),
        };
        if moved.is_ok() {
            self.release_pins([&to]);
        }
        let Err(LandError::Git(failed)) = moved else { return moved.map(|()| to) };
        match self.head()? {
            // Git had finished before it was ended.
            Some(head) if head == to => Ok(to),
            Some(head) if head == landing.from => Err(failed.into()),
            // Git rejects anything but a fast-forward, before it changes anything.
            _ => Err(LandError::Moved),
        }
    }

    fn make_commit(&self, new: &NewCommit<'_>) -> Result<CommitId, LandError> {
        let made = self.commit(new)?;
        self.publish(&made)?;
        Ok(made)
    }

    /// The same as one commit. A branch that has all of the content already gets no empty one.
    fn squash(&self, landing: &LandingPlan) -> Result<LandingMode, LandError> {
        let squashed = match &landing.way {
            LandingMode::FastForward => LandingMode::Squash(self.commit_tree(&landing.tip)?),
            LandingMode::Merge(tree) => LandingMode::SquashOnto(tree.clone()),
            other => other.clone(),
        };
        let (LandingMode::Squash(tree) | LandingMode::SquashOnto(tree)) = &squashed else {
            return Ok(squashed);
        };
        let is_there = self.commit_tree(&landing.from)? == *tree;
        Ok(if is_there { LandingMode::Already } else { squashed })
    }

    fn way(&self, from: &CommitId, tip: &CommitId) -> Result<LandingMode, LandError> {
        if self.is_ancestor(from, tip)? {
            return Ok(LandingMode::FastForward);
        }
        let call = self.stage_objects_of(self.git(format!("merge {tip} into {from}")))?;
        let verb = ["merge-tree", "--write-tree", "-z", "--name-only", "--messages"];
        let answer = call.args(verb).args([from.as_str(), tip.as_str()]).run()?;
        match parse_outcome(answer)? {
            MergeOutcome::Clean { tree } => Ok(LandingMode::Merge(tree)),
            MergeOutcome::Conflict { paths, text } => {
                Err(LandError::Conflict { paths, account: text })
            }
        }
    }

    /// A branch must not move under another checkout, nor during a merge or rebase.
    fn may_move(&self, landing: &LandingPlan) -> Result<(), LandError> {
        let under_way = [
            ("MERGE_HEAD", "merge"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
        ];
        if let Some((_, what)) = under_way.iter().find(|(name, _)| self.git_dir.join(name).exists())
        {
            return Err(LandError::InProgress(what));
        }
        let Some(branch) = &landing.branch else { return Ok(()) };
        let full = branch_ref(branch);
        let own = landing.checkout.as_ref().map(UserCheckout::root);
        let other = self.worktrees()?.into_iter().find(|worktree| {
            let elsewhere = worktree.path.canonicalize().ok().as_deref() != own;
            worktree.branch.as_deref() == Some(full.as_str()) && elsewhere && !self.is_own(worktree)
        });
        match other {
            Some(worktree) => {
                Err(LandError::CheckedOut { branch: branch.clone(), worktree: worktree.path })
            }
            None => Ok(()),
        }
    }

    /// A bare repository lists itself among its worktrees.
    fn is_own(&self, worktree: &crate::git::repository::Worktree) -> bool {
        worktree.path.canonicalize().is_ok_and(|path| path == self.common_dir)
    }

    /// In a bare repository only the branch moves, and only from the expected commit.
    fn move_head(
        &self,
        from: &CommitId,
        to: &CommitId,
        signature: &CommitSignature,
    ) -> Result<(), LandError> {
        let mut call = self.git("move your branch");
        for (name, value) in signature.variables() {
            call = call.env(name, value);
        }
        let verb = ["update-ref", "-m", "afresh land", "HEAD"];
        call.args(verb).args([to.as_str(), from.as_str()]).run_checked()?;
        Ok(())
    }
}
