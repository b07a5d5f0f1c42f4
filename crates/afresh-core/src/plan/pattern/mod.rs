//! The files that a task may write: paths and globs, relative to the repository's root.
//!
//! A pattern is checked when it enters (B01, B02, B04 to B06), so that no later code has to check whether it leaves
//! the tree. The question whether two patterns can name the same file is answered conservatively: in doubt, yes.
//!
//! | module | idea |
//! | --- | --- |
//! | `names` | brackets and braces that are part of a file's name |

mod names;

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::printable::is_unprintable;

/// The longest path, in bytes: the limit of Linux, minus space for the workspace's own path.
pub const MAX_PATH_BYTES: usize = 3072;
/// The longest single component of a path, in bytes.
pub const MAX_COMPONENT_BYTES: usize = 255;

/// Why a text is not a file pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("is empty")]
    Empty,
    #[error("is absolute; paths are relative to the repository's root")]
    Absolute,
    #[error("leaves the repository through '..'")]
    Leaves,
    #[error("names git's own directory")]
    GitDirectory,
    #[error("holds a control character")]
    Control,
    #[error("has a component that starts with '-'")]
    LeadingDash,
    #[error("has {0} bytes; at most {MAX_PATH_BYTES} are allowed")]
    TooLong(usize),
    #[error("has a component of {0} bytes; at most {MAX_COMPONENT_BYTES} are allowed")]
    LongComponent(usize),
    #[error("has an empty or '.' component")]
    EmptyComponent,
    #[error("uses '\\'; components are separated by '/'")]
    Backslash,
    #[error("is not a glob: {0}")]
    Glob(String),
}

impl PatternError {
    /// The hint for the author of a plan.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty | Self::EmptyComponent => {
                "write it plainly, as in \"src/greet.py\"; a directory ends in one '/'"
            }
            Self::Absolute | Self::Leaves => {
                "name a file of the repository by its path from the root, as in \"src/greet.py\""
            }
            Self::GitDirectory => "no task may write there; name a file of the checkout",
            Self::Control | Self::LeadingDash => "give the file another name",
            Self::TooLong(_) | Self::LongComponent(_) => "give the file a shorter name",
            Self::Backslash => "write '/' between directories",
            Self::Glob(_) => "close every '[' and '{'",
        }
    }
}

/// A path (`src/greet.py`), a directory (`docs/`) or a glob (`src/**/*.py`).
#[derive(Clone, JsonSchema, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FilePattern {
    text: String,
    /// Set for everything that is not a plain path.
    glob: Option<GlobMatcher>,
}

impl FilePattern {
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let text = text.strip_prefix("./").unwrap_or(text);
        check_path(text)?;
        let glob = match text.strip_suffix('/') {
            Some(directory) => Some(compile(&format!("{}/**", escape(directory)))?),
            None if text.contains(['*', '?', '[', '{']) => named_like_a_glob(text)?,
            None => None,
        };
        Ok(Self { text: text.to_owned(), glob })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The path, if the pattern is a plain path.
    pub fn literal(&self) -> Option<&str> {
        self.glob.is_none().then_some(self.text.as_str())
    }

    pub fn matches(&self, path: &str) -> bool {
        match &self.glob {
            // Some file names look like a glob.
            Some(glob) => glob.is_match(path) || path == self.text,
            // A listed directory without a trailing slash covers everything below it.
            None => {
                path.strip_prefix(&self.text).is_some_and(|r| r.is_empty() || r.starts_with('/'))
            }
        }
    }

    /// Whether both may name the same file. In doubt, yes.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self.literal(), other.literal()) {
            (Some(a), Some(b)) => self.matches(b) || other.matches(a),
            (Some(path), None) => other.matches(path) || other.reaches_below(path),
            (None, Some(path)) => self.matches(path) || self.reaches_below(path),
            (None, None) => {
                let (a, b) = (self.fixed_start(), other.fixed_start());
                let (x, y) = (self.fixed_end(), other.fixed_end());
                (a.starts_with(b) || b.starts_with(a)) && (x.ends_with(y) || y.ends_with(x))
            }
        }
    }

    /// Whether a match may be below `directory`. In doubt, yes.
    fn reaches_below(&self, directory: &str) -> bool {
        let (start, below) = (self.fixed_start(), format!("{directory}/"));
        if !start.starts_with(&below) && !below.starts_with(start) {
            return false;
        }
        // These can match any number of components.
        if start.starts_with(&below) || self.text.contains("**") || self.text.contains(['{', '[']) {
            return true;
        }
        let depth = below.matches('/').count();
        let Some((end, _)) = self.text.match_indices('/').nth(depth - 1) else { return false };
        compile(&self.text[..end]).map_or(true, |glob| glob.is_match(directory))
    }

    /// What every match starts with.
    pub fn fixed_start(&self) -> &str {
        &self.text[..self.text.find(['*', '?', '[', '{']).unwrap_or(self.text.len())]
    }

    /// What every match ends with.
    fn fixed_end(&self) -> &str {
        if self.text.ends_with('/') {
            return "";
        }
        &self.text[self.text.rfind(['*', '?', ']', '}']).map_or(0, |at| at + 1)..]
    }
}

