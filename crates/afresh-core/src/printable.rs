//! Makes text from outside safe to show.
//!
//! Plans, repositories and workers are not trusted: their text must not move a cursor, ring a bell, set a title, write
//! to a clipboard or change the text direction. All code that shows such text, or writes it where people read it, uses
//! this module. The callers limit its length.

/// Control characters, invisible characters, and those that change the text direction. The joiners of scripts and
/// emoji are not included: text is wrong without them.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// One line: line breaks and tabs become blanks, and any other unprintable character is shown by its number.
pub fn line(text: &str) -> String {
    show(text, |c| if matches!(c, '\n' | '\r' | '\t') { Some(' ') } else { None })
}

/// Several lines as one: what follows the first sentence, such as the end of an output, is set apart from it.
pub fn join_lines(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    match rest.as_slice() {
        [] => line(first),
        rest => line(&format!("{}: {}", first.trim_end_matches(':'), rest.join("; "))),
    }
}

/// Whole lines: line breaks and tabs stay, and any other unprintable character is shown by its number.
pub fn lines(text: &str) -> String {
    show(&text.replace("\r\n", "\n"), |c| matches!(c, '\n' | '\t').then_some(c))
}

/// The same with a blank for every unprintable character: columns stay aligned.
pub fn aligned(text: &str) -> String {
    text.chars().map(|c| if is_unprintable(c) { ' ' } else { c }).collect()
}

/// The text without the sequences that set colours: many programs print them into a pipe too.
pub fn without_colors(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        kept.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';');
        if let Some(end) = end.filter(|end| after[*end..].starts_with('m')) {
            rest = &after[end + 1..];
        } else {
            kept.push_str("\x1b[");
            rest = after;
        }
    }
    kept + rest
}

/// `instead` returns the replacement of an unprintable character, if it is not its number.
fn show(text: &str, instead: impl Fn(char) -> Option<char>) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match instead(c) {
            Some(other) => shown.push(other),
            None if is_unprintable(c) => shown.extend(c.escape_default()),
            None => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B35: clearing the screen, the clipboard, a link, a title, C1 and bidi characters are all made harmless, and
    /// people see that they were there.
    #[test]
    fn nothing_that_moves_a_cursor_gets_through() {
        let hostile = "\x1b[2J \x1b]52;c;aGk=\x07 \x1b]8;;http://x\x1b\\ \x1b]0;t\x07 \u{9b}2J \u{202e}abc \x08\r";
        for shown in [line(hostile), lines(hostile), aligned(hostile)] {
            assert!(!shown.chars().any(is_unprintable), "{shown:?}");
        }
        assert_eq!(line("a\x1b[2Jb\nc\td"), "a\\u{1b}[2Jb c d");
        assert_eq!(lines("a\r\nb\tc\rd\u{202e}"), "a\nb\tc\\rd\\u{202e}");
        assert_eq!(aligned("a\x1bb\tc"), "a b c");
    }

    #[test]
    fn only_colours_are_removed() {
        assert_eq!(without_colors("\x1b[1;31mred\x1b[0m and \x1b[mplain"), "red and plain");
        for other in ["\x1b[2Jx", "\x1b[31", "\x1b[", "a\x1b"] {
            assert_eq!(without_colors(other), other);
        }
    }

    #[test]
    fn text_of_any_script_stays_as_it_is() {
        let text = "naïve 日本語 हिन्दी עברית 👩\u{200d}👧 — „ok“";
        assert_eq!(line(text), text);
        assert_eq!(lines(text), text);
    }
}
