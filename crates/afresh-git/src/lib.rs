//! Private clones, harvest, merges aside, compare-and-swap: the git program behind a typed wrapper.
//!
//! Three rules hold everywhere. Git never runs with a worker's `.git`; the user's checkout, index,
//! configuration and hooks are never used nor touched, except by [`Repository::land`], which the
//! user asks for; a ref moves only by compare-and-swap.
//! Calls block, and may come from several threads. What to harvest, merge or retry, and holding
//! the repository's lock, is the caller's business.
//!
//! The path of one attempt: [`Pool::prepare`] fills a slot, [`Pool::claim`] says for whom,
//! [`Pool::put_back`] lays the work of an interrupted attempt over it, [`Pool::entrust`] gives it to a
//! worker,
//! [`Pool::snapshot`] commits its finished steps while it works,
//! [`Pool::harvest`] turns what it left into commits of ours, [`Pool::merge`] builds the result
//! aside, [`Repository::commit`] makes it a commit, [`Repository::update_refs`] moves the branch.
//! When nobody needs the slot any more, [`Pool::retire`] saves what is in it and removes it.

mod git;
mod harvest;
mod land;
mod merge;
mod objects;
mod refs;
mod workspace;

pub use git::command::CommandError;
pub use git::discover::DiscoverError;
pub use git::env::GitEnv;
pub use git::error::FileError;
pub use git::identity::{CommitIdentity, CommitSignature};
pub use git::program::{GitProgram, GitProgramError, GitVersion};
pub use git::repository::{ObjectFormat, Repository, Worktree};
pub use harvest::snapshot::SnapshotRequest;
pub use harvest::{
    HarvestError, HarvestLimits, HarvestRejection, HarvestRequest, WorkspaceHarvest,
};
pub use land::{LandError, LandObstacle, LandRequest, LandingMode, LandingPlan, PatchHeader};
pub use merge::{MergeOutcome, MergeRequest};
pub use objects::change::{EntryMode, TreeChange};
pub use objects::commit::NewCommit;
pub use objects::read::{CommittedFile, FirstParentCommit};
pub use refs::merged_check::MergeEvidence;
pub use refs::names as ref_names;
pub use refs::{DEFAULT_LOCK_TIMEOUT, RefError, RefExpectation, RefOutcome, RefUpdate};
pub use workspace::abandoned::{AbandonedPool, find_abandoned_pools};
pub use workspace::lease::WorkspaceLease;
pub use workspace::pool::{PoolError, WorkspaceId, WorkspacePool};
pub use workspace::prepare::{PrepareError, PrepareTarget};
pub use workspace::remove::remove_tree;
pub use workspace::restore::RestoreError;
pub use workspace::retire::{RetireError, RetireOutcome};
