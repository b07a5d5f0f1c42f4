//! Paths that could lead out of the tree.

use std::path::Path;

use afresh_core::pattern::is_git_directory;

/// Only names separated by single slashes: nothing absolute, no `.`, no `..`, no `.git`.
pub(crate) fn is_safe_relative_path(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\0')
        && path.split('/').all(|part| !matches!(part, "" | "." | "..") && !is_git_directory(part))
}

/// Whether all directories on the way to `path` below `root` are real ones.
pub(crate) fn is_reached_without_symlinks(root: &Path, path: &str) -> bool {
    let mut at = root.to_owned();
    let Some((parents, _)) = path.rsplit_once('/') else { return true };
    parents.split('/').all(|part| {
        at.push(part);
        at.symlink_metadata().is_ok_and(|found| found.is_dir())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B01, B02, B04, B05: such paths are never passed to git.
    #[test]
    fn paths_that_leave_the_tree_are_not_safe() {
        for bad in [
            "",
            "/etc/x",
            "../x",
            "a/../b",
            "./a",
            "a//b",
            "a/",
            ".git/x",
            "a/.GIT/b",
            "a\0",
            ".g\u{200c}it/x",
            ".git:x",
        ] {
            assert!(!is_safe_relative_path(bad), "{bad:?}");
        }
        for good in ["a", "a/b", ".gitignore", "a b", "-x", "...", "ü/é"] {
            assert!(is_safe_relative_path(good), "{good:?}");
        }
    }
}
