//! The files that a plan is read from, without the disk: a listing, and text on request.
//!
//! The code that reads the disk limits the listing and the sizes; format readers only ask.

use std::collections::BTreeMap;

use crate::findings::Finding;
use crate::text::limits;

/// How deep directories are searched for plans.
pub const MAX_DEPTH: usize = 12;
/// How many files a folder lists.
pub const MAX_FILES: usize = 20_000;

/// Directories that contain no plans.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "vendor", "dist", "build"];
/// Endings of files that may be part of a plan.
const ENDINGS: &[&str] = &["md", "json", "jsonl", "yml", "yaml", "toml"];

/// Whether a directory of this name is searched for plans.
pub fn is_searched(directory: &str) -> bool {
    !SKIPPED.contains(&directory)
}

/// Whether a file of this name may be part of a plan.
pub fn may_hold_a_plan(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// The files below one directory.
pub trait PlanFolder {
    /// Paths of all files, relative to the folder, with `/` between components, sorted.
    fn paths(&self) -> &[String];

    /// The text of a file, or `None` if there is no such file.
    fn text(&self, path: &str) -> Option<Result<String, Finding>>;

    /// A path of this folder for messages that name other files than their own.
    fn shown(&self, path: &str) -> String {
        path.to_owned()
    }

    /// The text of a file of finished work. Such files never fail, and do not count towards the limits.
    fn finished_text(&self, path: &str) -> Option<String> {
        self.text(path)?.ok()
    }

    /// The start of a file, for files of which many are looked at and only the first lines matter.
    /// It does not count towards the limits.
    fn head(&self, path: &str) -> Option<Result<String, Finding>> {
        self.text(path)
    }

    /// Whether the file exists. Cheap, so it can be asked for many paths.
    fn holds(&self, path: &str) -> bool {
        self.paths().binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }

    /// The paths that start with `front`.
    fn starting_with(&self, front: &str) -> &[String] {
        let from = &self.paths()[self.paths().partition_point(|path| path.as_str() < front)..];
        &from[..from.partition_point(|path| path.starts_with(front))]
    }
}

/// A folder in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryFolder {
    paths: Vec<String>,
    texts: BTreeMap<String, Vec<u8>>,
}

impl MemoryFolder {
    pub fn new<P: Into<String>, T: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        let texts: BTreeMap<String, Vec<u8>> =
            files.into_iter().map(|(path, text)| (path.into(), text.into())).collect();
        Self { paths: texts.keys().cloned().collect(), texts }
    }
}

impl PlanFolder for MemoryFolder {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn text(&self, path: &str) -> Option<Result<String, Finding>> {
        self.texts.get(path).map(|bytes| as_text(path, bytes))
    }
}

/// A folder with some files replaced.
#[derive(Clone)]
pub struct PatchedFolder<'a> {
    under: &'a dyn PlanFolder,
    changed: BTreeMap<String, Vec<u8>>,
}

impl<'a> PatchedFolder<'a> {
    pub fn new(under: &'a dyn PlanFolder, changed: BTreeMap<String, Vec<u8>>) -> Self {
        Self { under, changed }
    }

    pub fn change(&mut self, path: &str, bytes: Vec<u8>) {
        self.changed.insert(path.to_owned(), bytes);
    }

    /// The bytes of a replaced file.
    pub fn changed(&self, path: &str) -> Option<&[u8]> {
        self.changed.get(path).map(Vec::as_slice)
    }

    /// The replaced files.
    pub fn into_changed(self) -> BTreeMap<String, Vec<u8>> {
        self.changed
    }
}

impl std::fmt::Debug for PatchedFolder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overlay").field("changed", &self.changed.keys()).finish_non_exhaustive()
    }
}

impl PlanFolder for PatchedFolder<'_> {
    fn paths(&self) -> &[String] {
        self.under.paths()
    }

    fn text(&self, path: &str) -> Option<Result<String, Finding>> {
        match self.changed.get(path) {
            Some(bytes) => Some(as_text(path, bytes)),
            None => self.under.text(path),
        }
    }

    fn finished_text(&self, path: &str) -> Option<String> {
        match self.changed.get(path) {
            Some(bytes) => as_text(path, bytes).ok(),
            None => self.under.finished_text(path),
        }
    }

    fn head(&self, path: &str) -> Option<Result<String, Finding>> {
        match self.changed.get(path) {
            Some(bytes) => Some(as_text(path, bytes)),
            None => self.under.head(path),
        }
    }
}

/// Decodes a file: UTF-8, without a byte order mark, with `\n` line breaks.
pub fn as_text(path: &str, bytes: &[u8]) -> Result<String, Finding> {
    if bytes.len() > limits::max_bytes(path) {
        return Err(limits::too_large(path));
    }
    if let Some(finding) = crate::findings::wide_encoding(path, bytes) {
        return Err(finding);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n")),
        Err(error) => Err(crate::findings::not_utf8(path, bytes, error.valid_up_to())),
    }
}
