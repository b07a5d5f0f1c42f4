//! Wrapping lines at words, with a hanging indent.

use unicode_width::UnicodeWidthStr;

/// How much deeper than its first line a wrapped line continues where it has no columns.
const HANGING_INDENT: usize = 2;

/// Every line at most `width` columns wide, as far as its words allow.
pub fn wrap(text: &str, width: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| wrap_line(line, width)).collect();
    lines.join("\n")
}

fn wrap_line(line: &str, width: usize) -> String {
    // The row of a table and the line of a file have no words to part.
    if columns(line) <= width || line.starts_with('|') || is_excerpt(line) {
        return line.to_owned();
    }
    let hanging = " ".repeat(hanging_indent(line, width));
    let start = line.len() - skip_blanks(line).len();
    let mut wrapped = line[..start].to_owned();
    let mut used = columns(&wrapped);
    let mut is_first = true;
    // Several blanks in a row, as in a column, stay together with the word before them.
    for word in split_words(&line[start..], width.saturating_sub(hanging.len())) {
        let wide = columns(word.trim_end());
        if !is_first && wide > 0 && used + wide > width {
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

/// The words of a line, each with the blanks after it. A command in backticks that fits a line is one word, so that it
/// can be copied.
fn split_words(line: &str, room: usize) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let single = rest.split_inclusive(' ').next().unwrap_or(rest).len();
        let is_open = rest[..single].matches('`').count() % 2 == 1;
        let span = is_open.then(|| code_span(&rest[single..])).flatten().map(|more| single + more);
        let fits = |end: &usize| columns(rest[..*end].trim_end()) <= room;
        let (word, after) = rest.split_at(span.filter(fits).unwrap_or(single));
        words.push(word);
        rest = after;
    }
    words
}

/// Where the word ends that closes a command in backticks, if none opens before that.
fn code_span(rest: &str) -> Option<usize> {
    let close = rest.find('`')? + 1;
    let end = rest[close..].find(' ').map_or(rest.len(), |blank| close + blank + 1);
    (!rest[close..end].contains('`')).then_some(end)
}

/// A source line of a finding, or the marks below it: ` 12 | text`.
fn is_excerpt(line: &str) -> bool {
    let number = line.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(' ') && (number.starts_with(" |") || number.starts_with('|'))
}

/// Where a wrapped line continues: below the last column that the line begins with, if columns are set apart by two
/// blanks and it is not too far to the right; else a little deeper than the line.
fn hanging_indent(line: &str, width: usize) -> usize {
    let indent = columns(&line[..line.len() - skip_blanks(line).len()]);
    let most = width / 3;
    let mut at = indent;
    let mut column = indent;
    let mut blanks = 0;
    for word in skip_blanks(line).split_inclusive(' ') {
        let wide = columns(word.trim_end());
        if wide > 0 && blanks >= 2 && at <= most {
            column = at;
        }
        blanks = if wide > 0 { 0 } else { blanks } + (columns(word) - wide);
        at += columns(word);
    }
    if column > indent { column } else { (indent + HANGING_INDENT).min(most) }
}

/// The line without the blanks at its beginning, and without the colours among them.
fn skip_blanks(line: &str) -> &str {
    let rest = line.trim_start_matches(' ');
    let color = rest.strip_prefix('\x1b').and_then(|color| color.split_once('m'));
    match color {
        Some((_, after)) if after.starts_with(' ') => skip_blanks(after),
        _ => rest,
    }
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

    /// The dimmed lines below a question begin with a colour, not with a blank.
    #[test]
    fn a_colour_before_the_indent_does_not_hide_it() {
        let text = "\x1b[2m      type a number or a word and Enter; STOP halts the run\x1b[0m";
        let wanted =
            "\x1b[2m      type a number or a word and Enter;\n        STOP halts the run\x1b[0m";
        assert_eq!(wrap(text, 40), wanted);
    }

    #[test]
    fn a_line_with_columns_continues_below_the_last_one() {
        let option = "   2  postgres: a server of its own, which has to be started first";
        let wanted = "   2  postgres: a server of its own,\n      which has to be started first";
        assert_eq!(wrap(option, 40), wanted);
        let task = "\x1b[32m       done\x1b[0m  T001  A title that is too long for the line";
        let wanted =
            "\x1b[32m       done\x1b[0m  T001  A title that is too\n             long for the line";
        assert_eq!(wrap(task, 40), wanted);
        // A column that is far to the right would leave no room.
        let far = format!("{}  word word word word", "a".repeat(30));
        assert_eq!(wrap(&far, 40), format!("{}  word\n  word word word", "a".repeat(30)));
    }

    /// What is to be typed can be copied, as long as it fits a line.
    #[test]
    fn a_command_is_not_parted() {
        let text = "error: nothing was changed; stash it with `git stash push -u -- a.txt`, then land again";
        let wanted = "error: nothing was changed; stash it with\n  `git stash push -u -- a.txt`, then land again";
        assert_eq!(wrap(text, 50), wanted);
        let long = format!("  hint: `{}end` is long", "word ".repeat(12));
        assert!(wrap(&long, 40).lines().all(|line| line.len() <= 40), "{}", wrap(&long, 40));
        assert_eq!(
            wrap("a lone ` is no command at all, it seems to me", 30),
            "a lone ` is no command at all,\n  it seems to me"
        );
    }

    /// Marks below a source line would be nowhere.
    #[test]
    fn an_excerpt_stays_as_it_is() {
        let text = "  hint: one two three four five six seven\n 12 | one two three four five six seven eight\n    |                                        ^^";
        let wrapped = wrap(text, 30);
        assert!(wrapped.starts_with("  hint: one two three four\n    five"), "{wrapped}");
        assert!(wrapped.ends_with(text.split_once('\n').expect("lines").1), "{wrapped}");
    }

    #[test]
    fn colours_take_no_columns_and_long_words_stay_whole() {
        let text = format!("\x1b[31m{}\x1b[0m b", "a".repeat(38));
        assert_eq!(wrap(&text, 40), text);
        let word = "x".repeat(60);
        assert_eq!(wrap(&format!("see {word} there"), 40), format!("see\n  {word}\n  there"));
    }
}
