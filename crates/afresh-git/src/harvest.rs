//! Turning what a worker left in its slot into a tree and commits of ours.
//!
//! The worker's `.git` is never used by a git of ours; its answer is never asked. Whether the
//! changes may be accepted is the caller's to judge: here they are measured and put in safety.

use std::path::PathBuf;

use afresh_core::ids::{CommitId, TreeId};

use crate::change::Change;
use crate::gather::{Gathered, Harvester};
use crate::identity::Signature;
use crate::owner::Owner;
use crate::pool::{Place, Pool, PoolError};
use crate::refs::RefError;

/// What to harvest and how to sign it; the same request on the same tree gives the same commits.
#[derive(Debug, Clone, Copy)]
pub struct HarvestRequest<'a> {
    /// What the slot was prepared as.
    pub base: &'a CommitId,
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
}

impl Default for HarvestLimits {
    fn default() -> Self {
        Self { max_paths: 20_000, max_file_bytes: 100 * 1024 * 1024 }
    }
}

/// What a worker left, measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harvest {
    pub tree: TreeId,
    /// The top of our commits, kept under the salvage ref; `None` if nothing changed.
    pub commit: Option<CommitId>,
    /// In git's order.
    pub changes: Vec<Change>,
    /// Our commits above the base, oldest first; the last one is `commit`.
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
    #[error("the name of {path} is not UTF-8")]
    NotUtf8 { path: String },
}

/// Why there is no harvest.
#[derive(Debug, thiserror::Error)]
pub enum HarvestError {
    #[error("cannot harvest {place}: it is not prepared as {base}, but as {found}")]
    NotPrepared { place: Place, base: CommitId, found: String },
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
    /// Harvests a slot that was prepared with `Target::Commit(request.base)`, and that was entrusted
    /// to `request.salvage` or never to anybody.
    ///
    /// No process of the worker may be alive. The work is durable under the salvage ref when this
    /// returns, also when it is refused. Repeating the call gives the same commits. A salvage ref
    /// that holds other work is left alone: `-2`, `-3` … is added to the name, and a note says so.
    pub fn harvest(
        &self,
        place: Place,
        request: &HarvestRequest<'_>,
    ) -> Result<Harvest, HarvestError> {
        let owner = match self.ownership(place).owner() {
            Owner::Never => return self.take_in(place, request),
            Owner::Attempt(owner) if owner == request.salvage => {
                return self.take_in(place, request);
            }
            Owner::Attempt(owner) => owner,
            Owner::Nobody => "nobody".to_owned(),
            Owner::Unknown => "somebody unknown".to_owned(),
        };
        Err(HarvestError::Foreign { place, owner })
    }

    /// The same, whoever the slot belongs to.
    pub(crate) fn take_in(
        &self,
        place: Place,
        request: &HarvestRequest<'_>,
    ) -> Result<Harvest, HarvestError> {
        let workspace = self.workspace(place);
        let base = request.base;
        let gone = || HarvestError::Gone { place, tree: workspace.tree() };
        let found = workspace.prepared().ok_or_else(gone)?;
        if found != base.as_str() {
            return Err(HarvestError::NotPrepared { place, base: base.clone(), found });
        }
        if !workspace.tree().symlink_metadata().is_ok_and(|tree| tree.is_dir()) {
            return Err(gone());
        }
        let harvester = Harvester::new(self, &workspace, request);
        let failed = |source| HarvestError::Pool { place, source };
        let survey = harvester.survey().map_err(|e| failed(e.into()))?;
        // A worker that deletes every file still leaves the `.git` that we gave it.
        if survey.is_empty {
            return Err(gone());
        }
        let mut gathered = harvester.gather(survey).map_err(failed)?;
        self.keep_safe(place, request, &mut gathered)?;
        self.ownership(place).mark_saved().map_err(|e| failed(e.into()))?;
        harvester.forget_scratch().map_err(|e| failed(e.into()))?;
        gathered.into_harvest(place)
    }

    /// Puts the work under its salvage ref, before anything rests on it.
    fn keep_safe(
        &self,
        place: Place,
        request: &HarvestRequest<'_>,
        gathered: &mut Gathered,
    ) -> Result<(), HarvestError> {
        let Some(commit) = gathered.commits.last() else { return Ok(()) };
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
    pub(crate) fn into_harvest(self, place: Place) -> Result<Harvest, HarvestError> {
        let salvaged = self.commits.last().cloned();
        let refused =
            |refusal| HarvestError::Refused { place, refusal, salvaged: salvaged.clone() };
        if let Some(refusal) = self.refusal {
            return Err(refused(refusal));
        }
        let changes: Result<Vec<Change>, Vec<u8>> =
            self.raw.into_iter().map(|one| one.into_change(&self.targets)).collect();
        let changes = changes
            .map_err(|path| refused(Refusal::NotUtf8 { path: path.escape_ascii().to_string() }))?;
        let (commit, steps) = (self.commits.last().cloned(), self.commits);
        Ok(Harvest { tree: self.tree, commit, changes, steps, notes: self.notes })
    }
}
