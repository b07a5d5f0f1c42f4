//! Output as plain lines, and short texts for people.

use afresh_core::printable;

/// The longest line that a tool writes about itself; longer ones are data.
pub(crate) const MAX_LINE: usize = 4_096;

/// The most characters of a detail.
const MAX_DETAIL: usize = 300;

/// The most characters of a test's name.
const MAX_NAME: usize = 500;

/// The text without the sequences that colour it and move a cursor, with `\n` as the only line break.
pub(crate) fn plain_text(output: &str) -> String {
    let mut plain = String::with_capacity(output.len());
    let mut rest = output;
    while let Some(at) = rest.find(['\x1b', '\r']) {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if rest.as_bytes()[at] == b'\r' {
            plain.push('\n');
            rest = after.strip_prefix('\n').unwrap_or(after);
        } else {
            rest = &after[escape_length(after)..];
        }
    }
    plain.push_str(rest);
    if plain.contains("\n\n\n\n") { without_gaps(&plain) } else { plain }
}

/// At most two empty lines in a row: more mean nothing, and millions of them take time.
fn without_gaps(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\n\n\n\n") {
        kept.push_str(&rest[..at + 3]);
        rest = rest[at..].trim_start_matches('\n');
    }
    kept + rest
}

/// How many bytes after an escape character belong to its sequence.
fn escape_length(after: &str) -> usize {
    let bytes = after.as_bytes();
    match bytes.first() {
        Some(b'[') => {
            let is_parameter = |byte: &u8| (0x20..0x40).contains(byte);
            let end = 1 + bytes[1..].iter().take_while(|byte| is_parameter(byte)).count();
            end + usize::from(bytes.get(end).is_some_and(|byte| (0x40..0x7f).contains(byte)))
        }
        // A title or a link ends with a bell or another escape sequence on the same line.
        Some(b']') => {
            let ends = |byte: &u8| matches!(byte, 0x07 | 0x1b | b'\n' | b'\r');
            let end = bytes.iter().position(ends).unwrap_or(bytes.len());
            end + usize::from(bytes.get(end) == Some(&0x07))
        }
        Some(b'\\') => 1,
        _ => 0,
    }
}

/// One line for people.
pub(crate) fn detail_line(text: &str) -> String {
    cut(&printable::line(text.trim()), MAX_DETAIL)
}

/// The name of a test: one line, bounded.
pub(crate) fn test_name(text: &str) -> String {
    let text = text.trim();
    let is_plain = text.len() <= MAX_NAME && !text.chars().any(printable::is_unprintable);
    if is_plain { text.to_owned() } else { cut(&printable::line(text), MAX_NAME) }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_titles_and_line_breaks_are_taken_out() {
        for (output, plain) in [
            ("\x1b[1;31mred\x1b[0m\r\nnext\rlast", "red\nnext\nlast"),
            ("\x1b[2K\x1b[1Gx", "x"),
            ("\x1b]0;title\x07x\x1b]8;;http://a\x1b\\y", "xy"),
            ("a\x1b", "a"),
            ("a\x1b[31", "a"),
            ("\x1b[é", "é"),
            ("a\n\n\n\n\n\nb\n\nc\n\n\n\n", "a\n\n\nb\n\nc\n\n\n"),
        ] {
            assert_eq!(plain_text(output), plain, "{output:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        assert_eq!(detail_line(&"é".repeat(301)).chars().count(), 301);
        assert_eq!(detail_line(" a\nb\x1b "), "a b\\u{1b}");
    }
}
