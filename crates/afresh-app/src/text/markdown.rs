//! Markdown with text from plans and workers in it.
//!
//! Such text stays text: it starts no heading, list or table cell, makes no link, contains no HTML, and
//! moves no cursor where the Markdown is read in a terminal.

use afresh_core::printable;

/// How much of one text is shown.
const MAX_CHARS: usize = 600;

/// Text inside a line.
pub fn text(text: &str) -> String {
    let mut out = String::new();
    let plain = bounded(text);
    for (at, c) in plain.char_indices() {
        // Special anywhere in a line.
        let special = "\\`*_[]<>|~&".contains(c);
        // Special at the start of a line; and bare addresses, which some readers turn into links.
        let starts = at == 0 && "#+-=>".contains(c);
        let numbers = matches!(c, '.' | ')') && plain[..at].bytes().all(|b| b.is_ascii_digit());
        let address = c == ':' && plain[at..].starts_with("://");
        if special || starts || (numbers && at > 0) || address {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A name, path or command, as it is.
pub fn code(text: &str) -> String {
    // A bar would end a table cell, even inside code.
    let plain = bounded(text).replace('|', "\u{2502}");
    let longest = plain.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A backtick at an edge needs a blank, which readers remove again.
    let pad = if plain.starts_with('`') || plain.ends_with('`') { " " } else { "" };
    if plain.trim().is_empty() {
        "` `".to_owned()
    } else {
        format!("{fence}{pad}{plain}{pad}{fence}")
    }
}

fn bounded(text: &str) -> String {
    let plain = printable::line(text);
    let plain = plain.trim();
    match plain.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &plain[..end]),
        None => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_stays_text() {
        assert_eq!(text("# T | *x* <b>&amp;"), "\\# T \\| \\*x\\* \\<b\\>\\&amp;");
        assert_eq!(text("12. x"), "12\\. x");
        assert_eq!(text("version 12.5 at 3.)"), "version 12.5 at 3.)");
        assert_eq!(text("- [a](http://x)\n# b"), "\\- \\[a\\](http\\://x) # b");
        assert_eq!(text("\x1b[2J"), "\\\\u{1b}\\[2J");
        assert_eq!(text(&"x".repeat(5000)).chars().count(), MAX_CHARS + 1);
    }

    #[test]
    fn code_of_others_stays_code() {
        assert_eq!(code("a b"), "`a b`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`x"), "`` `x ``");
        assert_eq!(code("a|b\nc"), "`a\u{2502}b c`");
        assert_eq!(code(""), "` `");
    }
}
