//! Where quotes, substitutions and parameters end, and what is inside.

/// Removes the backslashes that have a meaning in double quotes.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        // What is inside of a substitution is another command line.
        if let Some(end) = rest.starts_with("$(").then(|| substitution_end(rest, 0)) {
            let whole = end.map_or(rest, |end| &rest[..=end]);
            out.push_str(whole);
            rest = &rest[whole.len()..];
            continue;
        }
        let taken = match (c, rest[c.len_utf8()..].chars().next()) {
            ('\\', Some('\n')) => 2,
            ('\\', Some(next @ ('"' | '\\' | '$' | '`'))) => {
                out.push(next);
                2
            }
            _ => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    out
}

/// The most substitutions that are looked for in one text.
const MAX_SUBSTITUTIONS: usize = 256;

/// The command lines of `$( … )` and back-ticks in a text where quotes mean nothing.
pub(super) fn substitutions_in(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '$', '`']) {
        rest = &rest[at..];
        let taken = if rest.starts_with("$(") {
            let Some(end) = substitution_end(rest, 0) else { break };
            found.extend(command_inside(&rest[..=end]));
            end + 1
        } else if rest.starts_with('`') {
            let Some(end) = quote_end(rest, '`', 0) else { break };
            found.push(rest[1..end].to_owned());
            end + 1
        } else if let Some(escaped) = rest.strip_prefix('\\') {
            1 + escaped.chars().next().map_or(0, char::len_utf8)
        } else {
            1
        };
        rest = &rest[taken..];
        if found.len() >= MAX_SUBSTITUTIONS {
            break;
        }
    }
    found
}

/// The command line in `$( … )` or `<( … )`; `$(( … ))` computes a number.
pub(super) fn command_inside(whole: &str) -> Option<String> {
    let inside = whole.get(2..)?;
    let inside = inside.strip_suffix(')').unwrap_or(inside);
    (!(whole.starts_with("$((") && inside.ends_with(')'))).then(|| inside.to_owned())
}

/// How deep substitutions may be nested.
const MAX_DEPTH: usize = 16;

/// The position of the quote that closes the one at the start.
pub(super) fn quote_end(text: &str, quote: char, depth: usize) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        let rest = &text[at..];
        let c = rest.chars().next()?;
        at += match c {
            _ if c == quote => return Some(at),
            '\\' if quote != '\'' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            // Quotes inside a substitution do not end the text around it.
            '$' if quote == '"' && rest.starts_with("$(") && depth < MAX_DEPTH => {
                substitution_end(rest, depth + 1)? + 1
            }
            _ => c.len_utf8(),
        };
    }
    None
}

/// The position of the quote that closes `'` where a backslash escapes it.
pub(super) fn ansi_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().skip(1).find_map(|(at, c)| {
        let ends = c == '\'' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })
}

/// The longest parameter that is read as one word.
const MAX_PARAMETER: usize = 512;

/// The position of the brace that closes one that is open, on the same line.
pub(super) fn brace_end(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    for (at, c) in text.char_indices().take(MAX_PARAMETER) {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            '\n' => return None,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// The position of the bracket that closes `$(` at the start.
pub(super) fn substitution_end(text: &str, depth: usize) -> Option<usize> {
    let mut open = 0_usize;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let c = rest.chars().next()?;
        at += match c {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '\'' | '"' if depth < MAX_DEPTH => quote_end(rest, c, depth + 1)? + 1,
            '(' => {
                open += 1;
                1
            }
            ')' => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(at);
                }
                1
            }
            _ => c.len_utf8(),
        };
    }
    None
}
