//! Turns what a worker left in its workspace into a tree and commits.
//!
//! Our git never runs with the worker's `.git`. The caller decides whether the changes are
//! accepted; here they are measured and saved.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `acceptance` | tests that another author wrote: they land as they are |
//! | `prescan` | the checkout before git reads it: nested repositories, pipes, large files |
//! | `stage` | the checkout into an index |
//! | `listed` | paths that a task lists, harvested even if ignored |
//! | `setup_files` | files that set-up commands created |
//! | `refusal` | changes that git itself refuses |
//! | `size_cap` | what to keep if there is too much |
//! | `collect` | index, tree, changes, commits |
//! | `steps` | the worker's own commits as steps |
//! | `worker_head` | the HEAD of the worker's `.git`, read without git |
//! | `snapshot` | committing while the worker is alive |
//! | `tamper` | dangerous changes to the worker's `.git` |
//! | `paths` | paths that could lead out of the tree |

pub(crate) mod acceptance;
pub(crate) mod collect;
pub(crate) mod listed;
pub(crate) mod paths;
pub(crate) mod prescan;
pub(crate) mod refusal;
pub(crate) mod setup_files;
pub(crate) mod size_cap;
pub(crate) mod snapshot;
pub(crate) mod stage;
pub(crate) mod steps;
pub(crate) mod tamper;
pub(crate) mod worker_head;

use std::path::PathBuf;

use afresh_core::commit::CommitLabel;
use afresh_core::harvest::ChangeKind;
use afresh_core::ids::{CommitId, TreeId};
use afresh_core::plan::AcceptanceFile;

use crate::git::identity::CommitSignature;
use crate::harvest::collect::{CollectedWork, CommitChain, WorkCollector, WorkerPresence};
use crate::objects::diff::change::{RawTreeChange, TreeChange};
use crate::objects::path_text::render_path;
use crate::refs::RefError;
use crate::workspace::lease::LeaseHolder;
use crate::workspace::pool::{PoolError, WorkspaceId, WorkspacePool};

/// What to harvest and how to sign it; the same request on the same tree gives the same commits.
#[derive(Debug, Clone, Copy)]
pub struct HarvestRequest<'a> {
    /// What the changes are measured against: where the task started.
    pub base: &'a CommitId,
    /// What the workspace was prepared as: the base, or the last finished step of an earlier
    /// attempt.
    pub prepared: &'a CommitId,
    /// What our new commits are built on: the base, or the last finished step. If it is the
    /// prepared commit, the worker's own commits mark steps.
    pub onto: &'a CommitId,
    /// Paths, directories or globs that are harvested even where they are ignored.
    pub files: &'a [String],
    /// Files that are in the tree as they are here, whatever the worker did to them.
    pub acceptance: &'a [AcceptanceFile],
    /// The patterns that the workspace was prepared with; never harvested.
    pub keep: &'a [String],
    /// The message of the last commit.
    pub message: &'a str,
    /// Type and scope of each step's subject, where the subject has none.
    pub label: Option<&'a CommitLabel>,
    /// The body of each step's message.
    pub step_body: &'a str,
    /// The names of the steps in the plan; used if the worker made exactly that many commits.
    pub step_names: &'a [String],
    pub signature: &'a CommitSignature,
    /// The full name of the ref that keeps the work, under `refs/afresh/salvage/`.
    pub salvage: &'a str,
    pub limits: HarvestLimits,
}

/// Limits above which a harvest is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HarvestLimits {
    pub max_paths: usize,
    pub max_file_bytes: u64,
    /// Of all files that are new or changed, together.
    pub max_total_bytes: u64,
}

impl Default for HarvestLimits {
    fn default() -> Self {
        Self { max_paths: 20_000, max_file_bytes: 100 << 20, max_total_bytes: 1 << 30 }
    }
}

