//! Removes from a workspace what the last attempt left and git would not reset by itself.
//!
//! Afterwards the checkout holds only kept paths and files that are in the index, in real
//! directories. Git then restores the contents of those files.

use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::git::error::{FileContext, FileError};
use crate::objects::diff::change::EntryMode;
use crate::objects::index::IndexFile;
use crate::workspace::keep::{KeepPatterns, PathKind};
use crate::workspace::remove::{TreeRemover, make_writable, remove_file};
use crate::workspace::slot::WorkspaceDir;

/// The permission bits for reading and writing.
const READ_WRITE: u32 = 0o666;

/// Resets the checkout of a workspace whose index holds `tracked`.
pub(crate) fn reset_files(
    workspace: &WorkspaceDir,
    tracked: &IndexFile,
    keep: &KeepPatterns,
) -> Result<(), FileError> {
    // Git created the index like any file of the tree, under the same umask.
    let permissions = workspace.index().metadata().map_or(0o644, |found| found.mode()) & READ_WRITE;
    let remover = TreeRemover::new(&workspace.path);
    let mut sweep = WorkspaceReset { tracked, keep, permissions, remover, open: Vec::new() };
    sweep.open.push((workspace.tree(), Vec::new()));
    while let Some((directory, path)) = sweep.open.pop() {
        sweep.directory(&directory, &path)?;
    }
    Ok(())
}

struct WorkspaceReset<'a> {
    tracked: &'a IndexFile,
    keep: &'a KeepPatterns,
    permissions: u32,
    remover: TreeRemover,
    /// Directories to be visited; a list, because a worker decides how deep they nest.
    open: Vec<(PathBuf, Vec<u8>)>,
}

impl WorkspaceReset<'_> {
    fn directory(&mut self, directory: &Path, path: &[u8]) -> Result<(), FileError> {
        make_writable(directory)?;
        for entry in fs::read_dir(directory).context("list", directory)? {
            let entry = entry.context("list", directory)?;
            let location = entry.path();
            let name = entry.file_name();
            let path = if path.is_empty() {
                name.as_bytes().to_owned()
            } else {
                [path, b"/", name.as_bytes()].concat()
            };
            let kind = entry.file_type().context("look at", &location)?;
            if path == b".git" {
                // The workspace's own `.git` is reset by `clone`.
            } else if name.as_bytes() == b".git" {
                self.remover.remove(&location)?;
            } else if kind.is_dir() {
                self.sub_directory(location, path)?;
            } else if !self.may_stay(&location, &path, kind)? {
                remove_file(&location)?;
            }
        }
        Ok(())
    }

    fn sub_directory(&mut self, location: PathBuf, path: Vec<u8>) -> Result<(), FileError> {
        if self.keep.matches(&path, PathKind::Directory) {
            return make_writable(&location);
        }
        if self.tracked.has_below(&path) {
            self.open.push((location, path));
            return Ok(());
        }
        // Git leaves an empty directory alone where a submodule belongs.
        if self.tracked.get(&path) == Some(EntryMode::Gitlink) {
            make_writable(&location)?;
            return self.remover.empty(&location);
        }
        self.remover.remove(&location)
    }

    fn may_stay(&self, location: &Path, path: &[u8], kind: FileType) -> Result<bool, FileError> {
        let mode = self.tracked.get(path).filter(|mode| *mode != EntryMode::Gitlink);
        if kind.is_symlink() {
            // A kept path that is a symlink would let the next worker write somewhere else.
            return Ok(mode.is_some());
        }
        // Git would block forever on a pipe.
        if !kind.is_file() {
            return Ok(false);
        }
        let Some(mode) = mode else { return Ok(self.keep.matches(path, PathKind::File)) };
        // Git does not check any of this, but it writes a missing file again.
        let found = location.symlink_metadata().context("look at", location)?;
        let executable = mode == EntryMode::Executable || found.mode() & 0o111 == 0;
        Ok(found.mode() & READ_WRITE == self.permissions && executable && found.nlink() == 1)
    }
}
