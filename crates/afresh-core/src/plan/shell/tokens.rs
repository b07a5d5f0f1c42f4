//! A line as words, operators, redirections and brackets.

use super::quotes::{
    ansi_end, brace_end, command_inside, quote_end, substitution_end, substitutions_in, unescaped,
};

/// A word, an operator, a redirection or a bracket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellToken {
    /// A word without its quotes; `quoted` if any part of it was in quotes. A substitution stays as written, and
    /// `substitutions` holds the command lines inside.
    Word { text: String, quoted: bool, substitutions: Vec<String> },
    /// `|`, `||`, `&&`, `;`, `;;`, `&`, a line break.
    Operator(&'static str),
    /// `>`, `2>&`, `<`, `<<`, with its target; that of a here-document is its text.
    Redirect { sign: String, target: String, substitutions: Vec<String> },
    /// A separate bracket: a subshell, a function, a pattern of `case`.
    Bracket(char),
}

/// The tokens of a text, or `None` if a quote or a substitution is not closed.
pub fn shell_tokens(text: &str) -> Option<Vec<ShellToken>> {
    let (tokens, ending) = read_tokens(text);
    (ending == TextEnding::Complete).then_some(tokens)
}

/// Whether every quote of a text is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextEnding {
    Complete,
    Open,
}

/// The tokens of a text; an open quote ends with the text.
pub(super) fn read_tokens(text: &str) -> (Vec<ShellToken>, TextEnding) {
    let mut reader = ShellReader {
        rest: text,
        found: Vec::new(),
        word: None,
        redirect: None,
        documents: Vec::new(),
        place: WordPlace::Command,
        ending: TextEnding::Complete,
    };
    while let Some(first) = reader.rest.chars().next() {
        reader.step(first);
    }
    reader.end_redirect();
    (reader.found, reader.ending)
}

struct ShellReader<'a> {
    rest: &'a str,
    found: Vec<ShellToken>,
    word: Option<ShellWord>,
    /// The sign of a redirection whose target comes next.
    redirect: Option<String>,
    /// Here-documents whose text starts after this line.
    documents: Vec<HereDocument>,
    place: WordPlace,
    ending: TextEnding,
}

#[derive(Default)]
struct ShellWord {
    text: String,
    quoted: bool,
    substitutions: Vec<String>,
}

struct HereDocument {
    /// Its redirection among the tokens.
    token: usize,
    end: String,
    expands: bool,
    /// `<<-`
    indented: bool,
}

#[derive(PartialEq)]
enum WordPlace {
    Command,
    /// Between `[[` and `]]`, where operators and brackets are part of the condition.
    Condition,
}

const OPERATORS: [&str; 7] = ["&&", "||", ";;", "|", ";", "&", "\n"];

