//! Fenced code blocks: which lines are code.
//!
//! A block ends at a line with at least as many of the same character and nothing after them; a block
//! that is never closed extends to the end, as in `CommonMark`. Unlike `CommonMark`, fences may be indented
//! by any amount, because plans indent the contents of their tags.

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
}

/// A block that is not closed yet.
#[derive(Debug, Clone, Copy)]
struct OpenFence {
    mark: u8,
    length: usize,
    start: usize,
}

impl FenceTracker {
    pub fn kind(&mut self, line: &TextLine) -> LineKind {
        let mark = mark(line.text);
        match (self.open, mark) {
            (None, Some((mark, length, _))) => {
                self.open = Some(OpenFence { mark, length, start: line.start });
                LineKind::Opening
            }
            (None, None) => LineKind::Text,
            (Some(open), Some((mark, length, info)))
                if mark == open.mark && length >= open.length && info.is_empty() =>
            {
                self.open = None;
                LineKind::Closing
            }
            (Some(_), _) => LineKind::Code,
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

    #[test]
    fn a_code_span_opens_no_block() {
        assert_eq!(picture("```x``` and\n``\nb"), "ttt");
    }
}
