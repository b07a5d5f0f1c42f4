//! Scans what a worker left, before git reads it.
//!
//! Nested repositories are moved aside, so that their files count as ordinary files. Pipes and
//! sockets are removed, because git would block on them. Unreadable files are made readable, and
//! files that are too large are reported. While the worker is alive nothing is changed: what git
//! could not read as it is, is left out. Whether a path is ignored is not known here.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, FileType, Permissions, ReadDir};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::git::error::{FileContext, FileError};
use crate::harvest::refusal::escape_names;
use crate::objects::path_text::render_path;
use crate::workspace::keep::{KeepPatterns, PathKind};
use crate::workspace::remove::{make_writable, remove_file};

/// How many findings of one kind are listed; the rest are counted.
const MAX_NOTES: usize = 20;

/// How much of a path that is too long is shown.
const MAX_DISPLAY_BYTES: usize = 40;

/// Files that git itself reads while it walks a tree.
const READ_BY_GIT: [&[u8]; 3] = [b".gitignore", b".gitattributes", b".gitmodules"];

/// Whether the checkout may be changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ScanMode<'a> {
    /// No process uses it any more; nested `.git`s are moved into the directory `aside`.
    Repair { aside: &'a Path },
    /// The worker is still running.
    ReadOnly,
}

/// The result of a scan.
#[derive(Debug, Default)]
pub(crate) struct TreeScan {
    pub(crate) notes: Vec<String>,
    /// Paths of files above the limit, with their size.
    pub(crate) large: Vec<(Vec<u8>, u64)>,
    /// Files and directories that git must not read.
    pub(crate) left_out: Vec<Vec<u8>>,
    /// Something that git would read forever.
    pub(crate) endless: Option<Vec<u8>>,
    /// Something that git refuses; it has another name now.
    pub(crate) refused: Option<Vec<u8>>,
    /// The size of all files together, without kept paths.
    pub(crate) bytes: u64,
    /// Whether the checkout has no entries at all, not even a `.git`.
    pub(crate) is_empty: bool,
    untold: usize,
}

/// Scans `tree`.
pub(crate) fn scan_tree(
    tree: &Path,
    mode: ScanMode<'_>,
    keep: &KeepPatterns,
    max_file_bytes: u64,
) -> Result<TreeScan, FileError> {
    let found = TreeScan { is_empty: true, ..TreeScan::default() };
    let mut scanner = TreeScanner { mode, keep, max_file_bytes, found };
    let mut open = vec![(tree.to_owned(), Vec::new())];
    while let Some((directory, path)) = open.pop() {
        let Some(entries) = scanner.list(&directory, &path)? else { continue };
        for entry in entries {
            let entry = entry.context("list", &directory)?;
            scanner.found.is_empty = false;
            open.extend(scanner.entry(&entry, &path)?);
        }
    }
    let mut found = scanner.found;
    if found.untold > 0 {
        found.notes.push(format!("{} more findings of this kind", found.untold));
    }
    Ok(found)
}

struct TreeScanner<'a> {
    mode: ScanMode<'a>,
    keep: &'a KeepPatterns,
    max_file_bytes: u64,
    found: TreeScan,
}

