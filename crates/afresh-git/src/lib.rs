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
pub use git::env::Surroundings;
pub use git::error::FileError;
pub use git::identity::{Identity, Signature};
pub use git::program::{Program, ProgramError, Version};
pub use git::repository::{ObjectFormat, Repository, Worktree};
pub use harvest::snapshot::SnapshotRequest;
pub use harvest::{HarvestError, HarvestLimits, HarvestRequest, Refusal, WorkspaceHarvest};
pub use land::{LandError, LandRequest, Landing, Obstacle, PatchHead, Way};
pub use merge::{Merge, MergeOutcome};
pub use objects::change::{Mode, TreeChange};
pub use objects::commit::NewCommit;
pub use objects::read::{FileEntry, FirstParent};
pub use refs::merged_check::Held;
pub use refs::names as ref_names;
pub use refs::{DEFAULT_PATIENCE, Expect, RefError, RefOutcome, RefUpdate};
pub use workspace::abandoned::{GonePool, gone_pools};
pub use workspace::lease::WorkspaceLease;
pub use workspace::pool::{Place, Pool, PoolError};
pub use workspace::prepare::{PrepareError, Target};
pub use workspace::remove::remove_tree;
pub use workspace::restore::PutBackError;
pub use workspace::retire::{RetireError, Retired};
