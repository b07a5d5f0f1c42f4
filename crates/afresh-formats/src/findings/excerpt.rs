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
/// What the frame around an excerpt takes, besides the line's number.
const FRAME_CELLS: usize = 4;
/// A narrower terminal gets longer lines.
const MIN_CELLS: usize = 20;

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

    /// The excerpt below its position; only the position if there is no text, only the file if the line is 0. No
    /// line of the excerpt takes more than `columns`.
    pub(crate) fn render(&self, place: ExcerptPlace<'_>, mark: char, columns: usize) -> String {
        let ExcerptPlace { file, line, column } = place;
        let file = printable::line(file);
        if line == 0 {
            return format!("  --> {file}\n");
        }
        if self.text.is_empty() {
            return format!("  --> {file}:{line}:{column}\n");
        }
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let before = column.saturating_sub(1 + self.cut).min(EXCERPT_CHARS);
        let meant = self.width.min(EXCERPT_CHARS.saturating_sub(before));
        let room = columns.saturating_sub(number.len() + FRAME_CELLS).max(MIN_CELLS);
        let shown: Vec<char> = printable::aligned(&self.text).chars().collect();
        let Window { text, before } = Window::new(&shown, before, room);
        let indent = cells(text.chars().take(before));
        let marks =
            cells(text.chars().skip(before).take(meant)).clamp(1, room - indent.min(room - 1));
        let (indent, marks) = (" ".repeat(indent), mark.to_string().repeat(marks));
        format!(
            "  --> {file}:{line}:{column}\n {margin} |\n {number} | {text}\n {margin} | {indent}{marks}\n"
        )
    }
}

/// Where an excerpt is from; line and column count from 1, and line 0 is the whole file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExcerptPlace<'a> {
    pub(crate) file: &'a str,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The part of a line that fits, with the place that is meant in it.
struct Window {
    text: String,
    /// The number of characters before that place.
    before: usize,
}

impl Window {
    fn new(line: &[char], before: usize, room: usize) -> Self {
        let before = before.min(line.len());
        // A third of the room shows what is before the place.
        let is_far = cells(line[..before].iter().copied()) > room / 3 * 2;
        let start = if is_far { before.saturating_sub(room / 3) } else { 0 };
        let mut text: String = line[start..].iter().collect();
        if start > 0 {
            text = std::iter::once('…').chain(text.chars().skip(1)).collect();
        }
        if cells(text.chars()) > room {
            let mut used = 0;
            let fits = |c: &char| {
                used += c.width().unwrap_or(0);
                used < room
            };
            text = text.chars().take_while(fits).chain(['…']).collect();
        }
        Self { text, before: before - start }
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

    /// FO-06: in a narrow terminal, the place is shown with what is around it, and no line is longer.
    #[test]
    fn an_excerpt_fits_the_terminal() {
        let text = format!("{}here{}", "word ".repeat(20), " more".repeat(20));
        let start = text.find("here").expect("it is there");
        let found = SourceText::new("p", &text).finding("c", &(start..start + 4), "m");
        let shown = found.render_within(60);
        let lines: Vec<&str> = shown.lines().skip(1).collect();
        assert!(lines.iter().all(|line| line.chars().count() <= 60), "{shown}");
        let at = lines[2].chars().position(|c| c == 'h').expect("it is shown");
        assert_eq!(lines[3].chars().position(|c| c == '^'), Some(at), "{shown}");
        assert_eq!(lines[3].matches('^').count(), 4, "{shown}");
        assert!(lines[2].contains("| …") && lines[2].ends_with('…'), "{shown}");
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
