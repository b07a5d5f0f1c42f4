//! Ignored paths that stay in a workspace from one attempt to the next, and tool artefacts that are
//! never harvested.
//!
//! The patterns are those of gitignore, negations included. As in git, a negation cannot bring back
//! what lies below a directory that matched.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Files that tools leave behind and that no task changes on purpose.
const TOOL_ARTEFACTS: [&str; 7] = [
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".aider*",
    ".DS_Store",
];

/// What a path is, because patterns with a slash at their end match only directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathKind {
    File,
    Directory,
}

/// A list of gitignore patterns; the last one that matches decides.
#[derive(Debug)]
pub(crate) struct KeepPatterns {
    matcher: Gitignore,
    lines: Vec<String>,
}

impl KeepPatterns {
    /// Drops comments, and what is not one valid line of an exclude file.
    pub(crate) fn new<S: AsRef<str>>(texts: &[S]) -> Self {
        let mut builder = GitignoreBuilder::new("");
        let mut lines = Vec::new();
        for text in texts {
            let text = text.as_ref().trim();
            let is_line = !text.trim_matches(['/', '!']).is_empty()
                && !text.starts_with('#')
                && !text.contains(['\n', '\0']);
            if is_line && builder.add_line(None, text).is_ok() {
                lines.push(text.to_owned());
            }
        }
        let matcher = builder.build().unwrap_or_else(|_| Gitignore::empty());
        Self { matcher, lines }
    }

    pub(crate) fn tool_artefacts() -> Self {
        Self::new(&TOOL_ARTEFACTS)
    }

    /// Whether the patterns match exactly this path.
    pub(crate) fn matches(&self, path: &[u8], kind: PathKind) -> bool {
        let path = Path::new(OsStr::from_bytes(path));
        self.matcher.matched(path, kind == PathKind::Directory).is_ignore()
    }

    /// Whether the patterns match this file or a directory above it.
    pub(crate) fn covers(&self, file: &[u8]) -> bool {
        let slashes = file.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes.into_iter().any(|(at, _)| self.matches(&file[..at], PathKind::Directory))
            || self.matches(file, PathKind::File)
    }

    /// The patterns as lines of an exclude file.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::PathKind::{Directory, File};
    use super::*;

    fn is_match(pattern: &str, path: &str, kind: PathKind) -> bool {
        KeepPatterns::new(&[pattern]).matches(path.as_bytes(), kind)
    }

    #[test]
    fn a_bare_name_matches_at_every_depth_and_a_path_only_at_the_root() {
        assert!(is_match("target/", "target", Directory));
        assert!(is_match("target/", "a/b/target", Directory));
        assert!(!is_match("target/", "target", File));
        assert!(
            is_match("/build", "build", Directory) && !is_match("/build", "a/build", Directory)
        );
        assert!(
            is_match("web/dist/", "web/dist", Directory)
                && !is_match("web/dist/", "x/web/dist", Directory)
        );
    }

    #[test]
    fn stars_stay_within_a_name_and_double_stars_do_not() {
        assert!(is_match("*.pyc", "a/b.pyc", File) && !is_match("*.pyc", "a.pyc.txt", File));
        assert!(is_match(".aider*", ".aider.chat", File));
        assert!(is_match("a/**/z", "a/z", Directory) && is_match("a/**/z", "a/b/c/z", Directory));
        assert!(!is_match("a/*/z", "a/b/c/z", Directory));
    }

    #[test]
    fn the_last_matching_pattern_decides() {
        let patterns = KeepPatterns::new(&["target/*", "!target/tmp/", "*.log", "!keep.log"]);
        let is_match = |path: &str, kind| patterns.matches(path.as_bytes(), kind);
        assert!(is_match("target/debug", Directory) && !is_match("target/tmp", Directory));
        assert!(is_match("a/b.log", File) && !is_match("a/keep.log", File));
        assert!(patterns.covers(b"target/debug/x") && !patterns.covers(b"target/tmp/x"));
        // As in git: what lies below a kept directory stays, whatever a later pattern says.
        assert!(KeepPatterns::new(&["target/", "!target/tmp/"]).covers(b"target/tmp/x"));
        assert_eq!(patterns.lines().count(), 4);
    }

    #[test]
    fn comments_and_invalid_lines_match_nothing() {
        for invalid in ["#x", "", "/", "!", "a\nb"] {
            assert_eq!(KeepPatterns::new(&[invalid]).lines().count(), 0, "{invalid:?}");
        }
    }

    #[test]
    fn files_below_a_tool_artefact_are_tool_artefacts() {
        assert!(KeepPatterns::tool_artefacts().covers(b"src/__pycache__/x.txt"));
        assert!(!KeepPatterns::tool_artefacts().covers(b"src/x.txt"));
    }
}
