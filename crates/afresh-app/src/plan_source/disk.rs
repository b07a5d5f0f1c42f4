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

use afresh_formats::Finding;
use afresh_formats::folder::{PlanFolder, as_text};
use afresh_formats::text::limits::{self, MAX_ALL_BYTES};

/// How many files are listed.
const MAX_FILES: usize = 20_000;
/// How many directory entries are read.
const MAX_ENTRIES: usize = 500_000;
/// How deep directories are searched.
const MAX_DEPTH: usize = 12;
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "vendor", "dist", "build"];
const ENDINGS: &[&str] = &["md", "json", "jsonl", "yml", "yaml", "toml"];

#[derive(Debug)]
pub(super) struct DiskFolder {
    root: PathBuf,
    paths: Vec<String>,
    /// Entries that are no files, and what they are.
    others: BTreeMap<String, &'static str>,
    read: RefCell<ReadFiles>,
    entries: usize,
    is_whole: bool,
}

/// Which files were read, and how many bytes they have together.
#[derive(Debug, Default)]
struct ReadFiles {
    files: BTreeSet<String>,
    bytes: usize,
}

impl DiskFolder {
    pub(super) fn open(root: &Path) -> Self {
        let mut folder = Self {
            root: root.to_owned(),
            paths: Vec::new(),
            others: BTreeMap::new(),
            read: RefCell::default(),
            entries: 0,
            is_whole: true,
        };
        folder.list("", 0);
        folder.paths.sort();
        folder
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
        for entry in entries.flatten() {
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
            if kind.is_dir() && depth < MAX_DEPTH && !SKIPPED.contains(&name.as_str()) {
                self.list(&path, depth + 1);
            }
        }
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, Finding> {
        let unreadable = |why: String| {
            let finding = Finding::for_file(path, "unreadable", format!("cannot read it: {why}"));
            finding.with_hint("replace it with a readable regular file")
        };
        if let Some(what) = self.others.get(path) {
            return Err(unreadable(format!("it is {what}")));
        }
        let mut read = self.read.borrow_mut();
        // Findings are placed by a second look at the same files.
        let is_new = !read.files.contains(path);
        if is_new && read.bytes >= MAX_ALL_BYTES {
            let message =
                format!("the files of the plan have more than {MAX_ALL_BYTES} bytes together");
            return Err(limits::over_limit(path, message));
        }
        let mut bytes = Vec::new();
        fs::File::open(self.root.join(path))
            .and_then(|file| file.take(limits::max_bytes(path) as u64 + 1).read_to_end(&mut bytes))
            .map_err(|error| unreadable(error.to_string()))?;
        if is_new {
            read.files.insert(path.to_owned());
            read.bytes += bytes.len();
        }
        Ok(bytes)
    }
}

fn may_hold_a_plan(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
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
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).ok()?;
        Some(self.bytes(path).and_then(|bytes| as_text(path, &bytes)))
    }
}
