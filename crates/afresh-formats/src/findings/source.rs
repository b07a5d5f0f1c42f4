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

/// The finding for a text that is UTF-16 or UTF-32, with or without a byte order mark; `None` for others. Without one,
/// letters of such a text look like UTF-8 with a NUL beside each.
pub fn wide_encoding(file: &str, bytes: &[u8]) -> Option<Finding> {
    let start = &bytes[..bytes.len().min(64)];
    let zeros = |every: usize, at: usize| {
        let units = start.chunks_exact(every);
        units.len() >= 2 && units.clone().filter(|unit| unit[at] == 0).count() * 2 > units.len()
    };
    let name = match start {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => "UTF-32",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
        _ if zeros(4, 1) && zeros(4, 2) && (zeros(4, 0) || zeros(4, 3)) => "UTF-32",
        _ if zeros(2, 1) || zeros(2, 0) => "UTF-16",
        _ => return None,
    };
    // Nothing of it can be shown.
    let message = format!("the file is {name}, not UTF-8");
    let finding = SourceText::new(file, "").finding("not-utf8", &(0..0), message);
    Some(finding.with_hint("save the file as UTF-8"))
}

/// The finding for a file that is not UTF-8.
pub fn not_utf8(file: &str, bytes: &[u8], offset: usize) -> Finding {
    if let Some(finding) = wide_encoding(file, bytes) {
        return finding;
    }
    let valid = String::from_utf8_lossy(&bytes[..offset]);
    let source = SourceText::new(file, &valid);
    let message = format!("byte {offset} (0x{:02x}) is not valid UTF-8", bytes[offset]);
    source.finding("not-utf8", &(offset..offset), message).with_hint("save the file as UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B19: with and without a byte order mark, in both byte orders.
    #[test]
    fn wide_encodings_are_named() {
        let text = "version = 1\nname = \"caf\u{e9}\"\n";
        for mark in ["", "\u{feff}"] {
            let marked = format!("{mark}{text}");
            let wide: Vec<u16> = marked.encode_utf16().collect();
            let wider: Vec<u32> = marked.chars().map(u32::from).collect();
            let encoded: [(&str, Vec<u8>); 4] = [
                ("UTF-16", wide.iter().flat_map(|unit| unit.to_le_bytes()).collect()),
                ("UTF-16", wide.iter().flat_map(|unit| unit.to_be_bytes()).collect()),
                ("UTF-32", wider.iter().flat_map(|unit| unit.to_le_bytes()).collect()),
                ("UTF-32", wider.iter().flat_map(|unit| unit.to_be_bytes()).collect()),
            ];
            for (name, bytes) in encoded {
                let finding = wide_encoding("p.plan.toml", &bytes).expect(name);
                assert_eq!(finding.message, format!("the file is {name}, not UTF-8"));
            }
            assert!(wide_encoding("p.plan.toml", marked.as_bytes()).is_none());
        }
        for plain in [&b""[..], b"a", b"a\0", b"# a\0b\n<task>\0</task>", b"caf\xe9\n"] {
            assert!(wide_encoding("x", plain).is_none(), "{plain:?}");
        }
    }
}
