//! Whether a command line can fail at all, read as the shell reads it.
//!
//! Every construct of the shell passes an exit code on in its own way: `a || true` never fails, `a && echo` does. A
//! program that we do not know can fail.

use afresh_core::plan::shell::{ShellToken, shell_tokens};

use super::harmless::{is_wrapper, never_fails, only_passes_on, words_after_wrapper};

/// How deep shells inside shells and groups inside groups are read.
const MAX_DEPTH: usize = 16;

/// How a part of a command line can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ExitOutcomes {
    succeeds: bool,
    fails: bool,
}

const ALWAYS: ExitOutcomes = ExitOutcomes { succeeds: true, fails: false };
const NEVER: ExitOutcomes = ExitOutcomes { succeeds: false, fails: true };
const EITHER: ExitOutcomes = ExitOutcomes { succeeds: true, fails: true };

/// Whether no run of this command line can end with another exit code than 0. In doubt, no.
pub(super) fn always_succeeds(command: &str) -> bool {
    shell_tokens(command).is_some_and(|tokens| {
        !tokens.is_empty() && !read_line(&tokens, ShellOptions::default(), 0).fails
    })
}

/// What `set` and the options of a shell change.
#[derive(Debug, Clone, Copy, Default)]
struct ShellOptions {
    pipefail: bool,
    errexit: bool,
}

fn read_line(tokens: &[ShellToken], options: ShellOptions, depth: usize) -> ExitOutcomes {
    let mut reader = ListReader { tokens, at: 0, options, depth, exits_failing: false };
    let mut outcomes = reader.list();
    // What is left was not understood.
    outcomes.fails |= reader.exits_failing || reader.at < tokens.len();
    outcomes
}

struct ListReader<'t> {
    tokens: &'t [ShellToken],
    at: usize,
    options: ShellOptions,
    depth: usize,
    /// Whether `exit 1` or its like may end the line.
    exits_failing: bool,
}

/// Words that end a list.
const ENDS: &[&str] = &["then", "elif", "else", "fi", "do", "done", "esac", "}"];