/// Checks a path or pattern; also used for paths that come from a repository.
pub fn check_path(text: &str) -> Result<(), PatternError> {
    if text.is_empty() {
        return Err(PatternError::Empty);
    }
    if text.len() > MAX_PATH_BYTES {
        return Err(PatternError::TooLong(text.len()));
    }
    if text.chars().any(is_unprintable) {
        return Err(PatternError::Control);
    }
    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    if text.starts_with('/') || text.starts_with('~') || text.starts_with("\\\\") || drive {
        return Err(PatternError::Absolute);
    }
    if text.contains('\\') {
        return Err(PatternError::Backslash);
    }
    for component in text.strip_suffix('/').unwrap_or(text).split('/') {
        check_component(component)?;
    }
    Ok(())
}

fn check_component(component: &str) -> Result<(), PatternError> {
    if component.len() > MAX_COMPONENT_BYTES {
        return Err(PatternError::LongComponent(component.len()));
    }
    match component {
        "" | "." => Err(PatternError::EmptyComponent),
        ".." => Err(PatternError::Leaves),
        c if is_git_directory(c) => Err(PatternError::GitDirectory),
        c if c.starts_with('-') => Err(PatternError::LeadingDash),
        _ => Ok(()),
    }
}

/// Whether some file system takes this name for `.git`, as `git fsck` knows them: they ignore case, HFS+ also ignores
/// invisible characters, and NTFS has a short name, ignores dots and blanks at the end, splits off a stream, and takes a
/// backslash for a slash.
pub fn is_git_directory(name: &str) -> bool {
    name.split('\\').any(is_git_name) || is_git_name(name)
}

fn is_git_name(name: &str) -> bool {
    let visible: String = name.chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    if visible.eq_ignore_ascii_case(".git") {
        return true;
    }
    [".git", "git~1"].iter().any(|git| {
        let start = name.get(..git.len()).filter(|start| start.eq_ignore_ascii_case(git));
        let rest = start.map(|_| name[git.len()..].trim_start_matches(['.', ' ']));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '\\']))
    })
}

/// A name as file systems compare it that ignore case, invisible characters, or dots, blanks and a stream at its end.
pub fn fold_name(name: &str) -> String {
    let visible: String = name.chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    let file = visible.split(':').next().unwrap_or_default();
    file.trim_end_matches(['.', ' ']).to_lowercase()
}

fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// The glob of a text with glob characters; none if those are part of a name.
fn named_like_a_glob(text: &str) -> Result<Option<GlobMatcher>, PatternError> {
    let glob = names::escaped(text);
    let bare = glob.replace("[[]", "").replace("[]]", "").replace("[{]", "").replace("[}]", "");
    let is_name = glob != text && !bare.contains(['*', '?', '[', '{']);
    if is_name { Ok(None) } else { compile(&glob).map(Some) }
}

fn compile(glob: &str) -> Result<GlobMatcher, PatternError> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| PatternError::Glob(error.kind().to_string()))
}

fn escape(text: &str) -> String {
    text.chars()
        .map(|c| if "*?[]{}!".contains(c) { format!("[{c}]") } else { c.to_string() })
        .collect()
}

impl PartialEq for FilePattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for FilePattern {}

impl fmt::Debug for FilePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl fmt::Display for FilePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl TryFrom<String> for FilePattern {
    type Error = PatternError;
    fn try_from(text: String) -> Result<Self, PatternError> {
        Self::new(&text)
    }
}

