//! The git program behind a typed interface: private clones, harvest, merges, compare-and-swap.
//!
//! Three rules hold everywhere. Git never runs with a worker's `.git`. The user's checkout, index,
//! configuration and hooks are neither used nor changed, except by [`Repository::land`], which the
//! user asks for. A ref moves only by compare-and-swap.
//!
//! Calls block, and may come from several threads. The caller decides what to harvest, merge or
//! retry, and holds the repository's lock.
//!
//! The path of one attempt: [`WorkspacePool::prepare`] fills a workspace,
//! [`WorkspacePool::restore_files`] puts the files of an interrupted attempt back,
//! [`WorkspacePool::acquire_lease`] assigns it to the attempt, [`WorkspacePool::snapshot`] commits
//! finished steps while the worker works, [`WorkspacePool::harvest`] turns what the worker left
//! into commits, [`WorkspacePool::merge`] builds the merged tree without a checkout,
//! [`Repository::commit`] commits it, [`Repository::update_refs`] moves the branch.
//! [`WorkspacePool::retire`] saves a workspace's contents and removes it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `git` | the git program and the user's repository |
//! | `refs` | moving refs by compare-and-swap; every ref name |
//! | `objects` | reading and writing git objects |
//! | `workspace` | the pool of private clones, their leases, preparing and removing them |
//! | `harvest` | from a worker's files to commits |
//! | `merge` | merging two commits into a tree |
//! | `notes` | reading and writing notes |
//! | `staging` | objects of ours before a ref reaches them, and refs whose objects are gone |
//! | `land` | bringing a run's work to the user's branch and checkout |

mod git;
mod harvest;
mod land;
mod merge;
mod notes;
mod objects;
mod refs;
mod staging;
mod workspace;

pub use git::command::CommandError;
pub use git::discover::DiscoverError;
pub use git::env::GitEnv;
pub use git::error::FileError;
pub use git::identity::{CommitIdentity, CommitSignature};
pub use git::program::{GitProgram, GitProgramError, GitVersion};
pub use git::push::{GitRemote, PushedRef, RemoteAccess, RemoteRefs};
pub use git::repository::{ObjectFormat, Repository, Worktree};
pub use git::run_obstacle::RunObstacle;
pub use git::signing_config::SigningConfig;
pub use harvest::acceptance::AcceptanceError;
pub use harvest::snapshot::SnapshotRequest;
pub use harvest::{
    HarvestError, HarvestLimits, HarvestRejection, HarvestRequest, WorkspaceHarvest,
};
pub use land::{
    LandError, LandObstacle, LandRequest, LandShape, LandingMode, LandingPlan, PatchHeader,
};
pub use merge::{MergeOutcome, MergeRequest};
pub use notes::read::{NoteContent, NotesReader};
pub use notes::write::{NewNote, WrittenNote};
pub use objects::bulk::BulkLimits;
pub use objects::commit::{FileOverlay, NewCommit};
pub use objects::diff::change::{EntryMode, TreeChange};
pub use objects::diff::patch_text::{DiffFormat, FileDifference, LineCounts};
pub use objects::overlay::TreeSelection;
pub use objects::path_text::parse_path_text;
pub use objects::read::{CommittedFile, FirstParentCommit, MeasuredFile};
pub use refs::merged_check::MergeEvidence;
pub use refs::names as ref_names;
pub use refs::{
    DEFAULT_LOCK_TIMEOUT, LockWaiting, RefError, RefExpectation, RefOutcome, RefUpdate,
};
pub use staging::dead_refs::DeadRef;
pub use staging::remains::Remains;
pub use workspace::abandoned::{AbandonedPool, find_abandoned_pools};
pub use workspace::lease::WorkspaceLease;
pub use workspace::pool::{PoolError, WorkspaceId, WorkspacePool};
pub use workspace::prepare::{PrepareError, PrepareTarget};
pub use workspace::remove::remove_tree;
pub use workspace::restore::RestoreError;
pub use workspace::retire::{RetireError, RetireOutcome};
