//! Fenced code blocks: which lines are code.
//!
//! A block ends at a line with at least as many of the same character and nothing after them; a block
//! that is never closed extends to the end, as in `CommonMark`. Unlike `CommonMark`, fences may be indented
//! by any amount, because plans indent the contents of their tags. A block inside a list item ends
//! with it, but only at a heading or a check box: other lines of code are often indented too little. A
//! block of Markdown may contain blocks with fences of the same length: authors nest them, although in
//! `CommonMark` the end of the inner block is that of the outer one. The same holds for a block without a
//! language, if all fences of the document can be paired that way.

use std::collections::BTreeMap;
use std::ops::Range;

use super::check_box;
use super::lines::{TextLine, lines_from};

/// How many lines of a document are searched for the ends of nested blocks.
const MAX_NESTED_LINES: usize = 50_000;

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
    /// Where blocks with nested ones start and end.
    nested: BTreeMap<usize, usize>,
}

/// A block that is not closed yet.
#[derive(Debug, Clone, Copy)]
struct OpenFence {
    mark: u8,
    length: usize,
    start: usize,
    /// Its own indentation, if it is inside a list item.
    in_item: Option<usize>,
    /// The start of its last line, if it contains other blocks.
    last_line: Option<usize>,
}

impl FenceTracker {
    /// For the lines of a part of a document.
    pub fn within(text: &str, part: Range<usize>) -> Self {
        let mut tracker = Self::default();
        let mut nested = BTreeMap::new();
        let mut left = MAX_NESTED_LINES;
        let mut lines = lines_from(&text[part.clone()], part.start);
        while let Some(line) = lines.next() {
            let is_opening = tracker.kind(&line) == LineKind::Opening;
            let Some(open) = tracker.open.filter(|_| is_opening && is_markdown(&line)) else {
                continue;
            };
            let below = (line.end() + 1).min(part.end);
            if let Some(last) = nested_end(&text[below..part.end], below, open, &mut left) {
                nested.insert(line.start, last);
                lines = lines_from(&text[last..part.end], last);
                lines.next();
                tracker.leave();
            }
        }
        if let Some(plain) = plain_blocks_with_nested(text, part, &nested) {
            nested.extend(plain);
        }
        Self { nested, ..Self::default() }
    }

