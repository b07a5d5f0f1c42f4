//! A regular expression of JavaScript as one that `grep -E` understands everywhere.
//!
//! Plans say how files are linked by such expressions. What has no counterpart (look-around, word
//! boundaries, references) is not translated at all: a check must not mean something else.

use std::iter::Peekable;
use std::str::Chars;

/// The same expression for `grep -E`, if there is one.
pub fn for_grep(pattern: &str) -> Option<String> {
    if pattern.is_empty() || pattern.contains(['\n', '\0']) {
        return None;
    }
    let mut reader = Reader {
        rest: pattern.chars().peekable(),
        grep: String::new(),
        depth: 0,
        last: Last::Nothing,
    };
    while let Some(c) = reader.rest.next() {
        reader.take(c)?;
    }
    (reader.depth == 0 && reader.last != Last::Nothing).then_some(reader.grep)
}

/// What stands before the next character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing that could be repeated, nor an alternative that could end here.
    Nothing,
    Atom,
    Repetition,
    /// `^`: it counts, but cannot be repeated.
    Anchor,
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    grep: String,
    depth: usize,
    last: Last,
}

impl Reader<'_> {
    fn take(&mut self, c: char) -> Option<()> {
        match c {
            '\\' => return self.escape(),
            '[' => return self.class(),
            '(' => return self.group(),
            '*' | '+' | '?' => return self.repeat(c),
            '{' => self.braces(),
            '}' => self.put("[}]", Last::Atom),
            // An empty alternative means something else in each kind of expression.
            ')' | '|' if self.last == Last::Nothing => return None,
            ')' => {
                self.depth = self.depth.checked_sub(1)?;
                self.put(")", Last::Atom);
            }
            '|' => self.put("|", Last::Nothing),
            '^' | '$' => self.put(c.encode_utf8(&mut [0; 4]), Last::Anchor),
            _ => self.put(c.encode_utf8(&mut [0; 4]), Last::Atom),
        }
        Some(())
    }

    fn put(&mut self, text: &str, last: Last) {
        self.grep.push_str(text);
        self.last = last;
    }

    fn escape(&mut self) -> Option<()> {
        let meant = match self.rest.next()? {
            'd' => "[0-9]".to_owned(),
            'D' => "[^0-9]".to_owned(),
            's' => "[[:space:]]".to_owned(),
            'S' => "[^[:space:]]".to_owned(),
            'w' => "[[:alnum:]_]".to_owned(),
            'W' => "[^[:alnum:]_]".to_owned(),
            c if ".[](){}*+?|^$\\".contains(c) => format!("\\{c}"),
            c if c.is_ascii_alphanumeric() => return None,
            c => c.to_string(),
        };
        self.put(&meant, Last::Atom);
        Some(())
    }

    /// `[…]`: no escapes there, and some characters only at certain places.
    fn class(&mut self) -> Option<()> {
        let mut inside = String::new();
        let (mut hat, mut dash) = (false, false);
        let negated = self.rest.next_if_eq(&'^').is_some();
        loop {
            match self.rest.next()? {
                ']' => break,
                '\\' => match self.rest.next()? {
                    'd' => inside.push_str("0-9"),
                    's' => inside.push_str("[:space:]"),
                    'w' => inside.push_str("[:alnum:]_"),
                    '-' => dash = true,
                    '^' => hat = true,
                    c if c.is_ascii_alphanumeric() || c == ']' => return None,
                    c => inside.push(c),
                },
                '[' if self.rest.peek().is_some_and(|next| ":.=".contains(*next)) => return None,
                c => inside.push(c),
            }
        }
        let tail = [hat.then_some('^'), dash.then_some('-')].into_iter().flatten();
        inside.extend(tail);
        if inside.is_empty() || inside.starts_with('^') {
            return None;
        }
        self.put(&format!("[{}{inside}]", if negated { "^" } else { "" }), Last::Atom);
        Some(())
    }

    fn group(&mut self) -> Option<()> {
        if self.rest.next_if_eq(&'?').is_some() {
            self.rest.next_if_eq(&':')?;
        }
        self.depth += 1;
        self.put("(", Last::Nothing);
        Some(())
    }

    fn repeat(&mut self, c: char) -> Option<()> {
        match self.last {
            Last::Atom => {
                self.grep.push(c);
                self.last = Last::Repetition;
                Some(())
            }
            // Whether as little as possible is taken makes no difference to whether it matches.
            Last::Repetition if c == '?' => {
                self.last = Last::Anchor;
                Some(())
            }
            _ => None,
        }
    }

    /// `{2,3}` repeats; any other brace is itself.
    fn braces(&mut self) {
        let ahead: String = self.rest.clone().take_while(|c| *c != '}').take(12).collect();
        let bounds = ahead.split(',').collect::<Vec<_>>();
        let number = |text: &&str| text.len() < 4 && text.bytes().all(|b| b.is_ascii_digit());
        let repeats = self.last == Last::Atom
            && bounds.len() <= 2
            && !bounds[0].is_empty()
            && bounds.iter().all(number)
            && self.rest.clone().nth(ahead.len()) == Some('}');
        if repeats {
            self.rest.nth(ahead.len());
            self.put(&format!("{{{ahead}}}"), Last::Repetition);
        } else {
            self.put("[{]", Last::Atom);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_counterpart_is_translated() {
        for (from, to) in [
            ("fetch.*\\/api\\/auth", "fetch.*/api/auth"),
            ("import\\s+\\{\\s*db", "import[[:space:]]+\\{[[:space:]]*db"),
            ("a{2,3}b{", "a{2,3}b[{]"),
            ("(?:get|post)\\(", "(get|post)\\("),
            ("x.*?y", "x.*y"),
            ("[\\w-]+\\.ts", "[[:alnum:]_-]+\\.ts"),
            ("^export \"a\\-b\"$", "^export \"a-b\"$"),
        ] {
            assert_eq!(for_grep(from).as_deref(), Some(to), "{from}");
        }
    }

    #[test]
    fn what_has_none_is_left_alone() {
        let strange =
            ["", "\\bword\\b", "a(?=b)", "(a", "a)", "*a", "a|", "(|a)", "\\1", "[", "a\\"];
        for pattern in strange.into_iter().chain(["()", "a**", "\\u0041", "[^\\]]", "useState({"]) {
            assert_eq!(for_grep(pattern), None, "{pattern}");
        }
    }
}
