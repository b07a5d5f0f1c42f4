//! Splits a shell command into words, as far as possible without running it.
//!
//! Only for inspection: nothing is expanded.

/// A word, an operator, a redirection or a bracket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShellToken {
    /// A word; `quoted` if any part of it is in quotes.
    Word { text: String, quoted: bool },
    /// `|`, `||`, `&&`, `;`, `&`, a line break.
    Operator(&'static str),
    /// `>`, `2>&1`, `<<EOF`, with its target.
    Redirect(String),
    /// A separate bracket: a subshell.
    Bracket(char),
}

/// The tokens of a text, or `None` if a quote is not closed.
pub(crate) fn tokens(text: &str) -> Option<Vec<ShellToken>> {
    let mut reader = ShellReader { rest: text, found: Vec::new(), word: None };
    while !reader.rest.is_empty() {
        reader.step()?;
    }
    reader.end_word();
    Some(reader.found)
}

struct ShellReader<'a> {
    rest: &'a str,
    found: Vec<ShellToken>,
    word: Option<(String, bool)>,
}

const OPERATORS: [&str; 7] = ["&&", "||", ";;", "|", ";", "&", "\n"];

impl ShellReader<'_> {
    fn step(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        match first {
            ' ' | '\t' => self.skip(1, Self::end_word),
            '\\' => self.escaped(),
            '\'' | '"' => return self.quoted(first),
            '$' if self.rest.starts_with("$(") => return self.substituted(),
            '`' => return self.quoted('`'),
            '#' if self.word.is_none() => self.comment(),
            '<' | '>' => self.redirect(),
            '&' if self.rest.starts_with("&>") => self.redirect(),
            '(' | ')' => self.skip(1, |reader| {
                reader.end_word();
                reader.found.push(ShellToken::Bracket(first));
            }),
            _ => self.operator_or_char(first),
        }
        Some(())
    }

    fn skip(&mut self, bytes: usize, then: impl FnOnce(&mut Self)) {
        self.rest = &self.rest[bytes..];
        then(self);
    }

    fn operator_or_char(&mut self, first: char) {
        match OPERATORS.iter().find(|operator| self.rest.starts_with(**operator)) {
            Some(operator) => self.skip(operator.len(), |reader| {
                reader.end_word();
                reader.found.push(ShellToken::Operator(operator));
            }),
            None => self.push(first, false),
        }
    }

    fn push(&mut self, c: char, quoted: bool) {
        self.rest = &self.rest[c.len_utf8()..];
        let word = self.word.get_or_insert_default();
        word.0.push(c);
        word.1 |= quoted;
    }

    /// A backslash and the character after it; at the end of a line it joins two lines.
    fn escaped(&mut self) {
        self.rest = &self.rest[1..];
        match self.rest.chars().next() {
            Some('\n') => self.rest = &self.rest[1..],
            Some(c) => self.push(c, true),
            None => self.word.get_or_insert_default().0.push('\\'),
        }
    }

    fn quoted(&mut self, quote: char) -> Option<()> {
        let end = quote_end(self.rest, quote)?;
        let word = self.word.get_or_insert_default();
        word.0.push_str(&self.rest[1..end]);
        word.1 = true;
        self.rest = &self.rest[end + 1..];
        Some(())
    }

    /// `$( … )`, with brackets and quotes inside.
    fn substituted(&mut self) -> Option<()> {
        let end = substitution_end(self.rest)?;
        let word = self.word.get_or_insert_default();
        word.0.push_str(&self.rest[..=end]);
        word.1 = true;
        self.rest = &self.rest[end + 1..];
        Some(())
    }

    fn comment(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    /// A redirection: the number before it, the sign and the target.
    fn redirect(&mut self) {
        let number = self.word.take_if(|(word, quoted)| {
            !*quoted && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
        });
        self.end_word();
        let signs =
            self.rest.find(|c| !matches!(c, '<' | '>' | '&' | '-')).unwrap_or(self.rest.len());
        let target = self.rest[signs..].trim_start_matches([' ', '\t']);
        let end = target
            .find(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | ')'))
            .unwrap_or(target.len());
        let number = number.map(|(digits, _)| digits).unwrap_or_default();
        self.found.push(ShellToken::Redirect(format!(
            "{number}{}{}",
            &self.rest[..signs],
            &target[..end]
        )));
        self.rest = &target[end..];
    }

    fn end_word(&mut self) {
        if let Some((text, quoted)) = self.word.take() {
            self.found.push(ShellToken::Word { text, quoted });
        }
    }
}

/// How deep substitutions may be nested.
const MAX_DEPTH: usize = 16;

/// The position of the quote that closes the one at the start.
fn quote_end(text: &str, quote: char) -> Option<usize> {
    quote_end_at(text, quote, 0)
}

fn quote_end_at(text: &str, quote: char, depth: usize) -> Option<usize> {
    let mut at = 1;
    while at < text.len() {
        let rest = &text[at..];
        let c = rest.chars().next()?;
        at += match c {
            _ if c == quote => return Some(at),
            '\\' if quote != '\'' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            // Quotes inside a substitution do not end the text around it.
            '$' if quote == '"' && rest.starts_with("$(") && depth < MAX_DEPTH => {
                substitution_end_at(rest, depth + 1)? + 1
            }
            _ => c.len_utf8(),
        };
    }
    None
}

/// The position of the bracket that closes `$(` at the start.
fn substitution_end(text: &str) -> Option<usize> {
    substitution_end_at(text, 0)
}

fn substitution_end_at(text: &str, depth: usize) -> Option<usize> {
    let mut open = 0_usize;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let c = rest.chars().next()?;
        at += match c {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '\'' | '"' if depth < MAX_DEPTH => quote_end_at(rest, c, depth + 1)? + 1,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Option<String> {
        let all = tokens(text)?.into_iter().map(|token| match token {
            ShellToken::Word { text, quoted: true } => format!("\"{text}\""),
            ShellToken::Word { text, quoted: false } => text,
            ShellToken::Operator(operator) => format!("[{}]", operator.escape_debug()),
            ShellToken::Redirect(to) => format!("<{to}>"),
            ShellToken::Bracket(bracket) => format!("[{bracket}]"),
        });
        Some(all.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn words_quotes_and_operators_are_distinguished() {
        let is =
            |text: &str, expected: &str| assert_eq!(described(text).as_deref(), Some(expected));
        is("npm test && ! grep -q 'a b' x", "npm test [&&] ! grep -q \"a b\" x");
        is("a 2>&1 | tail -5; b", "a <2>&1> [|] tail -5 [;] b");
        is("(cd a && ls) # no", "[(] cd a [&&] ls [)]");
        is("test \"$(wc -l < f)\" -ge 3", "test \"$(wc -l < f)\" -ge 3");
        is(
            "test \"$(cat V)\" = \"$(node -p \"require('./p').v\")\"",
            "test \"$(cat V)\" = \"$(node -p \"require('./p').v\")\"",
        );
        is("[ \"$(grep -c \"a)\" f)\" = \"2\" ]", "[ \"$(grep -c \"a)\" f)\" = \"2\" ]");
        is("x=$(a (b) c) y", "\"x=$(a (b) c)\" y");
        is("a \\\n  b\nc > out.txt", "a b [\\n] c <>out.txt>");
        assert_eq!(described("it doesn't end"), None);
        assert_eq!(described("a $(b"), None);
    }
}
