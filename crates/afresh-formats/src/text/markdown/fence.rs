//! Fenced code blocks: which lines are code.
//!
//! A block ends at a line with at least as many of the same character and nothing after them; a block
//! that is never closed extends to the end, as in `CommonMark`. Unlike `CommonMark`, fences may be indented
//! by any amount, because plans indent the contents of their tags. A block inside a list item ends
//! with it, but only at a heading or a check box: other lines of code are often indented too little.

use super::check_box;
use super::lines::TextLine;

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    Text,
    /// The line that opens a block.
    Opening,
    /// A line inside a block.
    Code,
    Closing,
}

/// Tracks the code blocks of a document, line by line.
#[derive(Debug, Clone, Default)]
pub struct FenceTracker {
    open: Option<OpenFence>,
    /// The indentations of the list items that the last line of text belongs to, the innermost last.
    items: Vec<usize>,
}

/// A block that is not closed yet.
#[derive(Debug, Clone, Copy)]
struct OpenFence {
    mark: u8,
    length: usize,
    start: usize,
    /// Its own indentation, if it is inside a list item.
    in_item: Option<usize>,
}

impl FenceTracker {
    pub fn kind(&mut self, line: &TextLine) -> LineKind {
        let mark = mark(line.text);
        let ends = |fence: &mut OpenFence| fence.in_item.is_some_and(|own| ends_item(line, own));
        let _ = self.open.take_if(ends);
        match (self.open, mark) {
            (None, Some((mark, length, _))) => {
                self.items.retain(|item| *item < line.indent());
                let inside = !self.items.is_empty();
                let in_item = inside.then(|| line.indent());
                self.open = Some(OpenFence { mark, length, start: line.start, in_item });
                LineKind::Opening
            }
            (None, None) => {
                self.follow_items(line);
                LineKind::Text
            }
            (Some(open), Some((mark, length, info)))
                if mark == open.mark && length >= open.length && info.is_empty() =>
            {
                self.open = None;
                LineKind::Closing
            }
            (Some(_), _) => LineKind::Code,
        }
    }

    /// Notes whether the text is part of a list item.
    fn follow_items(&mut self, line: &TextLine) {
        let (words, indent) = (line.text.trim_start(), line.indent());
        let numbered = words.trim_start_matches(|c: char| c.is_ascii_digit());
        let marked = if numbered.len() < words.len() {
            numbered.starts_with(". ") || numbered.starts_with(") ")
        } else {
            ["- ", "* ", "+ "].iter().any(|bullet| words.starts_with(bullet))
        };
        if !words.is_empty() {
            while self.items.pop_if(|item| *item >= indent).is_some() {}
        }
        if marked {
            self.items.push(indent);
        }
    }

    /// The start of the open block.
    pub fn open_since(&self) -> Option<usize> {
        self.open.map(|open| open.start)
    }

    /// Leaves the open block.
    pub fn leave(&mut self) {
        self.open = None;
    }
}

/// Whether the line clearly ends the list item of a block with this indentation.
fn ends_item(line: &TextLine, own: usize) -> bool {
    let words = line.text.trim_start();
    let heading = words.trim_start_matches('#');
    let level = words.len() - heading.len();
    let heading = (2..=6).contains(&level) && heading.starts_with(' ') && line.indent() == 0;
    heading || (line.indent() < own && check_box::parse(line).is_some())
}

/// The info string of a fence: usually the language.
pub fn info(line: &str) -> Option<&str> {
    mark(line).map(|(_, _, info)| info)
}

/// The character, the length and the info string, if the line is a fence.
fn mark(line: &str) -> Option<(u8, usize, &str)> {
    let line = line.trim();
    let mark = *line.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = line.bytes().take_while(|byte| *byte == mark).count();
    let info = line[length..].trim();
    // ```x``` on one line is a code span.
    (length >= 3 && (mark == b'~' || !info.contains('`'))).then_some((mark, length, info))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::markdown::lines;

    fn picture(text: &str) -> String {
        let mut fences = FenceTracker::default();
        let letter = |kind| match kind {
            LineKind::Text => 't',
            LineKind::Opening => 'o',
            LineKind::Code => 'c',
            LineKind::Closing => 'x',
        };
        lines(text).map(|line| letter(fences.kind(&line))).collect()
    }

    #[test]
    fn a_block_ends_at_a_fence_of_its_own_kind() {
        assert_eq!(picture("a\n```rust\nlet x;\n```\nb"), "tocxt");
        assert_eq!(picture("~~~\n```\n~~~\nb"), "ocxt");
        assert_eq!(picture("````\n```\n````\nb"), "ocxt");
        assert_eq!(picture("```\n`````\nb"), "oxt");
        assert_eq!(picture("```md\n```sh\n```\nb"), "ocxt");
        assert_eq!(picture("  ```\n      x\n    ```\nb"), "ocxt");
    }

    #[test]
    fn an_unclosed_block_extends_to_the_end() {
        assert_eq!(picture("```\na\n\n<task>"), "occc");
    }

    /// FO-11: a stray fence below a list item does not hide what comes after the item.
    #[test]
    fn a_block_in_a_list_item_ends_with_the_item() {
        assert_eq!(picture("- a\n  ```\n#### Next\n- b"), "tott");
        assert_eq!(picture("- [ ] a\n  ```\n- [ ] b\nc"), "tott");
        assert_eq!(picture("1. a\n\n   ```sh\n   x\n## Next"), "ttoct");
        // Code that is indented too little is still code.
        assert_eq!(picture("- a\n  ```sh\nnpm test\n# why\n- x\n  ```\nb"), "tocccxt");
        // Outside of a list there is no item that could end.
        assert_eq!(picture("a\n  ```\n## code\n  ```"), "tocx");
    }

    #[test]
    fn a_code_span_opens_no_block() {
        assert_eq!(picture("```x``` and\n``\nb"), "ttt");
    }
}