impl ShellReader<'_> {
    fn step(&mut self, first: char) {
        match first {
            ' ' | '\t' | '\r' => self.skip(1, Self::end_word),
            '\\' => self.escaped(),
            '\'' => self.single_quoted(),
            '"' => self.double_quoted(),
            '`' => self.backticks(),
            '$' => self.dollar(),
            '#' if self.word.is_none() => self.comment(),
            '<' | '>' if self.rest[1..].starts_with('(') => self.substituted(),
            _ if self.place == WordPlace::Condition && first != '\n' => self.push(first),
            '<' | '>' => self.redirect(),
            '&' if self.rest.starts_with("&>") => self.redirect(),
            '(' | ')' => self.skip(1, |reader| {
                reader.end_redirect();
                reader.found.push(ShellToken::Bracket(first));
            }),
            _ => self.operator_or_char(first),
        }
    }

    fn skip(&mut self, bytes: usize, then: impl FnOnce(&mut Self)) {
        self.rest = &self.rest[bytes..];
        then(self);
    }

    fn operator_or_char(&mut self, first: char) {
        match OPERATORS.iter().find(|operator| self.rest.starts_with(**operator)) {
            Some(operator) => self.skip(operator.len(), |reader| {
                reader.end_redirect();
                reader.found.push(ShellToken::Operator(operator));
                if *operator == "\n" {
                    reader.place = WordPlace::Command;
                    reader.read_documents();
                }
            }),
            None => self.push(first),
        }
    }

    fn word(&mut self) -> &mut ShellWord {
        self.word.get_or_insert_default()
    }

    fn push(&mut self, c: char) {
        self.rest = &self.rest[c.len_utf8()..];
        self.word().text.push(c);
    }

    fn push_quoted(&mut self, text: &str) {
        let word = self.word();
        word.text.push_str(text);
        word.quoted = true;
    }

    /// A backslash and the character after it; at the end of a line it joins two lines.
    fn escaped(&mut self) {
        self.rest = &self.rest[1..];
        match self.rest.chars().next() {
            Some('\n') => self.rest = &self.rest[1..],
            Some(c) => {
                self.push(c);
                self.word().quoted = true;
            }
            None => self.word().text.push('\\'),
        }
    }

    /// The text up to `end`, and what follows; all of it if there is no end.
    fn split_at_end<'b>(&mut self, text: &'b str, end: Option<usize>) -> (&'b str, &'b str) {
        let Some(end) = end else {
            self.ending = TextEnding::Open;
            return (&text[1..], "");
        };
        (&text[1..end], &text[end + 1..])
    }

    fn single_quoted(&mut self) {
        let (inside, rest) = self.split_at_end(self.rest, quote_end(self.rest, '\'', 0));
        self.rest = rest;
        self.push_quoted(inside);
    }

    fn double_quoted(&mut self) {
        let (inside, rest) = self.split_at_end(self.rest, quote_end(self.rest, '"', 0));
        self.rest = rest;
        self.push_quoted(&unescaped(inside));
        let substitutions = substitutions_in(inside);
        self.word().substitutions.extend(substitutions);
    }

    fn backticks(&mut self) {
        let (inside, rest) = self.split_at_end(self.rest, quote_end(self.rest, '`', 0));
        self.rest = rest;
        self.push_quoted(inside);
        self.word().substitutions.push(inside.to_owned());
    }

    /// `$( … )`, `${ … }`, `$'…'`, `$"…"`, `$NAME`.
    fn dollar(&mut self) {
        let after = &self.rest[1..];
        if after.starts_with('(') {
            self.substituted();
        } else if after.starts_with('\'') {
            let (inside, rest) = self.split_at_end(after, ansi_end(after));
            self.rest = rest;
            self.push_quoted(inside);
        } else if after.starts_with('"') {
            self.rest = after;
        } else if let Some(end) = after.strip_prefix('{').and_then(brace_end) {
            let parameter = &self.rest[..end + 3];
            self.rest = &self.rest[end + 3..];
            self.word().text.push_str(parameter);
            self.word().substitutions.extend(substitutions_in(parameter));
        } else {
            self.push('$');
        }
    }

    /// `$( … )`, `<( … )`, with brackets and quotes inside.
    fn substituted(&mut self) {
        let end = substitution_end(self.rest, 0);
        let whole = end.map_or(self.rest, |end| &self.rest[..=end]);
        if end.is_none() {
            self.ending = TextEnding::Open;
        }
        self.rest = &self.rest[whole.len()..];
        self.push_quoted(whole);
        self.word().substitutions.extend(command_inside(whole));
    }

    fn comment(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    /// The number before a redirection and its sign; its target is the next word.
    fn redirect(&mut self) {
        let number = self.word.take_if(|word| {
            !word.quoted
                && !word.text.is_empty()
                && word.text.bytes().all(|byte| byte.is_ascii_digit())
        });
        self.end_redirect();
        let signs =
            self.rest.find(|c| !matches!(c, '<' | '>' | '&' | '-')).unwrap_or(self.rest.len());
        let mut sign = number.map(|word| word.text).unwrap_or_default();
        sign.push_str(&self.rest[..signs]);
        // `>|` overwrites all the same.
        self.rest = self.rest[signs..].strip_prefix('|').unwrap_or(&self.rest[signs..]);
        self.redirect = Some(sign);
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.finish_word(word);
        }
    }

    /// Ends the word, and a redirection that has no target.
    fn end_redirect(&mut self) {
        self.end_word();
        if self.redirect.is_some() {
            self.finish_word(ShellWord::default());
        }
    }

    fn finish_word(&mut self, word: ShellWord) {
        let ShellWord { text, quoted, substitutions } = word;
        let Some(sign) = self.redirect.take() else {
            match text.as_str() {
                "[[" if !quoted => self.place = WordPlace::Condition,
                "]]" if !quoted => self.place = WordPlace::Command,
                _ => {}
            }
            self.found.push(ShellToken::Word { text, quoted, substitutions });
            return;
        };
        if matches!(sign.as_str(), "<<" | "<<-") {
            self.documents.push(HereDocument {
                token: self.found.len(),
                end: text.clone(),
                expands: !quoted,
                indented: sign == "<<-",
            });
        }
        self.found.push(ShellToken::Redirect { sign, target: text, substitutions });
    }

    /// Takes the texts of the here-documents of the line that has just ended.
    fn read_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            let mut body = String::new();
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                let line = if document.indented { line.trim_start_matches('\t') } else { line };
                if line.trim_end_matches('\r') == document.end {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            if let Some(ShellToken::Redirect { target, substitutions, .. }) =
                self.found.get_mut(document.token)
            {
                if document.expands {
                    substitutions.extend(substitutions_in(&body));
                }
                *target = body;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> Option<String> {
        let all = shell_tokens(text)?.into_iter().map(|token| match token {
            ShellToken::Word { text, quoted: true, .. } => format!("\"{text}\""),
            ShellToken::Word { text, quoted: false, .. } => text,
            ShellToken::Operator(operator) => format!("[{}]", operator.escape_debug()),
            ShellToken::Redirect { sign, target, .. } => {
                format!("<{sign}{}>", target.escape_debug())
            }
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

    #[test]
    fn targets_of_redirections_are_words() {
        let is =
            |text: &str, expected: &str| assert_eq!(described(text).as_deref(), Some(expected));
        is("a >'b c' <d 2>>e", "a <>b c> <<d> <2>>e>");
        is("a >|b && c", "a <>b> [&&] c");
        is("a <<< word", "a <<<<word>");
        is("a >", "a <>>");
    }

    #[test]
    fn conditions_documents_and_parameters_are_read_as_one() {
        let is =
            |text: &str, expected: &str| assert_eq!(described(text).as_deref(), Some(expected));
        is("[[ -f a && b < c ]] && d", "[[ -f a && b < c ]] [&&] d");
        is("sh <<'E' | b\nit\"s (one\nE\nc", "sh <<<it\\\"s (one\\n> [|] b [\\n] c");
        is("cat <<-E\n\tx\n\tE", "cat <<<-x\\n> [\\n]");
        is("a ${b:-c d} $'e\\'f' $g", "a ${b:-c d} \"e\\'f\" $g");
        is("echo \"a\\\"b\\$c\"", "echo \"a\"b$c\"");
    }
}