impl From<FilePattern> for String {
    fn from(pattern: FilePattern) -> String {
        pattern.text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> FilePattern {
        FilePattern::new(text).unwrap()
    }

    /// B01, B02, B04, B05, B06: a text that could leave the tree, or break a tool, is not accepted as a path.
    #[test]
    fn paths_that_leave_the_tree_are_refused() {
        let long = format!("a/{}", "x".repeat(4096));
        let component = "y".repeat(256);
        for bad in [
            "",
            "/etc/passwd",
            "../../etc/x",
            "a/../../b",
            "a/..",
            ".git/hooks/post-commit",
            "sub/.GIT/config",
            ".git",
            "a/.git.",
            "git~1/x",
            ".gi\u{200c}t/config",
            ".g\u{200d}it/hooks/x",
            "\u{feff}.git",
            ".GI\u{206f}T/x",
            ".git::$INDEX_ALLOCATION/x",
            "sub/.git:x",
            "GIT~1:stream",
            ".git . ./x",
            "-rf",
            "a/-x",
            "a\nb",
            "a\0b",
            "~/.ssh/id",
            "C:/x",
            "\\\\host\\x",
            "a\\b",
            "a//b",
            "./",
            "a/./b",
            "src/[",
            &long,
            &component,
        ] {
            assert!(FilePattern::new(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn ordinary_paths_and_globs_match_what_people_expect() {
        assert!(pattern("src/greet.py").matches("src/greet.py"));
        assert!(!pattern("src/greet.py").matches("src/greet.pyc"));
        assert!(pattern("docs/").matches("docs/a/b.md"));
        assert!(pattern("docs").matches("docs/a/b.md"));
        assert!(pattern("src/**/*.py").matches("src/a/b.py"));
        assert!(pattern("src/*.py").matches("src/b.py"));
        assert!(!pattern("src/*.py").matches("src/a/b.py"));
        assert!(pattern("app/[slug]/page.tsx").matches("app/[slug]/page.tsx"));
        assert!(pattern(".github/workflows/ci.yml").matches(".github/workflows/ci.yml"));
    }

    #[test]
    fn patterns_overlap_unless_they_provably_cannot() {
        assert!(pattern("a.txt").overlaps(&pattern("a.txt")));
        assert!(pattern("src").overlaps(&pattern("src/a.py")));
        assert!(pattern("src/").overlaps(&pattern("src/a.py")));
        assert!(pattern("src").overlaps(&pattern("src/*.py")));
        assert!(pattern("src").overlaps(&pattern("*/*.py")));
        assert!(pattern("src").overlaps(&pattern("**/a.py")));
        assert!(!pattern("src").overlaps(&pattern("lib*/*.py")));
        assert!(!pattern("src/a.py").overlaps(&pattern("*.py")));
        assert!(pattern("*.py").overlaps(&pattern("test_*")));
        assert!(!pattern("*.py").overlaps(&pattern("*.js")));
        assert!(!pattern("a/*.py").overlaps(&pattern("b/*.py")));
        assert!(!pattern("a.txt").overlaps(&pattern("b.txt")));
        assert!(!pattern("app/[id]/page.tsx").overlaps(&pattern("app/[slug]/page.tsx")));
        assert!(pattern("app/[id]/*.tsx").overlaps(&pattern("app/[id]/page.tsx")));
    }

    proptest! {
        /// EX-01 depends on this: two patterns that match the same path are never called disjoint.
        #[test]
        fn patterns_with_a_common_file_overlap(
            a in "(a|b|\\*|\\*\\*)(/(a|b|\\*|x\\*)){0,2}(\\.py|\\*)?",
            b in "(a|b|\\*|\\*\\*)(/(a|b|\\*|x\\*)){0,2}(\\.py|\\*)?",
            path in "(a|b|xa)(/(a|b|xa)){0,2}(\\.py)?",
        ) {
            if let (Ok(a), Ok(b)) = (FilePattern::new(&a), FilePattern::new(&b))
                && a.matches(&path) && b.matches(&path) {
                prop_assert!(a.overlaps(&b) && b.overlaps(&a), "{a} and {b} both match {path}");
            }
        }

        #[test]
        fn no_text_makes_a_pattern_panic(text in "\\PC{0,40}") {
            if let Ok(pattern) = FilePattern::new(&text) {
                let _ = pattern.matches("src/a.py");
                let _ = pattern.overlaps(&FilePattern::new("src/**").unwrap());
            }
        }
    }
}
