//! A word of a command line as the path of a file in the repository.
//!
//! Nothing is expanded by a shell, so some words only say how a path ends (`"$ROOT/ci.sh"`), and some stand for
//! several paths (`checks/*.sh`, `checks/$name.sh`).

use globset::{GlobBuilder, GlobMatcher};

/// The longest word that is read as a path.
const MAX_WORD: usize = 4096;

/// A path as it is written in a command line.
#[derive(Debug, Clone)]
pub(super) struct WordPath {
    /// Relative to the repository's root, or to an unknown directory; `""` is the directory itself.
    text: String,
    anchor: PathAnchor,
    globs: Option<WordGlobs>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathAnchor {
    /// The root of the repository.
    Root,
    /// Some directory: only the end of the path is known.
    Somewhere,
    /// The root of the file system: the repository is somewhere in it.
    Absolute,
}

/// A word that stands for several paths.
#[derive(Debug, Clone)]
struct WordGlobs {
    file: GlobMatcher,
    below: GlobMatcher,
}

impl WordPath {
    /// A word that a program in `directory` is given; none if it cannot name a file of the repository.
    pub(super) fn new(word: &str, directory: Option<&str>) -> Option<Self> {
        if word.is_empty() || word.len() > MAX_WORD || word.contains(['\0', '\n']) {
            return None;
        }
        let pattern = generalize_expansions(word);
        let (rest, anchor) = match pattern.strip_prefix("*/") {
            // Written so, it is a glob for exactly one directory; otherwise the first part is unknown.
            Some(rest) if !word.starts_with('*') => (rest, PathAnchor::Somewhere),
            _ if pattern.starts_with(['/', '~']) => (pattern.as_str(), PathAnchor::Absolute),
            _ if directory.is_none() => (pattern.as_str(), PathAnchor::Somewhere),
            _ => (pattern.as_str(), PathAnchor::Root),
        };
        // A word that is nothing but an unknown value says nothing.
        if rest.trim_matches('*').is_empty() && !word.starts_with('*') {
            return None;
        }
        let start = if anchor == PathAnchor::Root { directory.unwrap_or_default() } else { "" };
        let text = join_path(start, rest)?;
        let globs = text.contains(['*', '?', '[', '{']).then(|| WordGlobs::new(&text, anchor));
        Some(Self { text, anchor, globs: globs.flatten() })
    }

    /// Whether this is the file at `path`.
    pub(super) fn is_file(&self, path: &str) -> bool {
        let plain = match self.anchor {
            PathAnchor::Root => path == self.text,
            PathAnchor::Somewhere => ends_with_path(path, &self.text),
            PathAnchor::Absolute => ends_with_path(&self.text, path),
        };
        plain || self.globs.as_ref().is_some_and(|globs| globs.file.is_match(path))
    }

    /// Whether this is a directory above `path`.
    pub(super) fn is_above(&self, path: &str) -> bool {
        let plain = match self.anchor {
            _ if self.text.is_empty() => true,
            PathAnchor::Root => {
                path.strip_prefix(self.text.as_str()).is_some_and(|rest| rest.starts_with('/'))
            }
            PathAnchor::Somewhere => format!("/{path}").contains(&format!("/{}/", self.text)),
            PathAnchor::Absolute => {
                path.match_indices('/').any(|(at, _)| ends_with_path(&self.text, &path[..at]))
            }
        };
        plain || self.globs.as_ref().is_some_and(|globs| globs.below.is_match(path))
    }

