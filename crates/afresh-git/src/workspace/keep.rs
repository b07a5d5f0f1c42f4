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
    pub(crate) fn matches(&self, path: &[u8], is_directory: bool) -> bool {
        let path = Path::new(OsStr::from_bytes(path));
        self.matcher.matched(path, is_directory).is_ignore()
    }

    /// Whether the patterns match this file or a directory above it.
    pub(crate) fn covers(&self, file: &[u8]) -> bool {
        let slashes = file.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes.into_iter().any(|(at, _)| self.matches(&file[..at], true))
            || self.matches(file, false)
    }

    /// The patterns as lines of an exclude file.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(pattern: &str, path: &str, is_directory: bool) -> bool {
        KeepPatterns::new(&[pattern]).matches(path.as_bytes(), is_directory)
    }

    #[test]
    fn a_bare_name_matches_at_every_depth_and_a_path_only_at_the_root() {
        assert!(keeps("target/", "target", true));
        assert!(keeps("target/", "a/b/target", true));
        assert!(!keeps("target/", "target", false));
        assert!(keeps("/build", "build", true) && !keeps("/build", "a/build", true));
        assert!(keeps("web/dist/", "web/dist", true) && !keeps("web/dist/", "x/web/dist", true));
    }

    #[test]
    fn stars_stay_within_a_name_and_double_stars_do_not() {
        assert!(keeps("*.pyc", "a/b.pyc", false) && !keeps("*.pyc", "a.pyc.txt", false));
        assert!(keeps(".aider*", ".aider.chat", false));
        assert!(keeps("a/**/z", "a/z", true) && keeps("a/**/z", "a/b/c/z", true));
        assert!(!keeps("a/*/z", "a/b/c/z", true));
    }

    #[test]
    fn the_last_matching_pattern_decides() {
        let patterns = KeepPatterns::new(&["target/*", "!target/tmp/", "*.log", "!keep.log"]);
        let keeps = |path: &str, is_directory| patterns.matches(path.as_bytes(), is_directory);
        assert!(keeps("target/debug", true) && !keeps("target/tmp", true));
        assert!(keeps("a/b.log", false) && !keeps("a/keep.log", false));
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
