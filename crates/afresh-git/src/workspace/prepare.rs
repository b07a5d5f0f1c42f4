//! Makes a workspace equal to a commit, whatever the last attempt did to it.

use afresh_core::ids::{CommitId, TreeId};

use crate::git::command::CommandError;
use crate::git::error::FileError;
use crate::harvest::HarvestError;
use crate::objects::index::IndexFile;
use crate::workspace::clone;
use crate::workspace::keep::KeepPatterns;
use crate::workspace::pool::{PoolError, WorkspaceId, WorkspacePool};
use crate::workspace::remove::remove_file;
use crate::workspace::reset::reset_files;
use crate::workspace::slot::WorkspaceDir;

/// What a workspace is prepared as.
#[derive(Debug, Clone, Copy)]
pub enum PrepareTarget<'a> {
    Commit(&'a CommitId),
    /// A tree that may belong to no commit yet; `head` is what git in the workspace compares it
    /// with.
    Tree {
        tree: &'a TreeId,
        head: &'a CommitId,
    },
}

impl PrepareTarget<'_> {
    fn id(&self) -> &str {
        match self {
            Self::Commit(commit) => commit.as_str(),
            Self::Tree { tree, .. } => tree.as_str(),
        }
    }

    fn head(&self) -> &CommitId {
        match self {
            Self::Commit(head) | Self::Tree { head, .. } => head,
        }
    }
}

/// Why a workspace could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    #[error("cannot prepare {id}: the repository has no object {object}")]
    MissingObject { id: WorkspaceId, object: String },
    #[error("cannot prepare {id}: what an earlier attempt left in it cannot be saved")]
    Unsaved { id: WorkspaceId, source: Box<HarvestError> },
    #[error("cannot prepare {id}")]
    Pool { id: WorkspaceId, source: PoolError },
}

impl WorkspacePool {
    /// Makes the workspace's checkout equal to `target`, except for ignored paths that match
    /// `keep`.
    ///
    /// `keep` holds patterns such as `target/` or `/web/node_modules/`. A workspace that is missing
    /// or damaged is made again. Unsaved work of an earlier attempt is saved first. Nothing outside
    /// the workspace is changed. No process may be using the workspace.
    pub fn prepare(
        &self,
        id: WorkspaceId,
        target: PrepareTarget<'_>,
        keep: &[String],
    ) -> Result<(), PrepareError> {
        let _guard = self.locks.lock_preempting(id);
        self.save_unsaved_work(id, keep)
            .map_err(|source| PrepareError::Unsaved { id, source: Box::new(source) })?;
        let workspace = self.workspace_dir(id);
        let keep = KeepPatterns::new(keep);
        let failed = |source| PrepareError::Pool { id, source };
        self.lease_record(id).free().map_err(|e| failed(e.into()))?;
        let Err(error) = self.refresh(&workspace, target, &keep) else { return Ok(()) };
        // A full disk or a wrong id is no reason to delete warm caches.
        if error.is_out_of_space() {
            return Err(failed(error));
        }
        for object in [target.id(), target.head().as_str()] {
            let found = self.repository.object_kind(object).map_err(|e| failed(e.into()))?;
            if found.is_none() {
                return Err(PrepareError::MissingObject { id, object: object.to_owned() });
            }
        }
        workspace.discard().map_err(|e| failed(e.into()))?;
        self.refresh(&workspace, target, &keep).map_err(failed)
    }

    fn refresh(
        &self,
        workspace: &WorkspaceDir,
        target: PrepareTarget<'_>,
        keep: &KeepPatterns,
    ) -> Result<(), PoolError> {
        workspace.remove_unknown_files()?;
        self.remove_leftover_files(workspace, keep)?;
        self.check_out(workspace, target)?;
        clone::build(workspace, &self.repository, target.head(), &self.identity)?;
        workspace.mark_prepared(target.id())?;
        Ok(())
    }

    /// Runs before the checkout: git trusts the stat data of files behind a planted symlink.
    fn remove_leftover_files(
        &self,
        workspace: &WorkspaceDir,
        keep: &KeepPatterns,
    ) -> Result<(), FileError> {
        let tracked = IndexFile::load(&workspace.index(), self.repository.format);
        if tracked.is_none() {
            // Without a valid index all files count as untracked, and git starts from none as well.
            remove_file(&workspace.index())?;
        }
        reset_files(workspace, &tracked.unwrap_or_default(), keep)
    }

    fn check_out(
        &self,
        workspace: &WorkspaceDir,
        target: PrepareTarget<'_>,
    ) -> Result<(), PoolError> {
        let index = workspace.index();
        let call = self.tree_git(format!("check out {}", target.id()), workspace, &index)?;
        call.args(["read-tree", "--reset", "-u", target.id()]).run_checked()?;
        Ok(())
    }
}

impl PrepareError {
    /// Full disk or exhausted quota: the run can pause and continue later.
    pub fn is_out_of_space(&self) -> bool {
        match self {
            Self::Pool { source, .. } => source.is_out_of_space(),
            Self::Unsaved { source, .. } => source.is_out_of_space(),
            Self::MissingObject { .. } => false,
        }
    }

    /// Git's error, if git failed.
    pub fn command(&self) -> Option<&CommandError> {
        match self {
            Self::Pool { source: PoolError::Git(error), .. } => Some(error),
            _ => None,
        }
    }
}
