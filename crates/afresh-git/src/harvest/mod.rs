//! Turning what a worker left in its slot into a tree and commits of ours.
//!
//! The worker's `.git` is never used by a git of ours; its answer is never asked. Whether the
//! changes may be accepted is the caller's to judge: here they are measured and put in safety.

pub(crate) mod collect;
pub(crate) mod listed;
pub(crate) mod paths;
pub(crate) mod prescan;
pub(crate) mod size_cap;
pub(crate) mod snapshot;
pub(crate) mod stage;
pub(crate) mod steps;
pub(crate) mod tamper;
pub(crate) mod worker_head;

use std::path::PathBuf;

use afresh_core::ids::{CommitId, TreeId};

use crate::git::identity::Signature;
use crate::harvest::collect::{Chain, Gathered, Harvester, Worker};
use crate::objects::change::TreeChange;
use crate::refs::RefError;
use crate::workspace::lease::Owner;
use crate::workspace::pool::{Place, Pool, PoolError};

/// What to harvest and how to sign it; the same request on the same tree gives the same commits.
#[derive(Debug, Clone, Copy)]
pub struct HarvestRequest<'a> {
    /// What the changes are measured against: where the task started.
    pub base: &'a CommitId,
    /// What the slot was prepared as: the base, or the last finished step of an earlier attempt.
    pub prepared: &'a CommitId,
    /// What our new commits are put on: the base, or the last finished step. Where it is what was
    /// prepared, the worker's own commits mark steps.
    pub onto: &'a CommitId,
    /// Paths, directories or globs that are harvested even where they are ignored.
    pub files: &'a [String],
    /// The patterns that the slot was prepared with; never harvested.
    pub keep: &'a [String],
    /// Of the commit on top.
    pub message: &'a str,
    /// Put before the subject of each step, such as `feat(T007): `.
    pub step_prefix: &'a str,
    /// What the plan calls the steps; used where the worker made exactly that many commits.
    pub step_names: &'a [String],
    pub signature: &'a Signature,
    /// The full name of the ref that keeps the work, under `refs/afresh/salvage/`.
    pub salvage: &'a str,
    pub limits: HarvestLimits,
}

/// Where a harvest is refused instead of being made.
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
    /// A commit with this tree, kept under the salvage ref: the last of `steps`, or what they would
    /// have been put on. `None` if nothing differs from the base.
    pub commit: Option<CommitId>,
    /// Against the base, in git's order.
    pub changes: Vec<TreeChange>,
    /// The commits that were made, oldest first.
    pub steps: Vec<CommitId>,
    /// What a reader of the report should know.
    pub notes: Vec<String>,
}

/// Why work is not taken, although what could be is kept under the salvage ref.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{count} paths changed, and at most {limit} are allowed")]
    TooManyPaths { count: usize, limit: usize },
    #[error("{path} has {bytes} bytes, and at most {limit} are allowed; it was not kept")]
    FileTooLarge { path: String, bytes: u64, limit: u64 },
    #[error("{bytes} bytes are new, and at most {limit} are kept; the largest files were not")]
    TooMuch { bytes: u64, limit: u64 },
    #[error("the name of {path} is not UTF-8")]
    NotUtf8 { path: String },
    #[error("git would wait for {path}, which is a pipe, a socket or a device")]
    Endless { path: String },
}

impl Refusal {
    /// Is some of the work in its workspace and nowhere else?
    fn leaves_behind(&self) -> bool {
        matches!(self, Self::FileTooLarge { .. } | Self::TooMuch { .. })
    }
}

/// Why there is no harvest.
#[derive(Debug, thiserror::Error)]
pub enum HarvestError {
    #[error("cannot harvest {place}: it is not prepared as {wanted}, but as {found}")]
    NotPrepared { place: Place, wanted: CommitId, found: String },
    #[error("cannot harvest {place}: it holds the work of {owner}")]
    Foreign { place: Place, owner: String },
    #[error("cannot harvest {place}: its checkout {} is gone", tree.display())]
    Gone { place: Place, tree: PathBuf },
    #[error("cannot harvest {place}: {refusal}")]
    Refused { place: Place, refusal: Refusal, salvaged: Option<CommitId> },
    #[error("cannot harvest {place}")]
    Pool { place: Place, source: PoolError },
    #[error("cannot keep the harvest of {place}")]
    Ref { place: Place, source: RefError },
}

impl HarvestError {
    /// Full disk or exhausted quota: the run can pause and go on later.
    pub fn is_out_of_space(&self) -> bool {
        match self {
            Self::Pool { source, .. } => source.is_out_of_space(),
            Self::Ref { source: RefError::Git(error), .. } => error.is_out_of_space(),
            _ => false,
        }
    }
}

