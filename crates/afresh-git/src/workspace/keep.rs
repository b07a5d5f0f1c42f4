//! Paths that stay in a slot from one attempt to the next, and droppings nobody means to keep.
//!
//! The patterns are the plain part of gitignore's language: a name, a path from the root, `*`,
//! `?` and `**`, with a slash at the end for directories only. Negations are not understood.

/// What tools leave behind and no task means to change.
pub(crate) const DROPPINGS: [&str; 7] = [
    "__pycache__/",
    "*.pyc",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".aider*",
    ".DS_Store",
];

/// A set of patterns.
#[derive(Debug)]
pub(crate) struct KeepPatterns {
    patterns: Vec<KeepPattern>,
}

#[derive(Debug)]
struct KeepPattern {
    parts: Vec<Vec<u8>>,
    anchored: bool,
    directories_only: bool,
    text: String,
}

impl KeepPatterns {
    pub(crate) fn new<S: AsRef<str>>(texts: &[S]) -> Self {
        Self { patterns: texts.iter().filter_map(|text| KeepPattern::new(text.as_ref())).collect() }
    }

    pub(crate) fn droppings() -> Self {
        Self::new(&DROPPINGS)
    }

    /// Whether exactly this path is meant.
    pub(crate) fn matches(&self, path: &[u8], is_directory: bool) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches(path, is_directory))
    }

    /// Whether this file, or a directory above it, is meant.
    pub(crate) fn covers(&self, file: &[u8]) -> bool {
        let slashes = file.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes.into_iter().any(|(at, _)| self.matches(&file[..at], true))
            || self.matches(file, false)
    }

    /// The patterns as lines of an exclude file.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(|pattern| pattern.text.as_str())
    }
}

impl KeepPattern {
    /// Comments, negations and what could not be one line of an exclude file are no patterns.
    fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let inner = text.trim_matches('/');
        if inner.is_empty() || text.starts_with(['#', '!']) || text.contains(['\n', '\0']) {
            return None;
        }
        Some(Self {
            parts: inner.split('/').map(|part| part.as_bytes().to_owned()).collect(),
            anchored: text.starts_with('/') || inner.contains('/'),
            directories_only: text.ends_with('/'),
            text: text.to_owned(),
        })
    }

    fn matches(&self, path: &[u8], is_directory: bool) -> bool {
        if self.directories_only && !is_directory {
            return false;
        }
        let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        if self.anchored {
            path_matches(&self.parts, &parts)
        } else {
            parts.last().is_some_and(|name| name_matches(&self.parts[0], name))
        }
    }
}

fn path_matches(pattern: &[Vec<u8>], path: &[&[u8]]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((first, rest)) if first == b"**" => {
            (0..=path.len()).any(|skipped| path_matches(rest, &path[skipped..]))
        }
        Some((first, rest)) => path
            .split_first()
            .is_some_and(|(name, below)| name_matches(first, name) && path_matches(rest, below)),
    }
}

/// Matches `*` and `?`, going back to the last star where the rest does not fit.
fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, n));
            p += 1;
        } else if pattern.get(p).is_some_and(|c| *c == b'?' || *c == name[n]) {
            p += 1;
            n += 1;
        } else if let Some((star_p, star_n)) = star {
            star = Some((star_p, star_n + 1));
            p = star_p + 1;
            n = star_n + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(pattern: &str, path: &str, is_directory: bool) -> bool {
        KeepPatterns::new(&[pattern]).matches(path.as_bytes(), is_directory)
    }

    #[test]
    fn a_bare_name_is_meant_at_every_depth_and_a_path_only_at_the_root() {
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
    fn a_negation_or_a_comment_keeps_nothing() {
        for odd in ["!target", "#x", "", "/", "a\nb"] {
            assert_eq!(KeepPatterns::new(&[odd]).lines().count(), 0, "{odd:?}");
        }
    }

    #[test]
    fn what_lies_below_a_dropping_is_a_dropping() {
        assert!(KeepPatterns::droppings().covers(b"src/__pycache__/x.txt"));
        assert!(!KeepPatterns::droppings().covers(b"src/x.txt"));
    }
}
