//! Paths that a task lists: they are harvested even where the project ignores them.
//!
//! A glob matches ignored files only if it begins with a name: `**` means the project's files, not
//! everything that a build produced. Tool artefacts and kept paths are harvested only if their full
//! path is listed.

use std::path::Path;

use crate::harvest::paths::{is_reached_without_symlinks, is_safe_relative_path};
use crate::objects::index::IndexFile;
use crate::workspace::keep::KeepPatterns;

/// The listed paths that git may have ignored.
#[derive(Debug, Default)]
pub(crate) struct ListedPaths {
    pub(crate) pathspecs: Vec<String>,
    literal: Vec<String>,
}

impl ListedPaths {
    /// Finds which of `files` could be ignored: they exist, and `index` does not contain them.
    pub(crate) fn new(files: &[String], tree: &Path, index: Option<&IndexFile>) -> Self {
        let mut listed = Self::default();
        for file in files {
            let path = file.trim_end_matches('/');
            if path.contains(['*', '?', '[']) && !tree.join(path).exists() {
                let first = path.split('/').next().unwrap_or_default();
                if is_safe_relative_path(path) && !first.contains(['*', '?', '[']) {
                    listed.pathspecs.push(format!(":(top,glob){path}"));
                }
                continue;
            }
            if !is_safe_relative_path(path) || !is_reached_without_symlinks(tree, path) {
                continue;
            }
            let Ok(found) = tree.join(path).symlink_metadata() else { continue };
            let held = index.is_some_and(|index| index.get(path.as_bytes()).is_some());
            if found.is_dir() || !held {
                listed.pathspecs.push(format!(":(top,literal){path}"));
                listed.literal.push(path.to_owned());
            }
        }
        listed
    }

    /// Whether the task lists an ignored file that a pathspec matched.
    pub(crate) fn contains(
        &self,
        path: &[u8],
        artefacts: &KeepPatterns,
        keep: &KeepPatterns,
    ) -> bool {
        self.literal.iter().any(|literal| literal.as_bytes() == path)
            || !(artefacts.covers(path) || keep.covers(path))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pathspecs.is_empty()
    }
}

/// The paths as git reads them from stdin.
pub(crate) fn nul_separated(paths: &[Vec<u8>]) -> Vec<u8> {
    paths.iter().flat_map(|path| path.iter().chain(&[0])).copied().collect()
}
