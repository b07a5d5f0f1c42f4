//! What commands beside a run leave in the cache directory: copies of workspaces, messages of background processes.
//!
//! A person may have changed a copy, and no ref saves that. So copies are removed only if the user asks for it.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use afresh_git::WorkspacePool;

use super::history::entries;
use super::item::{CleanupItem, CleanupKind, CleanupTarget};
use super::{Cleanup, CleanupError, size};

/// Where `afresh open` makes its copies, below the cache directory.
pub fn copies_directory(cache: &Path) -> PathBuf {
    cache.join("opened")
}

/// Where a process in the background writes what it prints, below the cache directory.
pub fn messages_directory(cache: &Path) -> PathBuf {
    cache.join("detached")
}

impl Cleanup<'_> {
    /// No driver is running in this repository, so nothing is written any more.
    pub(super) fn messages(&self) -> Option<CleanupItem> {
        let prefix = self.place.job_prefix();
        let is_ours = |entry: &DirEntry| entry.file_name().to_string_lossy().starts_with(&prefix);
        let files = entries(&messages_directory(&self.place.layout.cache)).into_iter();
        let files: Vec<PathBuf> = files.filter(is_ours).map(|entry| entry.path()).collect();
        let bytes = files.iter().map(|file| size::disk_usage(file)).sum();
        let why = "no process drives a run here; `afresh logs` shows what happened";
        (!files.is_empty()).then(|| {
            let name = "of runs in the background";
            let target = CleanupTarget::Paths(files);
            CleanupItem::remove(CleanupKind::Messages, name, why, target).of_size(bytes)
        })
    }

    pub(super) fn copies(&self) -> Result<Vec<CleanupItem>, CleanupError> {
        let mut things = Vec::new();
        for entry in entries(&copies_directory(&self.place.layout.cache)) {
            let path = entry.path();
            // Each copy is a pool of its own, whose directory is named after the repository.
            if WorkspacePool::find(self.place.git.clone(), &path)?.is_none() {
                continue;
            }
            let (name, bytes) = (path.display().to_string(), size::disk_usage(&path));
            let thing = if self.wishes.opened {
                let target = CleanupTarget::Paths(vec![path]);
                CleanupItem::remove(CleanupKind::Copy, name, "you asked for it", target)
            } else {
                let why = "`afresh open` made it, and it may hold changes of yours";
                CleanupItem::stays(CleanupKind::Copy, name, why)
                    .hint("`afresh clean --opened` removes all such copies")
            };
            things.push(thing.of_size(bytes));
        }
        things.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(things)
    }
}
