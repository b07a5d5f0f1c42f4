//! Puts the files of an interrupted attempt back into a workspace that was prepared again.
//!
//! The worker finds its files as it left them, as uncommitted changes. The index, and the one in
//! the worker's `.git`, are those of the prepared commit, so that a harvest measures as usual.

use afresh_core::ids::TreeId;

use crate::workspace::pool::{PoolError, WorkspaceId, WorkspacePool};
use crate::workspace::remove::remove_file;
use crate::workspace::slot::copy_index;

/// Why an earlier attempt's files could not be put back.
#[derive(Debug, thiserror::Error)]
#[error("cannot put {tree} back into {id}")]
pub struct RestoreError {
    id: WorkspaceId,
    tree: TreeId,
    source: PoolError,
}

impl WorkspacePool {
    /// Makes the files of a workspace, which was just prepared as a commit, those of `tree`.
    ///
    /// Kept paths stay as they are. No process may be using the workspace. After a failure the
    /// workspace must be prepared again.
    pub fn restore_files(&self, id: WorkspaceId, tree: &TreeId) -> Result<(), RestoreError> {
        let _guard = self.locks.lock_preempting(id);
        self.write_tree_over(id, tree).map_err(|source| RestoreError {
            id,
            tree: tree.clone(),
            source,
        })
    }

    fn write_tree_over(&self, id: WorkspaceId, tree: &TreeId) -> Result<(), PoolError> {
        let workspace = self.workspace_dir(id);
        // Git changes only what differs between this index and the tree.
        let index = workspace.file("put-back.index");
        copy_index(&workspace.index(), &index)?;
        let call = self.tree_git(format!("put {tree} back"), &workspace, &index)?;
        call.args(["read-tree", "--reset", "-u", tree.as_str()]).run_checked()?;
        Ok(remove_file(&index)?)
    }
}