impl Pool {
    /// Harvests a slot that was prepared with `Target::Commit(request.prepared)`, and that was entrusted
    /// to `request.salvage` or never to anybody.
    ///
    /// No process of the worker may be alive. The work is durable under the salvage ref when this
    /// returns, also when it is refused. Repeating the call gives the same commits. A salvage ref
    /// that holds other work is left alone: `-2`, `-3` … is added to the name, and a note says so.
    pub fn harvest(
        &self,
        place: Place,
        request: &HarvestRequest<'_>,
    ) -> Result<WorkspaceHarvest, HarvestError> {
        let _turn = self.turns.insist_on(place);
        let harvest = match self.ownership(place).owner() {
            Owner::Never => self.take_in(place, request),
            Owner::Attempt(owner) if owner == request.salvage => self.take_in(place, request),
            other => return Err(HarvestError::Foreign { place, owner: other.describe() }),
        };
        if matches!(harvest, Err(HarvestError::Refused { .. })) {
            // Whoever asked is told what was left behind.
            let marked = self.ownership(place).mark_saved();
            marked.map_err(|error| HarvestError::Pool { place, source: error.into() })?;
        }
        harvest
    }

    /// The same, whoever the slot belongs to; the caller has the turn.
    pub(crate) fn take_in(
        &self,
        place: Place,
        request: &HarvestRequest<'_>,
    ) -> Result<WorkspaceHarvest, HarvestError> {
        self.check_slot(place, request)?;
        let workspace = self.workspace(place);
        let harvester = Harvester::new(self, &workspace, request, Worker::Gone);
        let failed = |source| HarvestError::Pool { place, source };
        let survey = harvester.survey().map_err(|e| failed(e.into()))?;
        // A worker that deletes every file still leaves the `.git` that we gave it.
        if survey.is_empty {
            return Err(HarvestError::Gone { place, tree: workspace.tree() });
        }
        let mut gathered = harvester.gather(survey).map_err(failed)?;
        let chain = harvester.commit(&mut gathered).map_err(failed)?;
        self.keep_safe(place, request, &mut gathered, &chain)?;
        // What is too large is nowhere but here.
        let is_whole = !gathered.refusal.as_ref().is_some_and(Refusal::leaves_behind);
        if is_whole {
            self.ownership(place).mark_saved().map_err(|e| failed(e.into()))?;
        }
        harvester.forget_scratch().map_err(|e| failed(e.into()))?;
        gathered.into_harvest(place, chain)
    }

    /// The slot must be what it was prepared as, with a checkout in it.
    pub(crate) fn check_slot(
        &self,
        place: Place,
        request: &HarvestRequest<'_>,
    ) -> Result<(), HarvestError> {
        let workspace = self.workspace(place);
        let gone = || HarvestError::Gone { place, tree: workspace.tree() };
        let found = workspace.prepared().ok_or_else(gone)?;
        if found != request.prepared.as_str() {
            let wanted = request.prepared.clone();
            return Err(HarvestError::NotPrepared { place, wanted, found });
        }
        // Through a link we would put somebody else's files right.
        for directory in [&workspace.slot, &workspace.tree()] {
            if !directory.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                return Err(gone());
            }
        }
        Ok(())
    }

    /// Puts the work under its salvage ref, before anything rests on it.
    pub(crate) fn keep_safe(
        &self,
        place: Place,
        request: &HarvestRequest<'_>,
        gathered: &mut Gathered,
        chain: &Chain,
    ) -> Result<(), HarvestError> {
        let Some(commit) = &chain.top else { return Ok(()) };
        let name = self
            .repository
            .keep(request.salvage, commit, &gathered.tree)
            .map_err(|source| HarvestError::Ref { place, source })?;
        if name != request.salvage {
            let other = request.salvage;
            gathered.notes.push(format!("kept under {name}, because {other} holds other work"));
        }
        Ok(())
    }
}

impl Gathered {
    pub(crate) fn into_harvest(
        self,
        place: Place,
        chain: Chain,
    ) -> Result<WorkspaceHarvest, HarvestError> {
        let refused =
            |refusal| HarvestError::Refused { place, refusal, salvaged: chain.top.clone() };
        if let Some(refusal) = self.refusal {
            return Err(refused(refusal));
        }
        let changes: Result<Vec<TreeChange>, Vec<u8>> =
            self.raw.into_iter().map(|one| one.into_change(&self.targets)).collect();
        let changes = changes
            .map_err(|path| refused(Refusal::NotUtf8 { path: path.escape_ascii().to_string() }))?;
        let Chain { top: commit, new: steps } = chain;
        Ok(WorkspaceHarvest { tree: self.tree, commit, changes, steps, notes: self.notes })
    }
}
