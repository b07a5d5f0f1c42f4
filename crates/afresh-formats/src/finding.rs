//! What is wrong with a file, and where.

use std::fmt::Write as _;
use std::ops::Range;

use afresh_core::printable;
use serde::Serialize;

/// How much of a line is shown.
const EXCERPT_CHARS: usize = 200;
/// A place further to the right is shown with what is around it, and not from the line's start.
const FAR_COLUMN: usize = 160;
const CHARS_BEFORE: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// A stable word for scripts.
    pub code: String,
    pub message: String,
    pub help: Option<String>,
    pub file: String,
    /// Counted from 1; 0 where the finding is about the file as a whole.
    pub line: usize,
    pub column: usize,
    /// How many characters are meant.
    #[serde(skip)]
    pub width: usize,
    /// The line itself, for the picture; of a long one the part around the place.
    #[serde(skip)]
    pub excerpt: String,
    /// How many characters of the line come before the excerpt.
    #[serde(skip)]
    pub cut: usize,
    /// What would mend it, where that is safe to do without asking.
    #[serde(skip)]
    pub fix: Option<Fix>,
}

/// A change of one place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Bytes of the file's text: without a byte order mark, with plain line breaks.
    pub range: Range<usize>,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Warning,
    Error,
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
            help: None,
            file: file.to_owned(),
            line: 0,
            column: 0,
            width: 0,
            excerpt: String::new(),
            cut: 0,
            fix: None,
        }
    }

    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    #[must_use]
    pub fn with_fix(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.fix = Some(Fix { range, text: text.into() });
        self
    }

    #[must_use]
    pub fn as_warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// The finding as people read it, without colour.
    pub fn render(&self) -> String {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let (file, message) = (printable::line(&self.file), printable::lines(&self.message));
        let mut text = format!("{word}[{}]: {message}\n", self.code);
        if self.line == 0 {
            let _ = writeln!(text, "  --> {file}");
        } else {
            let number = self.line.to_string();
            let margin = " ".repeat(number.len());
            let shown = printable::aligned(&self.excerpt);
            let before = self.column.saturating_sub(1 + self.cut).min(EXCERPT_CHARS);
            let before = " ".repeat(before);
            let room = EXCERPT_CHARS.saturating_sub(before.len()).max(1);
            let carets = "^".repeat(self.width.clamp(1, room));
            let _ = writeln!(text, "  --> {file}:{}:{}", self.line, self.column);
            let _ =
                writeln!(text, " {margin} |\n {number} | {shown}\n {margin} | {before}{carets}");
        }
        if let Some(help) = &self.help {
            let _ = writeln!(text, "  help: {}", printable::lines(help));
        }
        text
    }
}

/// A file's text, able to say where a byte is.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
    line_starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub fn new(name: &'a str, text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        Self { name, text, line_starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Line and column, counted from 1, in characters.
    pub fn place(&self, byte: usize) -> (usize, usize) {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.line_starts.partition_point(|start| *start <= byte);
        let column = self.text[self.line_starts[line - 1]..byte].chars().count() + 1;
        (line, column)
    }

    pub fn finding(&self, code: &str, at: &Range<usize>, message: impl Into<String>) -> Finding {
        let mut finding = Finding::of_file(self.name, code, message);
        self.locate(&mut finding, at);
        finding
    }

    /// Says where in this file a finding is.
    pub fn locate(&self, finding: &mut Finding, at: &Range<usize>) {
        let (line, column) = self.place(at.start);
        let start = self.line_starts[line - 1];
        let excerpt = self.text[start..].lines().next().unwrap_or_default();
        // A file may be one line of megabytes.
        let cut = if column > FAR_COLUMN { column - CHARS_BEFORE } else { 0 };
        let mark = if cut > 0 { "…" } else { "" };
        let rest = excerpt.chars().skip(if cut > 0 { cut + 1 } else { 0 });
        finding.excerpt = mark.chars().chain(rest).take(EXCERPT_CHARS).collect();
        let end = at.end.min(start + excerpt.len()).max(at.start);
        let width = self.text.get(at.start..end).map_or(1, |part| part.chars().count());
        self.name.clone_into(&mut finding.file);
        (finding.line, finding.column) = (line, column);
        (finding.width, finding.cut) = (width.max(1), cut);
    }
}

/// A file that is not text.
pub fn not_utf8(file: &str, bytes: &[u8], offset: usize) -> Finding {
    let valid = String::from_utf8_lossy(&bytes[..offset]);
    let source = Source::new(file, &valid);
    let message = format!("byte {offset} is not UTF-8 (0x{:02x})", bytes[offset]);
    source.finding("not-utf8", &(offset..offset), message).with_help("save the file as UTF-8")
}
