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

mod adding;
mod change;
mod clone;
mod command;
mod commit;
mod discover;
mod entrust;
mod error;
mod gather;
mod gone;
mod harvest;
mod held;
mod identity;
mod index;
mod init;
mod keep;
mod land;
mod listed;
mod loose;
mod merge;
mod object_name;
mod orphans;
mod outside;
mod owner;
mod pool;
mod prepare;
mod program;
mod put_back;
mod read;
mod reader;
mod refs;
mod remove;
mod repository;
mod retire;
mod shadow;
mod snapshot;
mod steps;
mod surroundings;
mod survey;
mod sweep;
mod tampering;
mod too_much;
mod tree;
mod tree_build;
mod tree_diff;
mod tree_merge;
mod turns;
mod worker_head;
mod workspace;

pub use change::{Mode, TreeChange};
pub use command::CommandError;
pub use commit::NewCommit;
pub use discover::DiscoverError;
pub use error::FileError;
pub use gone::{GonePool, gone_pools};
pub use harvest::{HarvestError, HarvestLimits, HarvestRequest, Refusal, WorkspaceHarvest};
pub use held::Held;
pub use identity::{Identity, Signature};
pub use land::{LandError, LandRequest, Landing, Obstacle, PatchHead, Way};
pub use merge::{Merge, MergeOutcome};
pub use pool::{Place, Pool, PoolError};
pub use prepare::{PrepareError, Target};
pub use program::{Program, ProgramError, Version};
pub use put_back::PutBackError;
pub use read::{FileEntry, FirstParent};
pub use refs::{
    DEFAULT_PATIENCE, Expect, RefError, RefOutcome, RefUpdate, run_branch, salvage_prefix,
    salvage_ref, step_ref,
};
pub use remove::remove_tree;
pub use repository::{ObjectFormat, Repository, Worktree};
pub use retire::{RetireError, Retired};
pub use snapshot::SnapshotRequest;
pub use surroundings::Surroundings;
