//! Taking out of a slot what the last attempt left and git would not put back by itself.
//!
//! Afterwards the tree holds nothing but files that our index knows, in real directories, and
//! kept paths. Giving those files their right content is git's part: this runs before it.

use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::change::Mode;
use crate::error::{Context, FileError};
use crate::index::Index;
use crate::keep::Patterns;
use crate::remove::{Remover, open_up, remove_file};

/// Sweeps the checkout `tree`; `spare` is a directory of ours on the same file system.
pub(crate) fn sweep(
    tree: &Path,
    spare: &Path,
    tracked: &Index,
    keep: &Patterns,
) -> Result<(), FileError> {
    let mut sweep = Sweep { tracked, keep, remover: Remover::new(spare), open: Vec::new() };
    sweep.open.push((tree.to_owned(), Vec::new()));
    while let Some((directory, path)) = sweep.open.pop() {
        sweep.directory(&directory, &path)?;
    }
    Ok(())
}

struct Sweep<'a> {
    tracked: &'a Index,
    keep: &'a Patterns,
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
            if name.as_bytes() == b".git" {
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
        let tracked = matches!(self.tracked.get(path), Some(mode) if mode != Mode::Gitlink);
        if kind.is_symlink() {
            // A kept path that points away would let the next worker write somewhere else.
            return Ok(tracked);
        }
        // A pipe that git opens would stop it forever.
        if !kind.is_file() {
            return Ok(false);
        }
        if !tracked {
            return Ok(self.keep.matches(path, false));
        }
        // Git does not look at these; it writes a missing file anew.
        let found = place.symlink_metadata().context("look at", place)?;
        Ok(found.mode() & 0o600 == 0o600 && found.nlink() == 1)
    }
}
