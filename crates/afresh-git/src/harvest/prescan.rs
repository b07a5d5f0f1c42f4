//! A look at what a worker left, before git sees it.
//!
//! Nested repositories are set aside, so that their files count as plain files; pipes and sockets
//! are removed, because git would wait for them; what is closed is opened; what is too large is
//! reported. While the worker is alive nothing is touched: what git could not take as it is, is
//! left out. Whether a path is ignored is not known here.

use std::fs::{self, DirEntry, Permissions, ReadDir};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::git::error::{Context, FileError};
use crate::workspace::keep::Patterns;
use crate::workspace::remove::{open_up, remove_file};

/// How many findings of one kind are told; the rest is counted.
const MAX_NOTES: usize = 20;

/// How much of a path that is too long is told.
const TOLD_BYTES: usize = 40;

/// Files that git itself reads on its way through a tree.
const READ_BY_GIT: [&[u8]; 3] = [b".gitignore", b".gitattributes", b".gitmodules"];

/// What may be done to the checkout.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Manner<'a> {
    /// Nobody uses it any more; nested `.git`s end up in the directory `aside`.
    PutRight { aside: &'a Path },
    /// Somebody is at work in it.
    OnlyLook,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) notes: Vec<String>,
    /// Paths of files above the limit, with their size.
    pub(crate) large: Vec<(Vec<u8>, u64)>,
    /// Files and directories that git is not to look at.
    pub(crate) left_out: Vec<Vec<u8>>,
    /// Something that git would read and never come to the end of.
    pub(crate) endless: Option<Vec<u8>>,
    /// How much all files have together, that are not kept warm.
    pub(crate) bytes: u64,
    /// Whether there is anything at all, even a `.git`.
    pub(crate) is_empty: bool,
    untold: usize,
}

/// Goes through `tree`.
pub(crate) fn survey(
    tree: &Path,
    manner: Manner<'_>,
    keep: &Patterns,
    max_file_bytes: u64,
) -> Result<Survey, FileError> {
    let found = Survey { is_empty: true, ..Survey::default() };
    let mut surveyor = Surveyor { manner, keep, max_file_bytes, found };
    let mut open = vec![(tree.to_owned(), Vec::new())];
    while let Some((directory, path)) = open.pop() {
        let Some(entries) = surveyor.list(&directory, &path)? else { continue };
        for entry in entries {
            let entry = entry.context("list", &directory)?;
            surveyor.found.is_empty = false;
            open.extend(surveyor.entry(&entry, &path)?);
        }
    }
    let mut found = surveyor.found;
    if found.untold > 0 {
        found.notes.push(format!("{} more findings of this kind", found.untold));
    }
    Ok(found)
}

struct Surveyor<'a> {
    manner: Manner<'a>,
    keep: &'a Patterns,
    max_file_bytes: u64,
    found: Survey,
}

