//! Type and scope of a conventional commit, and the subject that follows from them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::printable;

/// The longest subject, in characters, without its prefix.
const MAX_TITLE_CHARS: usize = 100;
const MAX_KIND_CHARS: usize = 20;
const MAX_SCOPE_CHARS: usize = 40;

/// The types that a title is recognised by; `api: add a route` has none of them, so its first word is kept as a word.
const KNOWN_TYPES: &[&str] =
    &["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];

/// What stands before the colon of a subject: `docs`, or `feat(sf-001)`.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct CommitLabel {
    kind: String,
    scope: Option<String>,
}

impl CommitLabel {
    /// None if the type or the scope is not one word.
    pub fn new(kind: &str, scope: Option<&str>) -> Option<Self> {
        let is_kind = kind.starts_with(|c: char| c.is_ascii_lowercase())
            && kind.len() <= MAX_KIND_CHARS
            && kind.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        let is_scope = |scope: &str| {
            !scope.is_empty()
                && scope.len() <= MAX_SCOPE_CHARS
                && scope.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
        };
        (is_kind && scope.is_none_or(is_scope))
            .then(|| Self { kind: kind.to_owned(), scope: scope.map(str::to_owned) })
    }

    /// Reads `docs` or `feat(sf-001)`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once('(') {
            None => Self::new(text, None),
            Some((kind, rest)) => Self::new(kind, Some(rest.strip_suffix(')')?)),
        }
    }

    pub fn kind(&self) -> &str {
        &self.kind
    }

    pub fn scope(&self) -> Option<&str> {
        self.scope.as_deref()
    }
}

impl fmt::Display for CommitLabel {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scope {
            Some(scope) => write!(to, "{}({scope})", self.kind),
            None => to.write_str(&self.kind),
        }
    }
}

impl TryFrom<String> for CommitLabel {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is no type of a commit"))
    }
}

impl From<CommitLabel> for String {
    fn from(label: CommitLabel) -> Self {
        label.to_string()
    }
}

/// The subject of a commit: a title that has a type of its own keeps it, another one gets that of the plan.
pub fn compose_subject(title: &str, label: Option<&CommitLabel>) -> String {
    let title = one_line(title);
    match label.filter(|_| !has_type(&title)) {
        Some(label) => format!("{label}: {title}"),
        None => title,
    }
}

/// Whether a title is the subject of a conventional commit already: `fix: …`, `docs(readme): …`, `feat!: …`.
pub(super) fn has_type(title: &str) -> bool {
    let Some((head, rest)) = title.split_once(':') else { return false };
    let head = head.strip_suffix('!').unwrap_or(head);
    let kind = match head.split_once('(') {
        Some((kind, scope)) if scope.len() > 1 && scope.ends_with(')') => kind,
        Some(_) => return false,
        None => head,
    };
    let is_known = KNOWN_TYPES.iter().any(|known| known.eq_ignore_ascii_case(kind));
    is_known && rest.starts_with(' ') && !rest.trim().is_empty()
}

/// A title as one line of printable text.
pub(super) fn one_line(text: &str) -> String {
    let plain = printable::aligned(text);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MAX_TITLE_CHARS).collect();
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> CommitLabel {
        CommitLabel::parse(text).expect("a label")
    }

    /// EX-16: no second type before a title that has one.
    #[test]
    fn a_title_with_a_type_keeps_it() {
        let docs = label("docs");
        for title in [
            "fix: crash when the list is empty",
            "docs(readme): explain installation",
            "feat!: drop the old format",
            "refactor(core/api)!: one type per idea",
            "Fix: the crash",
        ] {
            assert_eq!(compose_subject(title, Some(&docs)), title);
            assert_eq!(compose_subject(title, None), title);
        }
    }

    /// EX-16: type and scope come from the plan, or there are none.
    #[test]
    fn other_titles_get_the_type_of_the_plan_or_none() {
        assert_eq!(compose_subject("Release notes", Some(&label("docs"))), "docs: Release notes");
        let scoped = label("feat(sf-001)");
        assert_eq!(compose_subject("Log in", Some(&scoped)), "feat(sf-001): Log in");
        assert_eq!(compose_subject("Release notes", None), "Release notes");
        // A word before a colon is no type.
        for title in ["api: add a route", "fix:", "fix:now", "fix(: x", "fix(): x", "note: fix: x"]
        {
            assert_eq!(compose_subject(title, None), title);
            assert_eq!(compose_subject(title, Some(&scoped)), format!("feat(sf-001): {title}"));
        }
    }

    #[test]
    fn a_subject_is_one_short_line_without_hidden_characters() {
        assert_eq!(compose_subject("a\u{1b}[2J\u{202e}b\r\nc", None), "a [2J b c");
        assert_eq!(compose_subject(&"x".repeat(300), None).len(), MAX_TITLE_CHARS);
    }

    #[test]
    fn a_label_is_a_type_and_at_most_a_scope() {
        for text in ["docs", "feat(sf-001)", "test(02)", "build-2(a/b.c_d)"] {
            assert_eq!(label(text).to_string(), text);
        }
        let long = "x".repeat(MAX_KIND_CHARS + 1);
        for text in
            ["", "Docs", "1a", "feat()", "feat(a", "feat(a)b", "feat (a)", "a b", "a:", &long]
        {
            assert_eq!(CommitLabel::parse(text), None, "{text:?}");
        }
    }
}
