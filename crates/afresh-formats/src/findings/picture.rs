//! How a place looks: its line, and marks below what is meant.
//!
//! Columns count characters; the marks stand below them as a terminal shows them, where a character
//! may take two cells, or none.

use std::ops::Range;

use afresh_core::printable;
use unicode_width::UnicodeWidthChar;

/// How much of a line is shown.
const EXCERPT_CHARS: usize = 200;
/// A place further to the right is shown with what is around it, and not from the line's start.
const FAR_COLUMN: usize = 160;
const CHARS_BEFORE: usize = 60;

/// A line, or the part of a long one that is around the place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceExcerpt {
    pub text: String,
    /// How many characters of the line come before the excerpt.
    cut: usize,
    /// How many characters are meant.
    pub width: usize,
}

impl SourceExcerpt {
    /// Of a line, in which these characters are meant.
    pub(super) fn new(line: &str, meant: &Range<usize>) -> Self {
        // A file may be one line of megabytes.
        let cut = if meant.start >= FAR_COLUMN { meant.start + 1 - CHARS_BEFORE } else { 0 };
        let mark = if cut > 0 { "…" } else { "" };
        let rest = line.chars().skip(if cut > 0 { cut + 1 } else { 0 });
        let text = mark.chars().chain(rest).take(EXCERPT_CHARS).collect();
        Self { text, cut, width: meant.len().max(1) }
    }

    /// With its place above it, counted from 1; only the file's name where there is no line.
    pub(super) fn render(&self, file: &str, (line, column): (usize, usize), mark: char) -> String {
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

/// How many cells of a terminal these characters take.
fn cells(chars: impl Iterator<Item = char>) -> usize {
    chars.map(|c| c.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::SourceText;

    /// What a finding about a part of a text looks like, without its first line.
    fn picture(text: &str, part: &str) -> String {
        let start = text.find(part).expect("it is there");
        let at = start..start + part.len();
        let shown = SourceText::new("p", text).finding("c", &at, "m").render();
        shown.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    }

    /// FO-06: tabs, wide and combining characters: the column counts characters, and the marks
    /// stand below what is meant.
    #[test]
    fn marks_stand_below_what_is_meant() {
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
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let long = format!("{}here{}", "日".repeat(300), "x".repeat(300));
        let shown = picture(&long, "here");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "  --> p:1:301");
        let before = lines[2].split_once("here").expect("it is shown").0;
        let cells: usize = before.chars().map(|c| if c == '日' { 2 } else { 1 }).sum();
        assert_eq!(lines[3].find('^').map(|at| at + 2), Some(cells + 2), "{shown}");
    }
}
