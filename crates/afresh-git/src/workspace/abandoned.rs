//! Workspaces of repositories that no longer exist.
//!
//! Their directory is named by a hash of the repository's path. So the file that records this path
//! cannot be forged, not even by a worker without a sandbox. Their contents cannot be saved: there
//! is no repository to save them in.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::git::error::{FileContext, FileError};
use crate::workspace::lease::LeaseRecord;
use crate::workspace::pool::{WorkspaceId, repository_key, repository_note};
use crate::workspace::remove::remove_tree;

const MAX_PATH_BYTES: u64 = 16 * 1024;

/// The workspaces of a repository that no longer exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbandonedPool {
    pub directory: PathBuf,
    /// Where the repository's git directory was.
    pub repository: PathBuf,
    /// Workspaces that hold unsaved work.
    pub unsaved: Vec<String>,
}

impl AbandonedPool {
    /// Removes all of it; the caller has checked what is unsaved.
    pub fn remove(&self) -> Result<(), FileError> {
        remove_tree(&self.directory)
    }

    /// The key, with which the names of its jobs begin too.
    pub fn key(&self) -> String {
        repository_key(&self.repository)
    }
}

/// Searches the directory `cache`. Pools whose repository is unknown are left out.
pub fn find_abandoned_pools(cache: &Path) -> Result<Vec<AbandonedPool>, FileError> {
    let entries = match fs::read_dir(cache) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.context("list", cache)?,
    };
    let mut gone = Vec::new();
    for entry in entries {
        let entry = entry.context("list", cache)?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            gone.extend(inspect_pool(entry.path()));
        }
    }
    gone.sort_by(|a, b| a.directory.cmp(&b.directory));
    Ok(gone)
}

fn inspect_pool(directory: PathBuf) -> Option<AbandonedPool> {
    let repository = PathBuf::from(OsString::from_vec(read_note(&repository_note(&directory))?));
    let is_proven = directory.file_name()?.to_str()? == repository_key(&repository);
    // A path that we may not read is not missing.
    let is_gone = repository
        .symlink_metadata()
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    if !is_proven || !is_gone {
        return None;
    }
    let slots = fs::read_dir(&directory).ok()?.flatten();
    let slots = slots.filter_map(|entry| WorkspaceId::parse(entry.file_name().to_str()?));
    let unsaved = slots
        .map(|id| id.to_string())
        .filter(|slot| LeaseRecord::new(&directory, slot).unsaved_files().is_some());
    let unsaved = unsaved.collect();
    Some(AbandonedPool { directory, repository, unsaved })
}

fn read_note(note: &Path) -> Option<Vec<u8>> {
    if !note.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(note).ok()?.take(MAX_PATH_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
