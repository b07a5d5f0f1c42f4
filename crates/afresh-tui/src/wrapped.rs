//! Lines broken to the width of a pane.

use afresh_dashboard::text::{TextLine, TextRole};
use unicode_width::UnicodeWidthChar;

/// Breaks a line at blanks, or within a word that is wider than the pane.
pub fn wrap(line: &TextLine, width: usize) -> Vec<TextLine> {
    let width = width.max(1);
    if line.width() <= width {
        return vec![line.clone()];
    }
    let cells: Vec<(char, TextRole)> = line
        .spans()
        .iter()
        .flat_map(|span| span.text.chars().map(move |c| (c, span.role)))
        .collect();
    let mut lines = Vec::new();
    let mut start = 0;
    while start < cells.len() {
        let end = end_of_row(&cells[start..], width) + start;
        lines.push(join(&cells[start..end]));
        // The blank at which the line is broken is not shown.
        start = end + usize::from(cells.get(end).is_some_and(|(c, _)| *c == ' '));
    }
    lines
}

/// How many of these characters fit, up to a blank if there is one.
fn end_of_row(cells: &[(char, TextRole)], width: usize) -> usize {
    let mut used = 0;
    let mut last_blank = None;
    for (at, (c, _)) in cells.iter().enumerate() {
        used += c.width().unwrap_or(0);
        if used > width {
            let at_blank = if *c == ' ' { Some(at) } else { last_blank };
            // A break near the start of the row would waste most of it.
            return at_blank.filter(|blank| *blank * 3 > at).unwrap_or(at).max(1);
        }
        if *c == ' ' {
            last_blank = Some(at);
        }
    }
    cells.len()
}

fn join(cells: &[(char, TextRole)]) -> TextLine {
    let mut line = TextLine::new();
    for run in cells.chunk_by(|one, other| one.1 == other.1) {
        let text: String = run.iter().map(|(c, _)| *c).collect();
        line = line.with(run[0].1, &text);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        let texts = |line: &TextLine, width| -> Vec<String> {
            wrap(line, width).iter().map(TextLine::to_text).collect()
        };
        let line = TextLine::new().plain("one two ").with(TextRole::Bad, "three four");
        assert_eq!(texts(&line, 9), ["one two", "three", "four"]);
        assert_eq!(texts(&line, 99), ["one two three four"]);
        assert_eq!(texts(&TextLine::new().plain("abcdefghij"), 4), ["abcd", "efgh", "ij"]);
        assert_eq!(texts(&TextLine::new().plain("日本語"), 1), ["日", "本", "語"]);
        assert_eq!(texts(&TextLine::new(), 5), [""]);
        assert_eq!(wrap(&line, 9)[1].spans()[0].role, TextRole::Bad);
    }
}
