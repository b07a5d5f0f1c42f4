//! A file's text, which converts byte offsets to lines and columns.

use std::ops::Range;

use super::{Finding, RelatedPlace, SourceExcerpt};

#[derive(Debug, Clone)]
pub struct SourceText<'a> {
    pub name: &'a str,
    pub text: &'a str,
    line_starts: Vec<usize>,
}

impl<'a> SourceText<'a> {
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
        let mut finding = Finding::for_file(self.name, code, message);
        self.locate(&mut finding, at);
        finding
    }

    /// Sets the finding's position in this file.
    pub fn locate(&self, finding: &mut Finding, at: &Range<usize>) {
        self.name.clone_into(&mut finding.file);
        (finding.line, finding.column) = self.place(at.start);
        finding.excerpt = self.excerpt(at);
    }

    /// A related place in this file.
    pub fn related(&self, at: &Range<usize>, message: &str) -> RelatedPlace {
        let (line, column) = self.place(at.start);
        let (message, file) = (message.to_owned(), self.name.to_owned());
        RelatedPlace { message, file, line, column, excerpt: self.excerpt(at) }
    }

    fn excerpt(&self, at: &Range<usize>) -> SourceExcerpt {
        let (line, column) = self.place(at.start);
        let start = self.line_starts[line - 1];
        let shown = self.text[start..].lines().next().unwrap_or_default();
        let end = at.end.min(start + shown.len()).max(at.start);
        let width = self.text.get(at.start..end).map_or(1, |part| part.chars().count());
        SourceExcerpt::new(shown, &(column - 1..column - 1 + width))
    }
}

/// The finding for a file that is not UTF-8.
pub fn not_utf8(file: &str, bytes: &[u8], offset: usize) -> Finding {
    let valid = String::from_utf8_lossy(&bytes[..offset]);
    let source = SourceText::new(file, &valid);
    let message = format!("byte {offset} (0x{:02x}) is not valid UTF-8", bytes[offset]);
    source.finding("not-utf8", &(offset..offset), message).with_hint("save the file as UTF-8")
}