    /// The same path with more at its end, such as an extension.
    pub(super) fn extended(&self, end: &str) -> Self {
        Self { text: format!("{}{end}", self.text), anchor: self.anchor, globs: None }
    }
}

impl WordGlobs {
    fn new(text: &str, anchor: PathAnchor) -> Option<Self> {
        let start = if anchor == PathAnchor::Root { "" } else { "**/" };
        let text = text.trim_start_matches('/');
        let compile = |end: &str| {
            let glob = GlobBuilder::new(&format!("{start}{text}{end}"))
                .literal_separator(true)
                .empty_alternates(true)
                .build();
            glob.ok().map(|glob| glob.compile_matcher())
        };
        Some(Self { file: compile("")?, below: compile("/**")? })
    }
}

/// Whether `path` is `end`, or ends with it as whole components.
pub(super) fn ends_with_path(path: &str, end: &str) -> bool {
    !end.is_empty()
        && path.strip_suffix(end).is_some_and(|start| start.is_empty() || start.ends_with('/'))
}

/// `directory/rest` without `.`, `..` and empty components; none above the root.
pub(super) fn join_path(directory: &str, rest: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    let root = if rest.starts_with('/') { "/" } else { "" };
    Some(format!("{root}{}", parts.join("/")))
}

/// What the shell would put in place of `$NAME`, `${…}` and `$(…)` is unknown: `*` stands for it.
fn generalize_expansions(word: &str) -> String {
    let mut found = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('$') {
        found.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let end = match after.chars().next() {
            Some('(') => closing_bracket(after, '(', ')'),
            Some('{') => closing_bracket(after, '{', '}'),
            Some(c) if c.is_ascii_alphanumeric() || c == '_' => {
                after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len())
            }
            // `$@`, `$*`, `$?`, or a plain dollar.
            Some(c) => c.len_utf8(),
            None => 0,
        };
        if !found.ends_with('*') {
            found.push('*');
        }
        rest = &after[end..];
    }
    found.push_str(rest);
    found
}

/// The length of a text up to the bracket that closes its first one; all of it if there is none.
fn closing_bracket(text: &str, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(word: &str, directory: Option<&str>, path: &str) {
        let found = WordPath::new(word, directory).is_some_and(|it| it.is_file(path));
        assert!(found, "{word} in {directory:?} is not {path}");
    }

    #[track_caller]
    fn is_not(word: &str, directory: Option<&str>, path: &str) {
        let found = WordPath::new(word, directory).is_some_and(|it| it.is_file(path));
        assert!(!found, "{word} in {directory:?} is {path}");
    }

    #[test]
    fn words_are_paths_from_the_directory_of_their_command() {
        is("./a/b.sh", Some(""), "a/b.sh");
        is("../b.sh", Some("a"), "b.sh");
        is("b.sh", Some("a"), "a/b.sh");
        is("b.sh", None, "deep/down/b.sh");
        is_not("b.sh", Some("a"), "b.sh");
        is_not("../../b.sh", Some("a"), "b.sh");
        is_not("b.sh", None, "ab.sh");
        is_not("", Some(""), "");
    }

    #[test]
    fn globs_and_values_stand_for_several_paths() {
        is("checks/*.sh", Some(""), "checks/a.sh");
        is_not("checks/*.sh", Some(""), "checks/deep/a.sh");
        is("checks/{a,b}.sh", Some(""), "checks/b.sh");
        is("checks/$name.sh", Some(""), "checks/b.sh");
        is("\"$ROOT/ci.sh\"".trim_matches('"'), Some(""), "ci.sh");
        is("$(git rev-parse --show-toplevel)/tools/ci.sh", Some("x"), "tools/ci.sh");
        is("/home/me/repo/tools/ci.sh", Some(""), "tools/ci.sh");
        is("app/[id]/page.test.ts", Some(""), "app/[id]/page.test.ts");
        is_not("$x", Some(""), "a.sh");
        is_not("$(cat list)", Some(""), "a.sh");
        is_not("/usr/bin/python3", Some(""), "tools/python3");
    }

    #[test]
    fn directories_are_above_their_files() {
        let above = |word: &str, directory, path| {
            WordPath::new(word, directory).is_some_and(|it| it.is_above(path))
        };
        assert!(above("tests", Some(""), "tests/deep/a.py"));
        assert!(above(".", Some(""), "a.py"));
        assert!(above(".", Some("web"), "web/a.py"));
        assert!(above("pkg-*/tests", Some(""), "pkg-a/tests/x"));
        assert!(!above(".", Some("web"), "a.py"));
        assert!(!above("tests", Some(""), "tests2/a.py"));
        assert!(above("$ROOT/tests", Some(""), "sub/tests/a.py"));
        assert!(above("/home/me/repo/tests", Some(""), "tests/a.py"));
    }

    #[test]
    fn hostile_words_end() {
        for word in ["$", "$(", "${", "$(((", "[", "{", "{{{{", "a[", "$$$$", "é$é", "~", "/"] {
            for directory in [None, Some(""), Some("a")] {
                let path = WordPath::new(&word.repeat(300), directory);
                assert!(!path.is_some_and(|it| it.is_file("src/a.rs")), "{word}");
            }
        }
    }
}
