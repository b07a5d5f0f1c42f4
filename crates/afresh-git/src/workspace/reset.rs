//! Taking out of a slot what the last attempt left and git would not put back by itself.
//!
//! Afterwards the tree holds nothing but files that our index knows, in real directories, and
//! kept paths. Giving those files their right content is git's part: this runs before it.

use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::git::error::{Context, FileError};
use crate::objects::change::Mode;
use crate::objects::index::Index;
use crate::workspace::keep::Patterns;
use crate::workspace::remove::{Remover, open_up, remove_file};
use crate::workspace::slot::Workspace;

/// Who may read and write a file.
const READ_WRITE: u32 = 0o666;

/// Sweeps the checkout of a slot, whose index holds `tracked`.
pub(crate) fn sweep(
    workspace: &Workspace,
    tracked: &Index,
    keep: &Patterns,
) -> Result<(), FileError> {
    // Git made the index like any file of the tree, under the same mask.
    let permissions = workspace.index().metadata().map_or(0o644, |found| found.mode()) & READ_WRITE;
    let remover = Remover::new(&workspace.slot);
    let mut sweep = Sweep { tracked, keep, permissions, remover, open: Vec::new() };
    sweep.open.push((workspace.tree(), Vec::new()));
    while let Some((directory, path)) = sweep.open.pop() {
        sweep.directory(&directory, &path)?;
    }
    Ok(())
}

struct Sweep<'a> {
    tracked: &'a Index,
    keep: &'a Patterns,
    permissions: u32,
    remover: Remover,
    /// Directories still to look into; a list, because a worker decides how deep they nest.
    open: Vec<(PathBuf, Vec<u8>)>,
}

impl Sweep<'_> {
    fn directory(&mut self, directory: &Path, path: &[u8]) -> Result<(), FileError> {
        open_up(directory)?;
        for entry in fs::read_dir(directory).context("list", directory)? {
            let entry = entry.context("list", directory)?;
            let place = entry.path();
            let name = entry.file_name();
            let path = if path.is_empty() {
                name.as_bytes().to_owned()
            } else {
                [path, b"/", name.as_bytes()].concat()
            };
            let kind = entry.file_type().context("look at", &place)?;
            if path == b".git" {
                // The slot's own is put right by `clone`, which knows what belongs into it.
            } else if name.as_bytes() == b".git" {
                self.remover.remove(&place)?;
            } else if kind.is_dir() {
                self.sub_directory(place, path)?;
            } else if !self.may_stay(&place, &path, kind)? {
                remove_file(&place)?;
            }
        }
        Ok(())
    }

    fn sub_directory(&mut self, place: PathBuf, path: Vec<u8>) -> Result<(), FileError> {
        if self.keep.matches(&path, true) {
            return open_up(&place);
        }
        if self.tracked.has_below(&path) {
            self.open.push((place, path));
            return Ok(());
        }
        // Where another repository belongs, git leaves an empty directory alone.
        if self.tracked.get(&path) == Some(Mode::Gitlink) {
            open_up(&place)?;
            return self.remover.empty(&place);
        }
        self.remover.remove(&place)
    }

    fn may_stay(&self, place: &Path, path: &[u8], kind: FileType) -> Result<bool, FileError> {
        let mode = self.tracked.get(path).filter(|mode| *mode != Mode::Gitlink);
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
        let found = place.symlink_metadata().context("look at", place)?;
        let executable = mode == Mode::Executable || found.mode() & 0o111 == 0;
        Ok(found.mode() & READ_WRITE == self.permissions && executable && found.nlink() == 1)
    }
}
