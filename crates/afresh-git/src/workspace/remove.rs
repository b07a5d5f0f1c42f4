//! Removes whatever a worker left: read-only, deeply nested, or a symlink to somewhere else.
//!
//! Symlinks are removed and never followed. Nothing may write to the path meanwhile.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::git::error::{FileContext, FileError, ignore_missing};

/// Keeps every path far below the system's limit: deeper directories are moved up first.
const MAX_DEPTH: usize = 8;
/// Counts the directories that this process has moved up.
static MOVED: AtomicU64 = AtomicU64::new(0);

/// Removes files and trees; deep directories pass through `spare`, on the same file system.
#[derive(Debug)]
pub(crate) struct TreeRemover {
    spare: PathBuf,
    pending: Vec<PathBuf>,
}

impl TreeRemover {
    pub(crate) fn new(spare: &Path) -> Self {
        Self { spare: spare.to_owned(), pending: Vec::new() }
    }

    /// Removes `path`, whatever it is; it may be missing.
    pub(crate) fn remove(&mut self, path: &Path) -> Result<(), FileError> {
        self.remove_any(path, 0)?;
        self.finish()
    }

    /// Removes everything in the directory `path`.
    pub(crate) fn empty(&mut self, path: &Path) -> Result<(), FileError> {
        self.remove_entries(path, 0)?;
        self.finish()
    }

    fn finish(&mut self) -> Result<(), FileError> {
        while let Some(next) = self.pending.pop() {
            self.remove_any(&next, 0)?;
        }
        Ok(())
    }

    fn remove_any(&mut self, path: &Path, depth: usize) -> Result<(), FileError> {
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => self.remove_directory(path, depth),
            Ok(_) => remove_file(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error).context("look at", path),
        }
    }

    fn remove_directory(&mut self, path: &Path, depth: usize) -> Result<(), FileError> {
        make_writable(path)?;
        if depth == MAX_DEPTH {
            // Several threads remove at the same time, perhaps below the same directory.
            let number = MOVED.fetch_add(1, Ordering::Relaxed);
            let name = format!("deep-{}-{number}", std::process::id());
            let location = self.spare.join(name);
            fs::rename(path, &location).context("move up", path)?;
            self.pending.push(location);
            return Ok(());
        }
        self.remove_entries(path, depth)?;
        ignore_missing(fs::remove_dir(path)).context("remove", path)
    }

    fn remove_entries(&mut self, path: &Path, depth: usize) -> Result<(), FileError> {
        for entry in fs::read_dir(path).context("list", path)? {
            let entry = entry.context("list", path)?;
            let inside = entry.path();
            if entry.file_type().context("look at", &inside)?.is_dir() {
                self.remove_directory(&inside, depth + 1)?;
            } else {
                ignore_missing(fs::remove_file(&inside)).context("remove", &inside)?;
            }
        }
        Ok(())
    }
}

/// Removes `path`, whatever a worker made of it; it may be missing. Its directory must belong to
/// afresh.
pub fn remove_tree(path: &Path) -> Result<(), FileError> {
    let spare = path.parent().unwrap_or(path);
    TreeRemover::new(spare).remove(path)
}

/// Removes a file or a symlink, even from a directory that was made read-only.
pub(crate) fn remove_file(path: &Path) -> Result<(), FileError> {
    let first = ignore_missing(fs::remove_file(path));
    let denied = first.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::PermissionDenied);
    if let (true, Some(parent)) = (denied, path.parent()) {
        make_writable(parent)?;
        return ignore_missing(fs::remove_file(path)).context("remove", path);
    }
    first.context("remove", path)
}

/// Makes a directory that a worker made inaccessible readable and writable again.
pub(crate) fn make_writable(directory: &Path) -> Result<(), FileError> {
    let found = directory.symlink_metadata().context("look at", directory)?;
    let mode = found.permissions().mode();
    if found.is_dir() && mode & 0o700 != 0o700 {
        let open = Permissions::from_mode((mode & 0o7777) | 0o700);
        fs::set_permissions(directory, open).context("open up", directory)?;
    }
    Ok(())
}
