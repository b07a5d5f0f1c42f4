//! Commits what a worker has so far, while it continues.
//!
//! Its checkout is only read. A file that changes meanwhile may be in the commit or not; checks
//! decide whether the commit is good.

use afresh_core::ids::CommitId;
use afresh_core::plan::AcceptanceFile;

use crate::git::identity::CommitSignature;
use crate::harvest::collect::{CollectedWork, CommitChain, WorkCollector, WorkerPresence};
use crate::harvest::prescan::display_path;
use crate::harvest::{
    HarvestError, HarvestLimits, HarvestRejection, HarvestRequest, WorkspaceHarvest,
};
use crate::workspace::lease::LeaseHolder;
use crate::workspace::pool::{PoolError, WorkspaceId, WorkspacePool};

/// How often a checkout that keeps changing is read.
const ROUNDS: u32 = 3;

/// What to take a snapshot of; the fields mean the same as in [`HarvestRequest`].
#[derive(Debug, Clone, Copy)]
pub struct SnapshotRequest<'a> {
    pub base: &'a CommitId,
    pub prepared: &'a CommitId,
    pub onto: &'a CommitId,
    pub files: &'a [String],
    pub acceptance: &'a [AcceptanceFile],
    pub keep: &'a [String],
    /// The message of the commit.
    pub message: &'a str,
    pub signature: &'a CommitSignature,
    /// The salvage ref that the workspace is leased to.
    pub owner: &'a str,
    /// The ref that keeps the commit, such as a [`step_ref`](crate::ref_names::step_ref).
    pub keep_as: &'a str,
    pub limits: HarvestLimits,
    /// A command line to start git with. The worker can replace a directory by a symlink at any
    /// moment, and git would follow it. So git should see no more than the worker does.
    pub through: &'a [String],
}

impl WorkspacePool {
    /// Commits the contents of a workspace while its worker is alive.
    ///
    /// Nothing in the checkout is changed. Nested repositories and whatever else git cannot read as
    /// it is are left out, and a note says so. The contents still count as unsaved. The commit is
    /// durable under `keep_as` when this returns. A harvest or a preparation of the workspace waits
    /// for a snapshot, but preempts one that takes long.
    pub fn snapshot(
        &self,
        id: WorkspaceId,
        request: &SnapshotRequest<'_>,
    ) -> Result<WorkspaceHarvest, HarvestError> {
        let guard = self.locks.lock_workspace(id);
        match self.lease_record(id).holder() {
            LeaseHolder::Attempt(owner) if owner == request.owner => {}
            other => return Err(HarvestError::Foreign { id, owner: other.describe() }),
        }
        let whole = request.as_harvest();
        self.check_workspace(id, &whole)?;
        let workspace = self.workspace_dir(id);
        let worker =
            WorkerPresence::Alive { preempt_flag: guard.preempt_flag(), through: request.through };
        let collector = WorkCollector::new(self, &workspace, &whole, worker);
        let failed = |source| HarvestError::Pool { id, source };
        let (mut work, chain) = collect_with_retries(id, &collector)?;
        self.save_to_salvage_ref(id, &whole, &mut work, &chain)?;
        collector.remove_scratch_files().map_err(|e| failed(e.into()))?;
        work.into_harvest(id, chain)
    }
}

/// Tries again if something changed meanwhile.
fn collect_with_retries(
    id: WorkspaceId,
    collector: &WorkCollector<'_>,
) -> Result<(CollectedWork, CommitChain), HarvestError> {
    let mut round = 1;
    loop {
        let is_last = round == ROUNDS;
        match collect_once(id, collector) {
            Ok(found) if found.0.is_settled || is_last => return Ok(found),
            Err(error) if is_last || !is_transient(&error) => return Err(error),
            _ => round += 1,
        }
    }
}

fn collect_once(
    id: WorkspaceId,
    collector: &WorkCollector<'_>,
) -> Result<(CollectedWork, CommitChain), HarvestError> {
    let failed = |source| HarvestError::Pool { id, source };
    let scan = collector.scan().map_err(|e| failed(e.into()))?;
    if scan.is_empty {
        return Err(HarvestError::Gone { id, tree: collector.workspace.tree() });
    }
    if let Some(path) = &scan.endless {
        let rejection = HarvestRejection::Endless { path: display_path(path) };
        return Err(HarvestError::Rejected { id, rejection, salvaged: None });
    }
    collector.collect_and_publish(&scan).map_err(failed)
}

/// Git fails on a file that disappears while it is read; the next try finds it missing.
fn is_transient(error: &HarvestError) -> bool {
    use crate::git::command::CommandError::Failed;
    !error.is_out_of_space()
        && matches!(error, HarvestError::Pool { source: PoolError::Git(Failed { .. }), .. })
}

impl<'a> SnapshotRequest<'a> {
    fn as_harvest(&self) -> HarvestRequest<'a> {
        let Self {
            base, prepared, onto, files, acceptance, keep, message, signature, limits, ..
        } = *self;
        HarvestRequest {
            base,
            prepared,
            onto,
            files,
            acceptance,
            keep,
            message,
            label: None,
            step_body: "",
            step_names: &[],
            signature,
            salvage: self.keep_as,
            limits,
        }
    }
}
