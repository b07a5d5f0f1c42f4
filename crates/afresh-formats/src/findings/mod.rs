//! What is wrong with a file, and where.
//!
//! | module | idea |
//! | --- | --- |
//! | `source` | a file's text, able to say where a byte is |
//! | `picture` | how a place looks: the line, and marks below it |

pub mod codes;
pub mod fixes;
mod picture;
pub mod placing;
mod source;

use std::fmt::Write as _;
use std::ops::Range;

use afresh_core::printable;
use serde::Serialize;

pub use picture::SourceExcerpt;
pub use source::{SourceText, not_utf8};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// A stable word for scripts.
    pub code: String,
    pub message: String,
    /// What to do next. Scripts know it as `help`.
    #[serde(rename = "help")]
    pub hint: Option<String>,
    pub file: String,
    /// Counted from 1; 0 where the finding is about the file as a whole.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    #[serde(skip)]
    pub excerpt: SourceExcerpt,
    /// Other places that have to do with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPlace>,
    /// What would mend it, where that is safe to do without asking.
    #[serde(skip)]
    pub fix: Option<Fix>,
}

/// Another place that has to do with a finding, and what it is to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RelatedPlace {
    pub message: String,
    pub file: String,
    pub line: usize,
    pub column: usize,
    #[serde(skip)]
    pub excerpt: SourceExcerpt,
}

/// A change of the file that a finding is about; all of it, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub edits: Vec<TextEdit>,
    /// The plan must be the same afterwards. Otherwise the finding says what is meant instead.
    pub keeps_plan: bool,
}

/// Other words for one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// Bytes of the file's text: without a byte order mark, with plain line breaks.
    pub range: Range<usize>,
    pub text: String,
}

impl Fix {
    /// The word that was meant.
    pub fn meant(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { edits: vec![TextEdit { range, text: text.into() }], keeps_plan: false }
    }

    /// The same in other words.
    pub fn same(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { keeps_plan: true, ..Self::meant(range, text) }
    }
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know, or a matter of style.
    Note,
    /// Likely a mistake, or something that works worse than it could.
    Warning,
    /// It could not be run as it was meant.
    Error,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl Finding {
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// About a file as a whole.
    pub fn of_file(file: &str, code: &str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code: code.to_owned(),
            message: message.into(),
            hint: None,
            file: file.to_owned(),
            line: 0,
            column: 0,
            excerpt: SourceExcerpt::default(),
            related: Vec::new(),
            fix: None,
        }
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    #[must_use]
    pub fn as_warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Notes the first of two places; the message says it too, for those who read nothing else.
    pub fn note_first(&mut self, first: RelatedPlace) {
        let (file, line) = (&first.file, first.line);
        let place =
            if *file == self.file { format!("line {line}") } else { format!("{file}:{line}") };
        self.message = format!("{} (the first is at {place})", self.message);
        self.related.push(first);
    }

    /// The finding as people read it, without colour.
    pub fn render(&self) -> String {
        let message = printable::lines(&self.message);
        let mut text = format!("{}[{}]: {message}\n", self.severity.word(), self.code);
        text.push_str(&self.excerpt.render(&self.file, (self.line, self.column), '^'));
        for other in &self.related {
            let _ = writeln!(text, "  {}:", printable::line(&other.message));
            let place = (other.line, other.column);
            text.push_str(&other.excerpt.render(&other.file, place, '-'));
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(text, "  hint: {}", printable::lines(hint));
        }
        text
    }
}
