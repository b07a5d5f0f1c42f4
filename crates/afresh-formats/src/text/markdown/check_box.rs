//! Task list items: `- [ ]` and `- [x]`, or another check mark, `- [✓]`; those of other states, `- [-]` and
//! `- [~]`, are open; `- [ ]*` is optional.

use std::ops::Range;

use super::fence::{FenceTracker, LineKind};
use super::lines::{TextLine, lines};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckBox<'a> {
    pub ticked: bool,
    /// `- [ ]* …`: not needed.
    pub is_optional: bool,
    /// The text after the box.
    pub text: &'a str,
    /// Bytes of white space before the bullet.
    pub indent: usize,
    /// The range of the text.
    pub at: Range<usize>,
    /// The range of the mark between the brackets.
    pub mark: Range<usize>,
}

/// The check boxes of a document, except those in code blocks.
pub fn check_boxes(text: &str) -> Vec<CheckBox<'_>> {
    let mut fences = FenceTracker::within(text, 0..text.len());
    lines(text)
        .filter(|line| fences.kind(line) == LineKind::Text)
        .filter_map(|line| parse(&line))
        .collect()
}

/// Marks of work that has begun, waits or needs attention.
const OPEN_MARKS: &str = "-~/>!?";
/// Marks of finished work.
const DONE_MARKS: &str = "xX✅✓✔☑";

/// Parses a line of a bullet or a number, then `[ ]`, `[x]`, or another mark.
pub fn parse<'a>(line: &TextLine<'a>) -> Option<CheckBox<'a>> {
    let bulleted = line.text.trim_start();
    let digits = bulleted.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if digits > 0 {
        bulleted[digits..].strip_prefix(['.', ')'])?
    } else {
        bulleted.strip_prefix(['-', '*', '+'])?
    };
    let boxed = rest.strip_prefix([' ', '\t'])?.trim_start().strip_prefix('[')?;
    let (mark, text) = boxed.split_once(']')?;
    let ticked = match mark {
        " " | "" => false,
        // `[P]` is a label.
        mark if mark.trim_end_matches('\u{fe0f}').chars().count() != 1 => return None,
        mark if DONE_MARKS.contains(mark.trim_end_matches('\u{fe0f}')) => true,
        mark if OPEN_MARKS.contains(mark) => false,
        _ => return None,
    };
    let starred = text.strip_prefix('*').filter(|rest| rest.starts_with([' ', '\t']));
    let is_optional = starred.is_some();
    let text = starred.unwrap_or(text);
    // `[x](link)` is a link.
    let spaced = text.is_empty() || text.starts_with([' ', '\t']);
    let (words, mark) = (line.part(text.trim()), line.part(mark));
    spaced.then(|| CheckBox {
        ticked,
        is_optional,
        text: words.text,
        indent: line.indent(),
        at: words.range(),
        mark: mark.range(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FO-10: every check mark says that the work is done.
    #[test]
    fn check_marks_of_every_shape_are_done() {
        for mark in ["x", "X", "✅", "✓", "✔", "✔\u{fe0f}", "☑"] {
            let text = format!("- [{mark}] a");
            assert_eq!(check_boxes(&text).first().map(|found| found.ticked), Some(true), "{mark}");
        }
        assert!(check_boxes("- [xx] a\n- [\u{fe0f}] b").is_empty());
    }

    #[test]
    fn links_and_code_are_not_check_boxes() {
        let text = "- [ ] 1.1 first\n  * [X] second\n1. [x] third\n- [x](link)\n```\n- [ ] code\n```\n- [-] half\n-[ ] no\n- [P] label\n- [ ]* fine\n- [ ]";
        let shown: Vec<_> = check_boxes(text)
            .iter()
            .map(|found| (found.ticked, found.indent, found.text))
            .collect();
        assert_eq!(
            shown,
            [
                (false, 0, "1.1 first"),
                (true, 2, "second"),
                (true, 0, "third"),
                (false, 0, "half"),
                (false, 0, "fine"),
                (false, 0, ""),
            ]
        );
        assert_eq!(check_boxes(text).iter().filter(|found| found.is_optional).count(), 1);
        for found in check_boxes(text) {
            assert_eq!(&text[found.at.clone()], found.text);
            assert!(matches!(&text[found.mark.clone()], " " | "x" | "X" | "-"));
        }
    }
}
