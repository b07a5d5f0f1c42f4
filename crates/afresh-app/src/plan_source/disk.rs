//! A directory on disk as plan readers see it: bounded, only files that can be part of a plan, and no
//! links followed.
//!
//! A pipe, link or directory with the name of a plan is listed too: reading its text fails with the
//! reason.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, FileType};
use std::io::Read as _;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use super::caller_paths::CallerPaths;
use super::tool_dirs;
use afresh_formats::Finding;
use afresh_formats::folder::{
    MAX_DEPTH, MAX_FILES, PlanFolder, as_text, is_searched, may_hold_a_plan,
};
use afresh_formats::text::limits::{self, MAX_ALL_BYTES};

/// How many directory entries are read.
const MAX_ENTRIES: usize = 500_000;

#[derive(Debug)]
pub(crate) struct DiskFolder {
    root: PathBuf,
    paths: Vec<String>,
    /// Entries that are no files, and what they are.
    others: BTreeMap<String, &'static str>,
    read: RefCell<ReadFiles>,
    entries: usize,
    is_whole: bool,
    /// Paths for messages.
    shown: Option<CallerPaths>,
}

/// Which files were read, and how many bytes they have together.
#[derive(Debug, Default)]
struct ReadFiles {
    files: BTreeSet<String>,
    bytes: usize,
    /// Bytes of finished work, which have a limit of their own and never fail.
    finished_bytes: usize,
}

/// How many bytes of a file are its head.
const HEAD_BYTES: u64 = 16 * 1024;

impl DiskFolder {
    pub(crate) fn open(root: &Path) -> Self {
        let mut folder = Self {
            root: root.to_owned(),
            paths: Vec::new(),
            others: BTreeMap::new(),
            read: RefCell::default(),
            entries: 0,
            is_whole: true,
            shown: None,
        };
        folder.list("", 0);
        folder.paths.sort();
        folder
    }

    /// The same folder, with paths in messages as the caller would write them.
    pub(super) fn shown_as(mut self, paths: CallerPaths) -> Self {
        self.shown = Some(paths);
        self
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// What was skipped, if anything.
    pub(super) fn trouble(&self) -> Option<Finding> {
        let message = format!("there are more than {MAX_FILES} files; the others were skipped");
        let help = "name the plan, or its directory";
        (!self.is_whole).then(|| limits::over_limit(".", message).with_hint(help).as_warning())
    }

    fn list(&mut self, directory: &str, depth: usize) {
        let Ok(entries) = fs::read_dir(self.root.join(directory)) else { return };
        let mut entries: Vec<fs::DirEntry> = entries.flatten().take(MAX_ENTRIES).collect();
        // The plans of a large repository are listed before its other files are too many.
        entries.sort_by_key(|entry| {
            let name = entry.file_name();
            (name.to_str().and_then(tool_dirs::find).is_none(), name)
        });
        for entry in entries {
            self.entries += 1;
            if self.paths.len() >= MAX_FILES || self.entries > MAX_ENTRIES {
                self.is_whole = false;
                return;
            }
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                continue;
            };
            let path =
                if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
            if may_hold_a_plan(&name) {
                self.others.extend(what_else(kind).map(|what| (path.clone(), what)));
                self.paths.push(path.clone());
            }
            if kind.is_dir() && depth < MAX_DEPTH && is_searched(&name) {
                self.list(&path, depth + 1);
            }
        }
    }

    /// Reads at most this many bytes.
    fn start(&self, path: &str, most: u64) -> Result<Vec<u8>, Finding> {
        if let Some(what) = self.others.get(path) {
            return Err(unreadable(path, &format!("it is {what}")));
        }
        let mut bytes = Vec::new();
        fs::File::open(self.root.join(path))
            .and_then(|file| file.take(most).read_to_end(&mut bytes))
            .map_err(|error| unreadable(path, &error.to_string()))?;
        Ok(bytes)
    }

    fn is_listed(&self, path: &str) -> bool {
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, Finding> {
        let mut read = self.read.borrow_mut();
        // Findings are placed by a second look at the same files.
        let is_new = !read.files.contains(path);
        if is_new && read.bytes >= MAX_ALL_BYTES {
            let message =
                format!("the files of the plan have more than {MAX_ALL_BYTES} bytes together");
            return Err(limits::over_limit(path, message));
        }
        let bytes = self.start(path, limits::max_bytes(path) as u64 + 1)?;
        if is_new {
            read.files.insert(path.to_owned());
            read.bytes += bytes.len();
        }
        Ok(bytes)
    }
}

fn unreadable(path: &str, why: &str) -> Finding {
    let finding = Finding::for_file(path, "unreadable", format!("cannot read it: {why}"));
    finding.with_hint("replace it with a readable regular file")
}

/// What it is, where it is no file.
fn what_else(kind: FileType) -> Option<&'static str> {
    match kind {
        _ if kind.is_file() => None,
        _ if kind.is_dir() => Some("a directory"),
        _ if kind.is_symlink() => Some("a symbolic link, which is not followed"),
        _ if kind.is_fifo() => Some("a pipe"),
        _ => Some("not a regular file"),
    }
}

impl PlanFolder for DiskFolder {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn text(&self, path: &str) -> Option<Result<String, Finding>> {
        self.is_listed(path).then(|| self.bytes(path).and_then(|bytes| as_text(path, &bytes)))
    }

    fn shown(&self, path: &str) -> String {
        self.shown.as_ref().map_or_else(|| path.to_owned(), |paths| paths.show(path))
    }

    fn finished_text(&self, path: &str) -> Option<String> {
        if !self.is_listed(path) || self.read.borrow().finished_bytes >= MAX_ALL_BYTES {
            return None;
        }
        let bytes = self.start(path, limits::max_bytes(path) as u64 + 1).ok()?;
        self.read.borrow_mut().finished_bytes += bytes.len();
        as_text(path, &bytes).ok()
    }

    fn head(&self, path: &str) -> Option<Result<String, Finding>> {
        let text = |mut bytes: Vec<u8>| {
            if bytes.len() as u64 == HEAD_BYTES {
                // The last line may be cut in the middle of a character.
                let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
                bytes.truncate(end);
            }
            as_text(path, &bytes)
        };
        self.is_listed(path).then(|| self.start(path, HEAD_BYTES).and_then(text))
    }
}
