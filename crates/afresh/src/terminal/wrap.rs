//! Wrapping lines at words, with a hanging indent, to the width of a terminal.

use std::os::fd::AsFd;

use unicode_width::UnicodeWidthStr;

/// A narrower terminal is not wrapped for: it would show one word per line.
const MIN_WIDTH: usize = 40;
/// How much deeper than its first line a wrapped line continues.
const HANGING_INDENT: usize = 2;

/// The text as it is where the stream is no terminal.
pub(crate) fn for_stream(stream: &impl AsFd, text: &str) -> String {
    let size = terminal_size::terminal_size_of(stream.as_fd());
    match size.map(|(width, _)| usize::from(width.0)) {
        Some(width) if width >= MIN_WIDTH => wrap(text, width),
        _ => text.to_owned(),
    }
}

/// Every line at most `width` columns wide, as far as its words allow.
pub(crate) fn wrap(text: &str, width: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| wrap_line(line, width)).collect();
    lines.join("\n")
}

fn wrap_line(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return line.to_owned();
    }
    let indent = line.len() - line.trim_start_matches(' ').len();
    let hanging = " ".repeat(indent + HANGING_INDENT);
    let mut wrapped = " ".repeat(indent);
    let mut used = indent;
    let mut is_first = true;
    // Several blanks in a row, as in a column, stay together with the word before them.
    for word in line.trim_start_matches(' ').split_inclusive(' ') {
        let wide = columns(word.trim_end());
        if !is_first && used + wide > width {
            wrapped.truncate(wrapped.trim_end_matches(' ').len());
            wrapped.push('\n');
            wrapped.push_str(&hanging);
            used = hanging.len();
        }
        wrapped.push_str(word);
        used += columns(word);
        is_first = false;
    }
    wrapped
}

/// How many columns a text takes; our colours take none.
fn columns(text: &str) -> usize {
    let mut pieces = text.split('\x1b');
    let first = pieces.next().unwrap_or_default().width();
    first
        + pieces
            .map(|piece| piece.split_once('m').map_or(0, |(_, rest)| rest.width()))
            .sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_words_and_continue_deeper() {
        let text = "error: short\n  hint: one two three four five six seven eight nine";
        let wanted = "error: short\n  hint: one two three four five six\n    seven eight nine";
        assert_eq!(wrap(text, 40), wanted);
    }

    #[test]
    fn colours_take_no_columns_and_long_words_stay_whole() {
        let text = format!("\x1b[31m{}\x1b[0m b", "a".repeat(38));
        assert_eq!(wrap(&text, 40), text);
        let word = "x".repeat(60);
        assert_eq!(wrap(&format!("see {word} there"), 40), format!("see\n  {word}\n  there"));
    }
}
