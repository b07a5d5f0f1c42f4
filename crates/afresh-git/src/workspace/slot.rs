//! The files of one workspace: the checkout, and beside it what a worker must not write.
//!
//! ```text
//! work-1/tree/      the checkout, with a .git of its own
//! work-1/index      our index of it
//! work-1/prepared   what it was prepared as; written last
//! work-1/set-up     what its kept paths were set up for; written by the caller
//! ```
//! Everything else in the directory is left over from an interrupted call. Its lease is stored
//! outside, by `lease`.

use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};

use crate::git::error::{FileContext, FileError};
use crate::workspace::remove::{TreeRemover, remove_file};

#[derive(Debug, Clone)]
pub(crate) struct WorkspaceDir {
    pub(crate) path: PathBuf,
}

impl WorkspaceDir {
    pub(crate) fn tree(&self) -> PathBuf {
        self.path.join("tree")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn setup_marker(&self) -> PathBuf {
        self.path.join("set-up")
    }

    fn marker(&self) -> PathBuf {
        self.path.join("prepared")
    }

    /// Makes the workspace's directories real ones and removes unknown files.
    ///
    /// The caller holds the repository's lock and has ended the git processes of earlier drivers
    /// ([`Repository::end_stale_git`](crate::Repository::end_stale_git)), so a lock file in here
    /// belongs to no process.
    pub(crate) fn remove_unknown_files(&self) -> Result<(), FileError> {
        make_real_directory(&self.path)?;
        // First: from here on the tree is not what the marker says.
        self.clear_marker()?;
        for entry in fs::read_dir(&self.path).context("list", &self.path)? {
            let entry = entry.context("list", &self.path)?;
            if !["tree", "index", "prepared", "set-up"]
                .iter()
                .any(|known| entry.file_name() == *known)
            {
                TreeRemover::new(&self.path).remove(&entry.path())?;
            }
        }
        // An index that is not a regular file would make git write elsewhere.
        let index = self.index();
        if index.symlink_metadata().is_ok_and(|found| !found.is_file()) {
            TreeRemover::new(&self.path).remove(&index)?;
        }
        make_real_directory(&self.tree())
    }

    /// Removes everything, so that the next preparation starts from nothing.
    pub(crate) fn discard(&self) -> Result<(), FileError> {
        if !self.path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return remove_file(&self.path);
        }
        self.clear_marker()?;
        TreeRemover::new(&self.path).empty(&self.path)?;
        fs::remove_dir(&self.path).context("remove", &self.path)
    }

    /// One small write to an existing file: a truncated id matches no request.
    pub(crate) fn mark_prepared(&self, what: &str) -> Result<(), FileError> {
        fs::write(self.marker(), what).context("write", &self.marker())
    }

    fn clear_marker(&self) -> Result<(), FileError> {
        let marker = self.marker();
        match marker.symlink_metadata() {
            Ok(found) if found.is_file() && found.len() == 0 => Ok(()),
            Ok(found) if found.is_file() => fs::write(&marker, "").context("write", &marker),
            Ok(_) => TreeRemover::new(&self.path).remove(&marker),
            Err(_) => Ok(()),
        }
    }

    /// What the workspace was prepared as, if that was completed.
    pub(crate) fn prepared(&self) -> Option<String> {
        fs::read_to_string(self.marker()).ok().filter(|what| !what.is_empty())
    }
}

/// A symlink or a file in the place of a directory is removed, not followed.
pub(crate) fn make_real_directory(path: &Path) -> Result<(), FileError> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => remove_file(path)?,
        Err(_) => {}
    }
    fs::create_dir_all(path).context("make", path)
}

/// Copies an index with its time, by which git knows which entries it must check again.
pub(crate) fn copy_index(from: &Path, to: &Path) -> Result<(), FileError> {
    fs::copy(from, to).context("copy", from)?;
    let written_at = from.metadata().and_then(|found| found.modified()).context("look at", from)?;
    let copy = File::options().write(true).open(to).context("open", to)?;
    copy.set_times(FileTimes::new().set_modified(written_at)).context("date", to)
}