/// What a worker left, measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceHarvest {
    pub tree: TreeId,
    /// A commit with this tree, saved under the salvage ref: the last of `steps`, or the commit
    /// that they would have been built on. `None` if nothing differs from the base.
    pub commit: Option<CommitId>,
    /// Against the base, in git's order.
    pub changes: Vec<TreeChange>,
    /// The commits that were made, oldest first.
    pub steps: Vec<CommitId>,
    /// Remarks for the reader of the report.
    pub notes: Vec<String>,
}

/// Why work is rejected; what could be saved is saved under the salvage ref.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HarvestRejection {
    #[error("{count} paths changed; at most {limit} are allowed")]
    TooManyPaths { count: usize, limit: usize },
    #[error("{path} has {bytes} bytes; at most {limit} are allowed; it was not saved")]
    FileTooLarge { path: String, bytes: u64, limit: u64 },
    #[error("{bytes} bytes are new; at most {limit} are saved; the largest files were not saved")]
    TooManyBytes { bytes: u64, limit: u64 },
    #[error("the name of {path} is not UTF-8")]
    NotUtf8 { path: String },
    #[error(
        "git refuses {path} ({reason}), and so would a host that checks what is pushed; it is saved under another name"
    )]
    RefusedByGit { path: String, reason: String },
    #[error("git could not read all of the work, and the rest was not saved: {complaint}")]
    Unreadable { complaint: String },
    #[error("git would wait for {path}, which is a pipe, a socket or a device")]
    Endless { path: String },
}

impl HarvestRejection {
    /// A name that git takes for `.git` or `.gitmodules` on some file system.
    fn refused_name(path: &[u8]) -> Self {
        let reason = "no index takes this name".to_owned();
        Self::RefusedByGit { path: render_path(path), reason }
    }

    /// Whether some of the work exists only in its workspace.
    fn leaves_work_unsaved(&self) -> bool {
        matches!(
            self,
            Self::FileTooLarge { .. } | Self::TooManyBytes { .. } | Self::Unreadable { .. }
        )
    }
}

/// Why a harvest failed.
#[derive(Debug, thiserror::Error)]
pub enum HarvestError {
    #[error("cannot read the work in {id}: it was prepared as {found}, not as {wanted}")]
    NotPrepared { id: WorkspaceId, wanted: CommitId, found: String },
    #[error("cannot read the work in {id}: it holds the work of {owner}")]
    Foreign { id: WorkspaceId, owner: String },
    #[error("cannot read the work in {id}: its checkout {} is gone", tree.display())]
    Gone { id: WorkspaceId, tree: PathBuf },
    #[error("cannot use the work in {id}: {rejection}")]
    Rejected { id: WorkspaceId, rejection: HarvestRejection, salvaged: Option<CommitId> },
    #[error("cannot read the work in {id}")]
    Pool { id: WorkspaceId, source: PoolError },
    #[error("cannot save the work in {id}")]
    Ref { id: WorkspaceId, source: RefError },
}

impl HarvestError {
    /// Full disk or exhausted quota: the run can pause and continue later.
    pub fn is_out_of_space(&self) -> bool {
        match self {
            Self::Pool { source, .. } => source.is_out_of_space(),
            Self::Ref { source: RefError::Git(error), .. } => error.is_out_of_space(),
            _ => false,
        }
    }
}

impl WorkspacePool {
    /// Harvests a workspace that was prepared with `PrepareTarget::Commit(request.prepared)`, and
    /// that is leased to `request.salvage` or was never leased.
    ///
    /// No process of the worker may be alive. The work is durable under the salvage ref when this
    /// returns, also when it is rejected. Repeating the call gives the same commits. A salvage ref
    /// that holds other work is left alone: `-2`, `-3` … is added to the name, and a note says so.
    pub fn harvest(
        &self,
        id: WorkspaceId,
        request: &HarvestRequest<'_>,
    ) -> Result<WorkspaceHarvest, HarvestError> {
        let _guard = self.locks.lock_preempting(id);
        let harvest = match self.lease_record(id).holder() {
            LeaseHolder::Never => self.harvest_locked(id, request),
            LeaseHolder::Attempt(owner) if owner == request.salvage => {
                self.harvest_locked(id, request)
            }
            other => return Err(HarvestError::Foreign { id, owner: other.describe() }),
        };
        if matches!(harvest, Err(HarvestError::Rejected { .. })) {
            // The error tells the caller what was not saved.
            let marked = self.lease_record(id).mark_saved();
            marked.map_err(|error| HarvestError::Pool { id, source: error.into() })?;
        }
        harvest
    }

