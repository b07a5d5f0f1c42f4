//! Retires a workspace: saves its contents, then removes it (R16).
//!
//! This is stricter than preparing a workspace for the next attempt: what cannot be saved
//! completely stays. After a kill the workspace can be retired again: the ref is durable before the
//! record says "saved", and only then is anything removed.

use std::fs;

use afresh_core::ids::CommitId;

use crate::git::error::{FileContext, FileError};
use crate::harvest::{HarvestError, HarvestRejection};
use crate::refs::RefError;
use crate::workspace::pool::{PoolError, WorkspaceId, WorkspacePool};

/// What became of the work in a workspace that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetireOutcome {
    /// It had been saved before, or there was none.
    Empty,
    /// It is saved under this ref now.
    Saved { name: String, commit: CommitId },
}

/// Why a workspace was not removed.
#[derive(Debug, thiserror::Error)]
pub enum RetireError {
    #[error("the contents of {id} cannot be saved")]
    Unsaved { id: WorkspaceId, source: Box<HarvestError> },
    #[error("{0} holds work whose base is unknown")]
    UnknownBase(WorkspaceId),
    #[error("cannot find where the work of {id} was saved")]
    Ref { id: WorkspaceId, source: RefError },
    #[error("cannot remove {id}")]
    Pool { id: WorkspaceId, source: PoolError },
}

impl WorkspacePool {
    /// The existing workspaces, in order.
    pub fn list_workspaces(&self) -> Result<Vec<WorkspaceId>, FileError> {
        let directory = self.directory();
        let mut places = Vec::new();
        for entry in fs::read_dir(directory).context("list", directory)? {
            let entry = entry.context("list", directory)?;
            places.extend(entry.file_name().to_str().and_then(WorkspaceId::parse));
        }
        places.sort();
        Ok(places)
    }

    /// Saves a workspace's contents and removes it, kept paths too. No process may be using it.
    pub fn retire(&self, id: WorkspaceId, keep: &[String]) -> Result<RetireOutcome, RetireError> {
        let _guard = self.locks.lock_preempting(id);
        let failed = |error: FileError| RetireError::Pool { id, source: error.into() };
        let retired = self.save_whole(id, keep)?;
        self.workspace_dir(id).discard().map_err(failed)?;
        self.lease_record(id).delete().map_err(failed)?;
        Ok(retired)
    }

    fn save_whole(&self, id: WorkspaceId, keep: &[String]) -> Result<RetireOutcome, RetireError> {
        let record = self.lease_record(id);
        let Some(files) = record.unsaved_files() else { return Ok(RetireOutcome::Empty) };
        let wanted = self.holder_salvage_ref(id);
        let commit = match self.harvest_for_holder(id, &files, keep) {
            Ok(harvest) => harvest.commit,
            // Measured and saved like any other work; it only cannot land.
            Err(HarvestError::Rejected {
                rejection:
                    HarvestRejection::TooManyPaths { .. }
                    | HarvestRejection::NotUtf8 { .. }
                    | HarvestRejection::RefusedByGit { .. },
                salvaged,
                ..
            }) => salvaged,
            Err(HarvestError::Gone { .. }) if self.has_no_files(id) => None,
            Err(HarvestError::Gone { .. }) => return Err(RetireError::UnknownBase(id)),
            Err(source) => return Err(RetireError::Unsaved { id, source: Box::new(source) }),
        };
        let Some(commit) = commit else { return Ok(RetireOutcome::Empty) };
        let name = self.find_salvage_name(&wanted, &commit);
        let name = name.map_err(|source| RetireError::Ref { id, source })?;
        Ok(RetireOutcome::Saved { name, commit })
    }

    /// The name has a number at its end if the ref held other work.
    fn find_salvage_name(&self, wanted: &str, commit: &CommitId) -> Result<String, RefError> {
        let run = wanted.rsplit_once('/').map_or(wanted, |(run, _)| run);
        let refs = self.repository.list_refs(&format!("{run}/"))?;
        let mut names = refs.into_iter().filter(|(_, kept)| kept == commit).map(|(name, _)| name);
        Ok(names.find(|name| name.starts_with(wanted)).unwrap_or_else(|| wanted.to_owned()))
    }

    /// Whether the checkout is missing, a link or empty: then there is nothing to save.
    fn has_no_files(&self, id: WorkspaceId) -> bool {
        let workspace = self.workspace_dir(id);
        let is_directory =
            |path: &std::path::Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !is_directory(&workspace.path) || !is_directory(&workspace.tree()) {
            return true;
        }
        fs::read_dir(workspace.tree()).is_ok_and(|mut entries| entries.next().is_none())
    }
}
