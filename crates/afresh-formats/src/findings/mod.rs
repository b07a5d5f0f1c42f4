//! Findings: what is wrong with a file, where, and how to fix it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`codes`] | every finding code, explained |
//! | [`fixes`] | applies proposed fixes, and verifies them |
//! | [`locator`] | fills in line and column of findings, reading each file once |
//! | `source` | a file's text, which converts bytes to lines and columns |
//! | `excerpt` | the source line of a finding, with marks below it |

pub mod codes;
mod excerpt;
pub mod fixes;
pub mod locator;
mod source;

use std::fmt::Write as _;
use std::ops::Range;

use afresh_core::printable;
use schemars::JsonSchema;
use serde::Serialize;

use crate::findings::excerpt::ExcerptPlace;
pub use crate::findings::excerpt::SourceExcerpt;
pub use source::{SourceText, not_utf8, wide_encoding};

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// A stable identifier for scripts.
    pub code: String,
    pub message: String,
    /// What to do next. Scripts know it as `help`.
    #[serde(rename = "help")]
    pub hint: Option<String>,
    pub file: String,
    /// Counted from 1; 0 if the finding is about the whole file.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    #[serde(skip)]
    pub excerpt: SourceExcerpt,
    /// Related places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedPlace>,
    /// A proposed fix.
    #[serde(skip)]
    pub fix: Option<Fix>,
}

/// Another place that a finding refers to, and why.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct RelatedPlace {
    pub message: String,
    pub file: String,
    pub line: usize,
    pub column: usize,
    #[serde(skip)]
    pub excerpt: SourceExcerpt,
}

/// Edits of the finding's file, applied together or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub edits: Vec<TextEdit>,
    /// Whether the plan must be unchanged afterwards. A correction changes it on purpose.
    pub keeps_plan: bool,
}

/// A replacement for one range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// Bytes of the decoded text: without a byte order mark, with `\n` line breaks.
    pub range: Range<usize>,
    pub text: String,
}

impl Fix {
    /// A correction: the text that was meant, which may change the plan.
    pub fn correction(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { edits: vec![TextEdit { range, text: text.into() }], keeps_plan: false }
    }

    /// A rewording that leaves the plan unchanged.
    pub fn rewording(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { keeps_plan: true, ..Self::correction(range, text) }
    }
}

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Information, or a matter of style.
    Note,
    /// Likely a mistake.
    Warning,
    /// The plan cannot be run as intended.
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

    /// A finding about a whole file.
    pub fn for_file(file: &str, code: &str, message: impl Into<String>) -> Self {
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

    /// Adds the first of two places. The message names it too, since some tools show only the message.
    pub fn add_first_place(&mut self, first: RelatedPlace) {
        self.message.push_str(&self.first_place_text(&first));
        self.related.push(first);
    }

    fn first_place_text(&self, first: &RelatedPlace) -> String {
        let (file, line) = (&first.file, first.line);
        let place =
            if *file == self.file { format!("line {line}") } else { format!("{file}:{line}") };
        format!(" (the first is at {place})")
    }

    /// Gives the files that it names other names, also in its message.
    pub fn rename_files(&mut self, rename: impl Fn(&str) -> String) {
        let mut related = std::mem::take(&mut self.related);
        let texts: Vec<String> = related.iter().map(|place| self.first_place_text(place)).collect();
        self.file = rename(&self.file);
        for (place, text) in related.iter_mut().zip(texts) {
            place.file = rename(&place.file);
            if let Some(message) = self.message.strip_suffix(&text).map(str::to_owned) {
                self.message = message + &self.first_place_text(place);
            }
        }
        self.related = related;
    }

    /// The finding as text, without colour.
    pub fn render(&self) -> String {
        self.render_within(usize::MAX)
    }

    /// The same, with excerpts of at most this many columns.
    pub fn render_within(&self, columns: usize) -> String {
        let message = printable::lines(&self.message);
        let mut text = format!("{}[{}]: {message}\n", self.severity.word(), self.code);
        let place = ExcerptPlace { file: &self.file, line: self.line, column: self.column };
        text.push_str(&self.excerpt.render(place, '^', columns));
        for other in &self.related {
            let _ = writeln!(text, "  {}:", printable::line(&other.message));
            let place = ExcerptPlace { file: &other.file, line: other.line, column: other.column };
            text.push_str(&other.excerpt.render(place, '-', columns));
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(text, "  hint: {}", printable::lines(hint));
        }
        text
    }
}
