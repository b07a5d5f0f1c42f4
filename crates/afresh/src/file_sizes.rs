//! How large the files are that a plan names, for its estimates. Only looks; bounded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use afresh_core::pattern::FilePattern;

/// More files than this are not looked at for one plan's globs.
const MAX_FILES: usize = 50_000;
/// Directories whose content no worker reads.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__", ".afresh"];

#[derive(Debug)]
pub(crate) struct FileSizes {
    root: PathBuf,
    /// Every file by its path; filled only where a plan has globs.
    listed: BTreeMap<String, u64>,
}

impl FileSizes {
    /// `globs` says whether the plan names files by anything but plain paths.
    pub(crate) fn of(root: &Path, globs: bool) -> Self {
        let mut sizes = Self { root: root.to_owned(), listed: BTreeMap::new() };
        if globs {
            sizes.list();
        }
        sizes
    }

    /// The bytes of everything that the pattern names; none where there is nothing yet.
    pub(crate) fn bytes_of(&self, pattern: &FilePattern) -> Option<u64> {
        if let Some(path) = pattern.literal() {
            let found = fs::symlink_metadata(self.root.join(path)).ok()?;
            return found.is_file().then_some(found.len());
        }
        let found = self.listed.iter().filter(|(path, _)| pattern.matches(path));
        found.fold(None, |sum, (_, bytes)| Some(sum.unwrap_or(0) + bytes))
    }

    fn list(&mut self) {
        let mut open = vec![String::new()];
        while let Some(directory) = open.pop() {
            let Ok(entries) = fs::read_dir(self.root.join(&directory)) else { continue };
            for entry in entries.flatten() {
                let Ok(name) = entry.file_name().into_string() else { continue };
                let Ok(kind) = entry.file_type() else { continue };
                let path =
                    if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
                if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
                    open.push(path);
                } else if kind.is_file() {
                    let bytes = entry.metadata().map_or(0, |found| found.len());
                    self.listed.insert(path, bytes);
                }
                if self.listed.len() >= MAX_FILES {
                    return;
                }
            }
        }
    }
}
