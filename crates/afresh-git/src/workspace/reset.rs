//! Taking out of a slot what the last attempt left and git would not put back by itself.
//!
//! Afterwards the tree holds nothing but files that our index knows, in real directories, and
//! kept paths. Giving those files their right content is git's part: this runs before it.

use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::git::error::{FileContext, FileError};
use crate::objects::change::EntryMode;
use crate::objects::index::IndexFile;
use crate::workspace::keep::KeepPatterns;
use crate::workspace::remove::{TreeRemover, make_writable, remove_file};
use crate::workspace::slot::WorkspaceDir;

/// Who may read and write a file.
const READ_WRITE: u32 = 0o666;

/// Sweeps the checkout of a slot, whose index holds `tracked`.
pub(crate) fn reset_files(
    workspace: &WorkspaceDir,
    tracked: &IndexFile,
    keep: &KeepPatterns,
) -> Result<(), FileError> {
    // Git made the index like any file of the tree, under the same mask.
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
    /// Directories still to look into; a list, because a worker decides how deep they nest.
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
                // The slot's own is put right by `clone`, which knows what belongs into it.
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
        if self.keep.matches(&path, true) {
            return make_writable(&location);
        }
        if self.tracked.has_below(&path) {
            self.open.push((location, path));
            return Ok(());
        }
        // Where another repository belongs, git leaves an empty directory alone.
        if self.tracked.get(&path) == Some(EntryMode::Gitlink) {
            make_writable(&location)?;
            return self.remover.empty(&location);
        }
        self.remover.remove(&location)
    }

    fn may_stay(&self, location: &Path, path: &[u8], kind: FileType) -> Result<bool, FileError> {
        let mode = self.tracked.get(path).filter(|mode| *mode != EntryMode::Gitlink);
        if kind.is_symlink() {
            // A kept path that points away would let the next worker write somewhere else.
            return Ok(mode.is_some());
        }
        // A pipe that git opens would stop it forever.
        if !kind.is_file() {
            return Ok(false);
        }
        let Some(mode) = mode else { return Ok(self.keep.matches(path, false)) };
        // Git does not look at any of this; it writes a missing file anew.
        let found = location.symlink_metadata().context("look at", location)?;
        let executable = mode == EntryMode::Executable || found.mode() & 0o111 == 0;
        Ok(found.mode() & READ_WRITE == self.permissions && executable && found.nlink() == 1)
    }
}