    pub fn kind(&mut self, line: &TextLine) -> LineKind {
        let mark = mark(line.text);
        let ends = |fence: &mut OpenFence| fence.in_item.is_some_and(|own| ends_item(line, own));
        let _ = self.open.take_if(|fence| fence.last_line.is_none() && ends(fence));
        if let Some(last) = self.open.and_then(|open| open.last_line) {
            let is_last = line.start >= last;
            self.open = self.open.filter(|_| !is_last);
            return if is_last { LineKind::Closing } else { LineKind::Code };
        }
        match (self.open, mark) {
            (None, Some((mark, length, _))) => {
                self.items.retain(|item| *item < line.indent());
                let inside = !self.items.is_empty();
                let in_item = inside.then(|| line.indent());
                let (start, last_line) = (line.start, self.nested.get(&line.start).copied());
                self.open = Some(OpenFence { mark, length, start, in_item, last_line });
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

/// Whether a block contains Markdown, by its first line.
fn is_markdown(line: &TextLine) -> bool {
    info(line.text).is_some_and(|info| ["markdown", "md", "mdx"].contains(&info))
}

/// The start of the last line of a block that contains other blocks; none if it contains none, or is
/// never closed.
fn nested_end(text: &str, start: usize, open: OpenFence, left: &mut usize) -> Option<usize> {
    let (mut depth, mut is_nested) = (0_usize, false);
    for line in lines_from(text, start) {
        *left = left.checked_sub(1)?;
        let found = mark(line.text);
        let Some((_, _, info)) =
            found.filter(|(mark, length, _)| *mark == open.mark && *length >= open.length)
        else {
            continue;
        };
        if !info.is_empty() {
            (depth, is_nested) = (depth + 1, true);
        } else if depth > 0 {
            depth -= 1;
        } else {
            return is_nested.then_some(line.start);
        }
    }
    None
}

/// Blocks without a language that contain others: the start of their first and of their last line.
///
/// Blocks with a language are taken out with their ends; if an even number of bare fences is left, each two of them
/// enclose a block. With an odd number one was forgotten, and the document is read as `CommonMark` reads it.
fn plain_blocks_with_nested(
    text: &str,
    part: Range<usize>,
    nested: &BTreeMap<usize, usize>,
) -> Option<Vec<(usize, usize)>> {
    let mut bare: Vec<usize> = Vec::new();
    // How many blocks with a language come before each bare fence.
    let mut inner: Vec<usize> = Vec::new();
    let mut blocks = 0;
    let mut open: Option<(u8, usize)> = None;
    let mut skip_to = 0;
    for line in lines_from(&text[part.clone()], part.start) {
        if line.start < skip_to {
            continue;
        }
        match (open, mark(line.text)) {
            (Some((mark, length)), Some((found, longer, "")))
                if found == mark && longer >= length =>
            {
                open = None;
            }
            (Some(_), _) | (None, None) => {}
            (None, Some(_)) if nested.contains_key(&line.start) => {
                skip_to = nested[&line.start] + 1;
                blocks += 1;
            }
            (None, Some((b'`', 3, ""))) => {
                // Below a list item, a fence is often forgotten.
                if line.indent() > 0 {
                    return None;
                }
                bare.push(line.start);
                inner.push(blocks);
            }
            (None, Some((mark, length, _))) => {
                open = Some((mark, length));
                blocks += 1;
            }
        }
    }
    if open.is_some() || !bare.len().is_multiple_of(2) {
        return None;
    }
    let pairs = bare.chunks_exact(2).zip(inner.chunks_exact(2));
    Some(
        pairs
            .filter(|(_, inner)| inner[0] < inner[1])
            .map(|(pair, _)| (pair[0], pair[1]))
            .collect(),
    )
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
        let mut fences = FenceTracker::within(text, 0..text.len());
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

    /// FO-11: a page of Markdown with code in it is one block; tasks after it are not lost.
    #[test]
    fn blocks_inside_markdown_are_nested() {
        assert_eq!(picture("```markdown\n# a\n```sh\nx\n```\n## b\n```\n## c"), "occcccxt");
        assert_eq!(picture("```md\n```sh\n```\n```py\n```\n```\n```sh\n```\nt"), "occccxoxt");
        assert_eq!(picture("- a\n  ```md\n  ```sh\n  ```\n  ```\n- b"), "toccxt");
        // Other languages contain no fences, and a block that is not closed contains no others.
        assert_eq!(picture("```sh\n```py\n```\nt"), "ocxt");
        assert_eq!(picture("```md\n```sh\n```\nt\n```py\n```\nt"), "ocxtoxt");
        let many = "```md\n```sh\n```\n".repeat(20_000);
        assert!(picture(&many).starts_with("ocx"));
    }

    /// FO-11: the usual broken form: a block without a language that contains blocks with one.
    #[test]
    fn blocks_inside_a_plain_block_are_nested() {
        assert_eq!(picture("```\n## a\n```sh\nx\n```\n## b\n```\n## c"), "occcccxt");
        assert_eq!(picture("```\n```sh\n```\n```py\n```\n```\nt\n```sh\n```\nt"), "occccxtoxt");
        assert_eq!(picture("```\na\n```\nt\n```\n```sh\n```\n## b\n```\nt"), "ocxtocccxt");
        // Four backticks need no such rule.
        assert_eq!(picture("````\n## a\n```sh\n```\n## b\n```\n````\n## c"), "occcccxt");
        // A forgotten fence makes the number odd: the document is read as CommonMark reads it.
        assert_eq!(picture("```\na\n```sh\nx\n```\n## b"), "occcxt");
        assert_eq!(picture("- a\n  ```\n## b\n```sh\n```\n## c\n  ```\n## d"), "totoxtoc");
    }

    #[test]
    fn a_code_span_opens_no_block() {
        assert_eq!(picture("```x``` and\n``\nb"), "ttt");
    }
}