impl ListReader<'_> {
    /// `a; b && c || d`, up to a word or bracket that ends it.
    fn list(&mut self) -> ExitOutcomes {
        let mut last = ALWAYS;
        let mut stops_failing = false;
        loop {
            while matches!(self.peek(), Some(ShellToken::Operator(";" | "\n" | "&"))) {
                self.at += 1;
            }
            if self.peek().is_none()
                || self.is_bracket(')')
                || ENDS.iter().any(|end| self.is_word(end))
            {
                break;
            }
            stops_failing |= self.options.errexit && last.fails;
            let before = self.at;
            last = self.and_or();
            if self.is_operator("&") {
                last = ALWAYS;
            }
            if self.at == before {
                return EITHER;
            }
        }
        ExitOutcomes { fails: last.fails || stops_failing, ..last }
    }

    fn and_or(&mut self) -> ExitOutcomes {
        let mut left = self.pipeline();
        loop {
            let is_and = self.is_operator("&&");
            if !is_and && !self.is_operator("||") {
                return left;
            }
            self.at += 1;
            while self.is_operator("\n") {
                self.at += 1;
            }
            let right = self.pipeline();
            left = match (is_and, left) {
                (true, ExitOutcomes { succeeds: false, .. })
                | (false, ExitOutcomes { fails: false, .. }) => left,
                (true, ExitOutcomes { fails, .. }) => {
                    ExitOutcomes { succeeds: right.succeeds, fails: fails || right.fails }
                }
                (false, ExitOutcomes { succeeds, .. }) => {
                    ExitOutcomes { succeeds: succeeds || right.succeeds, fails: right.fails }
                }
            };
        }
    }

    fn pipeline(&mut self) -> ExitOutcomes {
        let mut is_negated = false;
        while self.is_word("!") {
            is_negated = !is_negated;
            self.at += 1;
        }
        let mut whole = self.command(PipePlace::First);
        while self.is_operator("|") {
            self.at += 1;
            let next = self.command(PipePlace::Behind);
            whole = if self.options.pipefail {
                ExitOutcomes {
                    succeeds: whole.succeeds && next.succeeds,
                    fails: whole.fails || next.fails,
                }
            } else {
                next
            };
        }
        if is_negated {
            ExitOutcomes { succeeds: whole.fails, fails: whole.succeeds }
        } else {
            whole
        }
    }

    fn command(&mut self, place: PipePlace) -> ExitOutcomes {
        if self.depth > MAX_DEPTH {
            self.at = self.tokens.len();
            return EITHER;
        }
        if self.is_bracket('(') {
            return self.subshell();
        }
        let word = match self.peek() {
            Some(ShellToken::Word { text, quoted: false, .. }) => text.clone(),
            _ => String::new(),
        };
        match word.as_str() {
            "{" => {
                self.at += 1;
                let inner = self.nested();
                self.close("}");
                inner
            }
            "if" => self.condition(),
            "while" | "until" | "for" => self.repetition(),
            "case" | "function" | "select" => {
                self.at = self.tokens.len();
                EITHER
            }
            _ => self.simple(place),
        }
    }

    fn subshell(&mut self) -> ExitOutcomes {
        self.at += 1;
        let (outside, options) = (self.exits_failing, self.options);
        self.exits_failing = false;
        let mut inner = self.nested();
        inner.fails |= self.exits_failing;
        (self.exits_failing, self.options) = (outside, options);
        if self.is_bracket(')') {
            self.at += 1;
        }
        self.skip_redirections();
        inner
    }

    fn nested(&mut self) -> ExitOutcomes {
        self.depth += 1;
        let inner = self.list();
        self.depth -= 1;
        inner
    }

    /// `if a; then b; else c; fi`: without an `else`, a condition that fails is a success.
    fn condition(&mut self) -> ExitOutcomes {
        let mut fails = false;
        self.at += 1;
        loop {
            self.without_errexit();
            self.close("then");
            fails |= self.nested().fails;
            if self.is_word("elif") {
                self.at += 1;
                continue;
            }
            break;
        }
        if self.is_word("else") {
            self.at += 1;
            fails |= self.nested().fails;
        }
        self.close("fi");
        ExitOutcomes { succeeds: true, fails }
    }

    fn repetition(&mut self) -> ExitOutcomes {
        let mut waits = false;
        if self.is_word("for") {
            while !self.is_word("do") && self.at < self.tokens.len() {
                self.at += 1;
            }
        } else {
            waits = self.is_word("until");
            self.at += 1;
            waits |= self.is_word("!");
            self.without_errexit();
        }
        self.close("do");
        let body = self.nested();
        self.close("done");
        // What waits for something fails by the time limit.
        ExitOutcomes { succeeds: true, fails: body.fails || waits }
    }

    /// The list of a condition, whose failure is no failure of the line.
    fn without_errexit(&mut self) {
        let options = self.options;
        self.options.errexit = false;
        self.nested();
        self.options = options;
    }

    fn simple(&mut self, place: PipePlace) -> ExitOutcomes {
        let mut words: Vec<String> = Vec::new();
        let mut reads_file = false;
        let mut substitutes = false;
        while let Some(token) = self.peek() {
            match token {
                ShellToken::Word { text, substitutions, .. } => {
                    substitutes |= !substitutions.is_empty();
                    words.push(text.clone());
                }
                ShellToken::Redirect { sign, .. } => {
                    reads_file |= sign.starts_with('<') && sign.len() == 1;
                }
                // `name() { … }` is a function; what it does when it is called is not followed.
                ShellToken::Bracket('(') => {
                    self.at = self.tokens.len();
                    return EITHER;
                }
                ShellToken::Operator(_) | ShellToken::Bracket(_) => break,
            }
            self.at += 1;
        }
        let is_assignment = |word: &String| {
            word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            })
        };
        let assigned = words.iter().take_while(|word| is_assignment(word)).count();
        words.drain(..assigned);
        while words.first().is_some_and(|word| is_wrapper(word)) {
            words = words_after_wrapper(&words);
        }
        // A file that is missing fails before the program starts.
        let outcomes =
            if reads_file { EITHER } else { self.outcomes_of(&words, place, substitutes) };
        if words.first().is_some_and(|word| word == "exit") && outcomes.fails {
            self.exits_failing = true;
        }
        outcomes
    }

    fn outcomes_of(
        &mut self,
        words: &[String],
        place: PipePlace,
        substitutes: bool,
    ) -> ExitOutcomes {
        let Some(program) = words.first() else {
            return if substitutes { EITHER } else { ALWAYS };
        };
        let name = program.rsplit('/').next().unwrap_or(program);
        match name {
            "set" => {
                self.set_options(&words[1..]);
                ALWAYS
            }
            "false" => NEVER,
            "exit" | "return" => match words.get(1).map(String::as_str) {
                Some("0") => ALWAYS,
                Some(code) if code.bytes().all(|byte| byte.is_ascii_digit()) => NEVER,
                _ => EITHER,
            },
            "eval" => self.inner_line(&words[1..].join(" "), self.options),
            "sh" | "bash" | "zsh" | "dash" | "ksh" => self.inner_shell(words),
            _ if never_fails(words) => ALWAYS,
            _ if place != PipePlace::First && only_passes_on(words) => ALWAYS,
            _ => EITHER,
        }
    }

    /// `sh -c '…'`
    fn inner_shell(&self, words: &[String]) -> ExitOutcomes {
        let mut options = ShellOptions::default();
        let mut rest = words[1..].iter();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-o" => options.pipefail |= rest.next().is_some_and(|name| name == "pipefail"),
                word if word.starts_with('-') && !word.starts_with("--") => {
                    options.errexit |= word.contains('e');
                    // `-eo pipefail -c`
                    if word.ends_with('o') {
                        options.pipefail |= rest.next().is_some_and(|name| name == "pipefail");
                    }
                    if word.contains('c') {
                        return rest.next().map_or(EITHER, |line| self.inner_line(line, options));
                    }
                }
                _ => return EITHER,
            }
        }
        EITHER
    }

    fn inner_line(&self, line: &str, options: ShellOptions) -> ExitOutcomes {
        match shell_tokens(line) {
            Some(tokens) if self.depth < MAX_DEPTH => read_line(&tokens, options, self.depth + 1),
            _ => EITHER,
        }
    }

    fn set_options(&mut self, words: &[String]) {
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let is_on = word.starts_with('-');
            if word.len() > 1 && word[1..].contains('e') && word.starts_with(['-', '+']) {
                self.options.errexit = is_on;
            }
            if word.ends_with('o') && rest.next().is_some_and(|name| name == "pipefail") {
                self.options.pipefail = is_on;
            }
        }
    }

    fn peek(&self) -> Option<&ShellToken> {
        self.tokens.get(self.at)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(ShellToken::Word { text, quoted: false, .. }) if text == word)
    }

    fn is_operator(&self, operator: &str) -> bool {
        matches!(self.peek(), Some(ShellToken::Operator(found)) if *found == operator)
    }

    fn is_bracket(&self, bracket: char) -> bool {
        matches!(self.peek(), Some(ShellToken::Bracket(found)) if *found == bracket)
    }

    fn close(&mut self, word: &str) {
        if self.is_word(word) {
            self.at += 1;
        }
        self.skip_redirections();
    }

    fn skip_redirections(&mut self) {
        while matches!(self.peek(), Some(ShellToken::Redirect { .. })) {
            self.at += 1;
        }
    }
}

/// Where in a pipe a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PipePlace {
    First,
    Behind,
}