impl TreeScanner<'_> {
    /// The entries of a directory; none if it cannot be read.
    fn list(&mut self, directory: &Path, path: &[u8]) -> Result<Option<ReadDir>, FileError> {
        let opened = match self.mode {
            ScanMode::Repair { .. } => make_writable(directory),
            ScanMode::ReadOnly => Ok(()),
        };
        let error = match opened.and_then(|()| fs::read_dir(directory).context("list", directory)) {
            Ok(entries) => return Ok(Some(entries)),
            Err(error) => error,
        };
        match (error.source.kind(), self.mode) {
            (io::ErrorKind::InvalidFilename, _) => {
                let start = display_path(&path[..path.len().min(MAX_DISPLAY_BYTES)]);
                self.found.note(format!("{start} … is too deep to be harvested"));
            }
            (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, ScanMode::ReadOnly) => {}
            (io::ErrorKind::PermissionDenied, ScanMode::ReadOnly) => {
                self.leave_out(path.to_owned(), "cannot be read");
            }
            _ => return Err(error),
        }
        Ok(None)
    }

    /// Handles one entry; returns a directory that must be scanned.
    fn entry(
        &mut self,
        entry: &DirEntry,
        parent: &[u8],
    ) -> Result<Option<(PathBuf, Vec<u8>)>, FileError> {
        let location = entry.path();
        let name = entry.file_name();
        let is_git = name.as_bytes() == b".git";
        if is_git && parent.is_empty() {
            return Ok(None);
        }
        if is_git {
            self.nested(&location, parent)?;
            return Ok(None);
        }
        let mut path = parent.to_owned();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend(name.as_bytes());
        let Some(kind) = self.unless_gone(entry.file_type(), &location)? else { return Ok(None) };
        let (location, path) = if is_refused_by_index(name.as_bytes(), kind) {
            let Some(renamed) = self.refused(&location, path)? else { return Ok(None) };
            renamed
        } else {
            (location, path)
        };
        if kind.is_dir() {
            return Ok((!self.keep.matches(&path, PathKind::Directory)).then_some((location, path)));
        }
        if kind.is_file() {
            self.file(entry, &location, path)?;
        } else if !kind.is_symlink() {
            self.special(&location, path, name.as_bytes())?;
        }
        Ok(None)
    }

    fn file(&mut self, entry: &DirEntry, location: &Path, path: Vec<u8>) -> Result<(), FileError> {
        let Some(metadata) = self.unless_gone(entry.metadata(), location)? else { return Ok(()) };
        let mode = metadata.permissions().mode();
        if mode & 0o400 == 0 && matches!(self.mode, ScanMode::Repair { .. }) {
            let readable = Permissions::from_mode((mode & 0o7777) | 0o400);
            fs::set_permissions(location, readable).context("open up", location)?;
        }
        self.found.bytes = self.found.bytes.saturating_add(metadata.len());
        if metadata.len() > self.max_file_bytes {
            self.found.large.push((path, metadata.len()));
        }
        Ok(())
    }

    /// A repository inside the worker's repository.
    fn nested(&mut self, git: &Path, parent: &[u8]) -> Result<(), FileError> {
        match self.mode {
            ScanMode::Repair { aside } => {
                move_aside(git, aside)?;
                let is_empty = git.parent().is_some_and(is_empty_directory);
                let parent = display_path(parent);
                self.found.note(if is_empty {
                    format!("the repository in {parent} has no files, so nothing of it was taken")
                } else {
                    format!("the repository in {parent} was harvested as ordinary files")
                });
            }
            ScanMode::ReadOnly => self.leave_out(parent.to_owned(), "is a nested repository"),
        }
        Ok(())
    }

    /// Something that git takes into no index, under any setting: it gets another name, and is rejected.
    fn refused(
        &mut self,
        location: &Path,
        path: Vec<u8>,
    ) -> Result<Option<(PathBuf, Vec<u8>)>, FileError> {
        if matches!(self.mode, ScanMode::ReadOnly) {
            self.leave_out(path, "has a name that git refuses");
            return Ok(None);
        }
        let escaped = escape_names(&path);
        let name = escaped.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let mut target = location.with_file_name(OsStr::from_bytes(name));
        while target.symlink_metadata().is_ok() {
            target.as_mut_os_string().push("%");
        }
        fs::rename(location, &target).context("rename", location)?;
        self.found.refused.get_or_insert(path);
        Ok(Some((target, escaped)))
    }

    /// Something other than a file, a directory or a symlink.
    fn special(&mut self, location: &Path, path: Vec<u8>, name: &[u8]) -> Result<(), FileError> {
        match self.mode {
            ScanMode::Repair { .. } => {
                remove_file(location)?;
                let path = display_path(&path);
                self.found
                    .note(format!("{path} was a pipe, a socket or a device, and was removed"));
            }
            ScanMode::ReadOnly => {
                if READ_BY_GIT.contains(&name) {
                    self.found.endless.get_or_insert_with(|| path.clone());
                }
                self.leave_out(path, "is a pipe, a socket or a device");
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, path: Vec<u8>, why: &str) {
        self.found.note(format!("{} was left out because it {why}", display_path(&path)));
        self.found.left_out.push(path);
    }

    /// The worker may remove what we have just seen.
    fn unless_gone<T>(&self, seen: io::Result<T>, location: &Path) -> Result<Option<T>, FileError> {
        match seen {
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    && matches!(self.mode, ScanMode::ReadOnly) =>
            {
                Ok(None)
            }
            other => other.context("look at", location).map(Some),
        }
    }
}

fn is_empty_directory(directory: &Path) -> bool {
    fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

impl TreeScan {
    fn note(&mut self, text: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(text);
        } else {
            self.untold += 1;
        }
    }

    /// Whether git must not read this path, or a directory above it.
    pub(crate) fn leaves_out(&self, path: &[u8]) -> bool {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let below = |out: &Vec<u8>| {
            path.strip_prefix(out.as_slice()).is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
        };
        self.left_out.iter().any(below) || self.large.iter().any(|(large, _)| large == path)
    }

    /// All paths that git must not read.
    pub(crate) fn unwanted(&self) -> impl Iterator<Item = &[u8]> {
        let large = self.large.iter().map(|(path, _)| path);
        large.chain(&self.left_out).map(Vec::as_slice)
    }
}

/// Whether git refuses to put this into any index: `.git` in another case, or a symlink in the place of `.gitmodules`.
fn is_refused_by_index(name: &[u8], kind: FileType) -> bool {
    name.eq_ignore_ascii_case(b".git")
        || (kind.is_symlink() && name.eq_ignore_ascii_case(b".gitmodules"))
}

/// Moves a nested `.git` out of the tree; it is removed later.
fn move_aside(location: &Path, aside: &Path) -> Result<(), FileError> {
    fs::create_dir_all(aside).context("make", aside)?;
    if location.symlink_metadata().context("look at", location)?.is_dir() {
        // Only a writable directory can be moved.
        make_writable(location)?;
    }
    let taken = fs::read_dir(aside).context("list", aside)?.count();
    fs::rename(location, aside.join(taken.to_string())).context("set aside", location)
}

/// A path in a form that can be displayed.
pub(crate) fn display_path(path: &[u8]) -> String {
    match std::str::from_utf8(path) {
        Ok(text) => text.escape_debug().to_string(),
        Err(_) => render_path(path),
    }
}