    /// The same for any holder of the lease; the caller has locked the workspace.
    pub(crate) fn harvest_locked(
        &self,
        id: WorkspaceId,
        request: &HarvestRequest<'_>,
    ) -> Result<WorkspaceHarvest, HarvestError> {
        self.check_workspace(id, request)?;
        let workspace = self.workspace_dir(id);
        let collector = WorkCollector::new(self, &workspace, request, WorkerPresence::Gone);
        let failed = |source| HarvestError::Pool { id, source };
        let scan = collector.scan().map_err(|e| failed(e.into()))?;
        // A worker that deletes every file still leaves the `.git` that we gave it.
        if scan.is_empty {
            return Err(HarvestError::Gone { id, tree: workspace.tree() });
        }
        let (mut work, chain) = collector.collect_and_publish(&scan).map_err(failed)?;
        self.save_to_salvage_ref(id, request, &mut work, &chain)?;
        // A file that is too large exists only in the workspace.
        let is_whole = !work.rejection.as_ref().is_some_and(HarvestRejection::leaves_work_unsaved);
        if is_whole {
            self.lease_record(id).mark_saved().map_err(|e| failed(e.into()))?;
        }
        collector.remove_scratch_files().map_err(|e| failed(e.into()))?;
        work.into_harvest(id, chain)
    }

    /// The workspace must be prepared as expected, and have a checkout.
    pub(crate) fn check_workspace(
        &self,
        id: WorkspaceId,
        request: &HarvestRequest<'_>,
    ) -> Result<(), HarvestError> {
        let workspace = self.workspace_dir(id);
        let gone = || HarvestError::Gone { id, tree: workspace.tree() };
        let found = workspace.prepared().ok_or_else(gone)?;
        if found != request.prepared.as_str() {
            let wanted = request.prepared.clone();
            return Err(HarvestError::NotPrepared { id, wanted, found });
        }
        // Through a symlink we would change files elsewhere.
        for directory in [&workspace.path, &workspace.tree()] {
            if !directory.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                return Err(gone());
            }
        }
        Ok(())
    }

    /// Saves the work under its salvage ref, before anything depends on it.
    pub(crate) fn save_to_salvage_ref(
        &self,
        id: WorkspaceId,
        request: &HarvestRequest<'_>,
        work: &mut CollectedWork,
        chain: &CommitChain,
    ) -> Result<(), HarvestError> {
        let Some(commit) = &chain.top else { return Ok(()) };
        let name = self
            .repository
            .create_salvage_ref(request.salvage, commit, &work.tree)
            .map_err(|source| HarvestError::Ref { id, source })?;
        if name != request.salvage {
            let other = request.salvage;
            work.notes.push(format!("saved under {name}, because {other} holds other work"));
        }
        Ok(())
    }
}

impl CollectedWork {
    pub(crate) fn into_harvest(
        self,
        id: WorkspaceId,
        chain: CommitChain,
    ) -> Result<WorkspaceHarvest, HarvestError> {
        let refused =
            |rejection| HarvestError::Rejected { id, rejection, salvaged: chain.top.clone() };
        if let Some(rejection) = self.rejection {
            return Err(refused(rejection));
        }
        let new_name = |one: &&RawTreeChange| one.kind == ChangeKind::Created && !one.is_utf8();
        if let Some(one) = self.raw.iter().find(new_name) {
            let path = render_path(&one.path);
            return Err(refused(HarvestRejection::NotUtf8 { path }));
        }
        let targets = self.targets;
        let changes = self.raw.into_iter().map(|one| one.into_change(&targets)).collect();
        let CommitChain { top: commit, new: steps } = chain;
        Ok(WorkspaceHarvest { tree: self.tree, commit, changes, steps, notes: self.notes })
    }
}
