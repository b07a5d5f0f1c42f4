//! Laying the work of an interrupted attempt over a slot that was prepared anew.
//!
//! The worker finds its files as it left them, as changes that are not committed: our index, and the
//! one in its `.git`, are those of what was prepared, so a harvest measures as it always does.

use afresh_core::ids::TreeId;

use crate::workspace::pool::{PoolError, WorkspaceId, WorkspacePool};
use crate::workspace::remove::remove_file;
use crate::workspace::slot::copy_index;

/// Why the work of an earlier attempt could not be put back.
#[derive(Debug, thiserror::Error)]
#[error("cannot put {tree} back into {id}")]
pub struct RestoreError {
    id: WorkspaceId,
    tree: TreeId,
    source: PoolError,
}

impl WorkspacePool {
    /// Makes the files of a slot, which was just prepared as a commit, those of `tree`.
    ///
    /// Paths that are kept between attempts stay as they are. No process may be using the slot. After
    /// a failure the slot must be prepared again.
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
        // Git writes and removes what differs between this index and the tree, and nothing else.
        let index = workspace.file("put-back.index");
        copy_index(&workspace.index(), &index)?;
        let call = self.tree_git(format!("put {tree} back"), &workspace, &index)?;
        call.args(["read-tree", "--reset", "-u", tree.as_str()]).run_checked()?;
        Ok(remove_file(&index)?)
    }
}
