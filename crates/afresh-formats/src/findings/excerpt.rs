//! The source line of a finding, with marks below the range.
//!
//! Columns count characters, but a terminal shows a character in two cells, one, or none; the marks
//! are aligned with what a terminal shows.

use std::ops::Range;

use afresh_core::printable;
use unicode_width::UnicodeWidthChar;

/// The most characters of a line that are shown.
const EXCERPT_CHARS: usize = 200;
/// A place beyond this column is shown with its surroundings, not from the start of the line.
const FAR_COLUMN: usize = 160;
const CHARS_BEFORE: usize = 60;

/// A source line, or the part of a long one around the range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceExcerpt {
    pub text: String,
    /// The number of characters before the excerpt.
    cut: usize,
    /// The number of marked characters.
    pub width: usize,
}

impl SourceExcerpt {
    /// An excerpt of `line` that marks these characters.
    pub(crate) fn new(line: &str, meant: &Range<usize>) -> Self {
        // A file may be one line of megabytes.
        let cut = if meant.start >= FAR_COLUMN { meant.start + 1 - CHARS_BEFORE } else { 0 };
        let mark = if cut > 0 { "…" } else { "" };
        let rest = line.chars().skip(if cut > 0 { cut + 1 } else { 0 });
        let text = mark.chars().chain(rest).take(EXCERPT_CHARS).collect();
        Self { text, cut, width: meant.len().max(1) }
    }

    /// The excerpt below its position, or only the file name if the line is 0.
    pub(crate) fn render(&self, file: &str, (line, column): (usize, usize), mark: char) -> String {
        let file = printable::line(file);
        if line == 0 {
            return format!("  --> {file}\n");
        }
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let shown = printable::aligned(&self.text);
        let before = column.saturating_sub(1 + self.cut).min(EXCERPT_CHARS);
        let meant = self.width.min(EXCERPT_CHARS.saturating_sub(before));
        let indent = " ".repeat(cells(shown.chars().take(before)));
        let marks = cells(shown.chars().skip(before).take(meant)).max(1);
        let marks: String = std::iter::repeat_n(mark, marks).collect();
        format!(
            "  --> {file}:{line}:{column}\n {margin} |\n {number} | {shown}\n {margin} | {indent}{marks}\n"
        )
    }
}

/// The number of terminal cells that these characters take.
fn cells(chars: impl Iterator<Item = char>) -> usize {
    chars.map(|c| c.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use crate::findings::SourceText;

    /// Renders a finding about a part of a text, without its first line.
    fn picture(text: &str, part: &str) -> String {
        let start = text.find(part).expect("the text contains it");
        let at = start..start + part.len();
        let shown = SourceText::new("p", text).finding("c", &at, "m").render();
        shown.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    }

    /// FO-06: with tabs, wide and combining characters, the column counts characters and the marks
    /// are below the right cells.
    #[test]
    fn marks_are_aligned_with_the_marked_text() {
        insta::assert_snapshot!(picture("\ta:\tb", "b"), @"
          --> p:1:5
           |
         1 |  a: b
           |     ^
        ");
        insta::assert_snapshot!(picture("日本: 語語 x", "語語"), @"
          --> p:1:5
           |
         1 | 日本: 語語 x
           |       ^^^^
        ");
        let combining = picture("e\u{301}e\u{301}: e\u{301} x", "x");
        let lines: Vec<&str> = combining.lines().collect();
        assert_eq!((lines[0], lines[3]), ("  --> p:1:10", "   |       ^"));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let long = format!("{}here{}", "日".repeat(300), "x".repeat(300));
        let shown = picture(&long, "here");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "  --> p:1:301");
        let before = lines[2].split_once("here").expect("it is shown").0;
        let cells: usize = before.chars().map(|c| if c == '日' { 2 } else { 1 }).sum();
        assert_eq!(lines[3].find('^').map(|at| at + 2), Some(cells + 2), "{shown}");
    }
}
