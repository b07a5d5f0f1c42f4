//! A look at what a worker left, before git sees it.
//!
//! Nested repositories are set aside, so that their files count as plain files; pipes and sockets
//! are removed, because git would wait for them; what is closed is opened; what is too large is
//! reported. Whether a path is ignored is not known here.

use std::fs::{self, DirEntry, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Context, FileError};
use crate::keep::Patterns;
use crate::remove::{open_up, remove_file};

/// How many findings of one kind are told; the rest is counted.
const MAX_NOTES: usize = 20;

/// How much of a path that is too long is told.
const TOLD_BYTES: usize = 40;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) notes: Vec<String>,
    /// Paths of files above the limit, with their size.
    pub(crate) large: Vec<(Vec<u8>, u64)>,
    /// Whether there is anything at all, even a `.git`.
    pub(crate) is_empty: bool,
    untold: usize,
}

/// Goes through `tree`; nested `.git`s end up in the directory `aside`.
pub(crate) fn survey(
    tree: &Path,
    aside: &Path,
    keep: &Patterns,
    max_file_bytes: u64,
) -> Result<Survey, FileError> {
    let mut found = Survey { is_empty: true, ..Survey::default() };
    let mut open = vec![(tree.to_owned(), Vec::new())];
    while let Some((directory, path)) = open.pop() {
        let listed =
            open_up(&directory).and_then(|()| fs::read_dir(&directory).context("list", &directory));
        let entries = match listed {
            Err(error) if error.source.kind() == io::ErrorKind::InvalidFilename => {
                found.note(format!("{} … is too deep to be harvested", told(&path[..TOLD_BYTES])));
                continue;
            }
            other => other?,
        };
        for entry in entries {
            let entry = entry.context("list", &directory)?;
            found.is_empty = false;
            let below = found.entry(&entry, &path, aside, keep, max_file_bytes)?;
            open.extend(below);
        }
    }
    if found.untold > 0 {
        found.notes.push(format!("{} more findings of this kind", found.untold));
    }
    Ok(found)
}

impl Survey {
    /// Deals with one entry; a directory to look into is handed back.
    fn entry(
        &mut self,
        entry: &DirEntry,
        parent: &[u8],
        aside: &Path,
        keep: &Patterns,
        max_file_bytes: u64,
    ) -> Result<Option<(PathBuf, Vec<u8>)>, FileError> {
        let place = entry.path();
        let name = entry.file_name();
        let is_git = name.as_bytes() == b".git";
        if is_git && parent.is_empty() {
            return Ok(None);
        }
        if is_git {
            set_aside(&place, aside)?;
            let text = format!("the repository in {} was harvested as plain files", told(parent));
            self.note(text);
            return Ok(None);
        }
        let mut path = parent.to_owned();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend(name.as_bytes());
        let kind = entry.file_type().context("look at", &place)?;
        if kind.is_dir() {
            return Ok((!keep.matches(&path, true)).then_some((place, path)));
        }
        if kind.is_symlink() {
            return Ok(None);
        }
        if !kind.is_file() {
            remove_file(&place)?;
            self.note(format!("{} was a pipe, a socket or a device, and is gone", told(&path)));
            return Ok(None);
        }
        let metadata = entry.metadata().context("look at", &place)?;
        let mode = metadata.permissions().mode();
        if mode & 0o400 == 0 {
            let readable = Permissions::from_mode((mode & 0o7777) | 0o400);
            fs::set_permissions(&place, readable).context("open up", &place)?;
        }
        if metadata.len() > max_file_bytes {
            self.large.push((path, metadata.len()));
        }
        Ok(None)
    }

    fn note(&mut self, text: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(text);
        } else {
            self.untold += 1;
        }
    }
}

/// Moves a nested `.git` out of the tree, where it can do nothing and is removed later.
fn set_aside(place: &Path, aside: &Path) -> Result<(), FileError> {
    fs::create_dir_all(aside).context("make", aside)?;
    if place.symlink_metadata().context("look at", place)?.is_dir() {
        // A directory is only moved by those who may write to it.
        open_up(place)?;
    }
    let taken = fs::read_dir(aside).context("list", aside)?.count();
    fs::rename(place, aside.join(taken.to_string())).context("set aside", place)
}

/// A path as it can be shown.
pub(crate) fn told(path: &[u8]) -> String {
    String::from_utf8_lossy(path).escape_debug().to_string()
}