impl Surveyor<'_> {
    /// The entries of a directory, or none where it cannot be looked into.
    fn list(&mut self, directory: &Path, path: &[u8]) -> Result<Option<ReadDir>, FileError> {
        let opened = match self.manner {
            Manner::PutRight { .. } => open_up(directory),
            Manner::OnlyLook => Ok(()),
        };
        let error = match opened.and_then(|()| fs::read_dir(directory).context("list", directory)) {
            Ok(entries) => return Ok(Some(entries)),
            Err(error) => error,
        };
        match (error.source.kind(), self.manner) {
            (io::ErrorKind::InvalidFilename, _) => {
                let start = told(&path[..path.len().min(TOLD_BYTES)]);
                self.found.note(format!("{start} … is too deep to be harvested"));
            }
            (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, Manner::OnlyLook) => {}
            (io::ErrorKind::PermissionDenied, Manner::OnlyLook) => {
                self.leave_out(path.to_owned(), "cannot be read");
            }
            _ => return Err(error),
        }
        Ok(None)
    }

    /// Deals with one entry; a directory to look into is handed back.
    fn entry(
        &mut self,
        entry: &DirEntry,
        parent: &[u8],
    ) -> Result<Option<(PathBuf, Vec<u8>)>, FileError> {
        let place = entry.path();
        let name = entry.file_name();
        let is_git = name.as_bytes() == b".git";
        if is_git && parent.is_empty() {
            return Ok(None);
        }
        if is_git {
            self.nested(&place, parent)?;
            return Ok(None);
        }
        let mut path = parent.to_owned();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend(name.as_bytes());
        let Some(kind) = self.unless_gone(entry.file_type(), &place)? else { return Ok(None) };
        if kind.is_dir() {
            return Ok((!self.keep.matches(&path, true)).then_some((place, path)));
        }
        if kind.is_file() {
            self.file(entry, &place, path)?;
        } else if !kind.is_symlink() {
            self.special(&place, path, name.as_bytes())?;
        }
        Ok(None)
    }

    fn file(&mut self, entry: &DirEntry, place: &Path, path: Vec<u8>) -> Result<(), FileError> {
        let Some(metadata) = self.unless_gone(entry.metadata(), place)? else { return Ok(()) };
        let mode = metadata.permissions().mode();
        if mode & 0o400 == 0 && matches!(self.manner, Manner::PutRight { .. }) {
            let readable = Permissions::from_mode((mode & 0o7777) | 0o400);
            fs::set_permissions(place, readable).context("open up", place)?;
        }
        self.found.bytes = self.found.bytes.saturating_add(metadata.len());
        if metadata.len() > self.max_file_bytes {
            self.found.large.push((path, metadata.len()));
        }
        Ok(())
    }

    /// A repository in the worker's own.
    fn nested(&mut self, git: &Path, parent: &[u8]) -> Result<(), FileError> {
        match self.manner {
            Manner::PutRight { aside } => {
                set_aside(git, aside)?;
                let parent = told(parent);
                self.found.note(format!("the repository in {parent} was harvested as plain files"));
            }
            Manner::OnlyLook => self.leave_out(parent.to_owned(), "is a repository of its own"),
        }
        Ok(())
    }

    /// Something that is neither a file nor a directory nor a symlink.
    fn special(&mut self, place: &Path, path: Vec<u8>, name: &[u8]) -> Result<(), FileError> {
        match self.manner {
            Manner::PutRight { .. } => {
                remove_file(place)?;
                let path = told(&path);
                self.found.note(format!("{path} was a pipe, a socket or a device, and is gone"));
            }
            Manner::OnlyLook => {
                if READ_BY_GIT.contains(&name) {
                    self.found.endless.get_or_insert_with(|| path.clone());
                }
                self.leave_out(path, "is a pipe, a socket or a device");
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, path: Vec<u8>, why: &str) {
        self.found.note(format!("{} was left out: it {why}", told(&path)));
        self.found.left_out.push(path);
    }

    /// Whoever is at work may remove what we have just seen.
    fn unless_gone<T>(&self, seen: io::Result<T>, place: &Path) -> Result<Option<T>, FileError> {
        match seen {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    && matches!(self.manner, Manner::OnlyLook) =>
            {
                Ok(None)
            }
            other => other.context("look at", place).map(Some),
        }
    }
}

impl Survey {
    fn note(&mut self, text: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(text);
        } else {
            self.untold += 1;
        }
    }

    /// Whether git is not to look at this path, or at a directory above it.
    pub(crate) fn leaves_out(&self, path: &[u8]) -> bool {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let below = |out: &Vec<u8>| {
            path.strip_prefix(out.as_slice()).is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
        };
        self.left_out.iter().any(below) || self.large.iter().any(|(large, _)| large == path)
    }

    /// All the paths that git is not to look at.
    pub(crate) fn unwanted(&self) -> impl Iterator<Item = &[u8]> {
        let large = self.large.iter().map(|(path, _)| path);
        large.chain(&self.left_out).map(Vec::as_slice)
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
