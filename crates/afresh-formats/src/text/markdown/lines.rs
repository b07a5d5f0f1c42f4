//! Lines with their source positions.

use std::ops::Range;

/// A line without its line break.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLine<'a> {
    pub text: &'a str,
    /// The byte offset of its start.
    pub start: usize,
}

impl<'a> TextLine<'a> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    /// The trimmed line.
    pub fn trimmed(&self) -> Self {
        let start = self.start + self.indent();
        Self { text: self.text.trim(), start }
    }

    /// Bytes of white space at its start.
    pub fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// The line without its bullet, number or check box.
    pub fn without_bullet(&self) -> Self {
        let bare = self.trimmed();
        let digits = bare.text.bytes().take_while(u8::is_ascii_digit).count();
        let first = |marks: &[&str], text: &'a str| marks.iter().find_map(|m| text.strip_prefix(m));
        let rest = match &bare.text[digits..] {
            numbered if digits > 0 => first(&[". ", ") "], numbered),
            bulleted => first(&["- [ ] ", "- [x] ", "- [X] ", "- ", "* ", "+ "], bulleted),
        };
        rest.map_or(bare, |rest| bare.part(rest.trim_start()))
    }

    /// A substring of the line, with its position. `part` must be a slice of `self.text`.
    pub fn part(&self, part: &'a str) -> Self {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        Self { text: part, start: self.start + offset.min(self.text.len()) }
    }
}

/// The lines of a text that starts at byte `start` of its file.
pub fn lines_from(text: &str, start: usize) -> impl Iterator<Item = TextLine<'_>> {
    let mut at = start;
    text.split_inclusive('\n').map(move |whole| {
        let line = TextLine { text: whole.strip_suffix('\n').unwrap_or(whole), start: at };
        at += whole.len();
        line
    })
}

pub fn lines(text: &str) -> impl Iterator<Item = TextLine<'_>> {
    lines_from(text, 0)
}
