//! Commands that prove nothing, recognised without running them.

use afresh_core::plan::shell::{ShellToken, shell_tokens};

/// How many shells inside shells are looked into.
const MAX_DEPTH: usize = 4;
/// Programs that always succeed.
const SUCCEEDING: &[&str] = &["true", "echo", ":", "printf"];

/// Why this command always passes, if it does.
pub fn cannot_fail(command: &str) -> Option<&'static str> {
    judge(command, MAX_DEPTH)
}

fn judge(command: &str, depth: usize) -> Option<&'static str> {
    let mut tokens = shell_tokens(command)?;
    tokens.retain(|token| !matches!(token, ShellToken::Bracket(_)));
    let word = |at: usize| match tokens.get(at) {
        Some(ShellToken::Word { text, .. }) => Some(text.as_str()),
        _ => None,
    };
    if word(tokens.len().saturating_sub(1)) == Some("fi") {
        return ends_succeed(&tokens)
            .then_some("each of its branches ends with a command that always succeeds");
    }
    let operator = tokens.iter().rposition(|token| matches!(token, ShellToken::Operator(_)));
    let start = operator.map_or(0, |at| at + 1);
    let program = word(start)?;
    let shell = program.rsplit('/').next().unwrap_or(program);
    if depth > 0 && ["bash", "sh", "zsh", "dash"].contains(&shell) {
        let given = (start + 1..tokens.len())
            .find(|at| word(*at).is_some_and(|flag| flag.starts_with('-') && flag.ends_with('c')));
        return given.and_then(|at| word(at + 1)).and_then(|inner| judge(inner, depth - 1));
    }
    let ShellToken::Operator(operator) = tokens.get(operator?)? else { return None };
    let leaves = program == "exit" && matches!(word(start + 1), Some("0"));
    match *operator {
        "|" if ["head", "tail", "cat", "tee", "sort", "wc", "less", "more"].contains(&program) => {
            Some("its exit code is that of the last program of the pipe")
        }
        "||" | ";" | "\n" if SUCCEEDING.contains(&program) || leaves => {
            Some("its exit code is that of its last part, which always succeeds")
        }
        _ => None,
    }
}

/// Whether every branch of an `if … else … fi` ends with a command that succeeds.
fn ends_succeed(tokens: &[ShellToken]) -> bool {
    let is = |token: &ShellToken, words: &[&str]| matches!(token, ShellToken::Word { text, quoted: false, .. } if words.contains(&text.as_str()));
    if !tokens.iter().any(|token| is(token, &["else"])) {
        return false;
    }
    let mut program: Option<&ShellToken> = None;
    let mut starts = false;
    let mut branches = Vec::new();
    for token in tokens {
        if is(token, &["elif", "else", "fi"]) {
            branches.extend(program.take());
        }
        match token {
            ShellToken::Operator(_) => starts = true,
            token if is(token, &["then", "else", "elif", "if"]) => starts = true,
            token if starts => (program, starts) = (Some(token), false),
            _ => {}
        }
    }
    !branches.is_empty() && branches.iter().all(|program| is(program, SUCCEEDING))
}

/// Whether its exit code says only whether anything was found, while it prints a number: `grep -c`.
pub fn counts_matches(command: &str) -> bool {
    let Some(tokens) = shell_tokens(command) else { return false };
    let last = tokens.rsplit(|token| matches!(token, ShellToken::Operator(_))).next();
    let mut words = last.into_iter().flatten().filter_map(|token| match token {
        ShellToken::Word { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let program = words.find(|word| *word != "!").unwrap_or_default();
    ["grep", "egrep", "fgrep", "rg"].contains(&program)
        && words.take_while(|word| *word != "--").any(|word| {
            let short = word.starts_with('-') && !word.starts_with("--") && word.contains('c');
            word == "--count" || (short && word.len() < 6)
        })
}

/// Whether it uses something outside of the clone: another directory, a home, another machine.
pub fn leaves_the_tree(command: &str) -> bool {
    let Some(tokens) = shell_tokens(command) else { return false };
    let changes = tokens.windows(2).any(|pair| match pair {
        [ShellToken::Word { text: cd, .. }, ShellToken::Word { text: to, .. }] => {
            cd == "cd" && (to.starts_with(['/', '~']) && to != "/tmp" && !to.starts_with("/tmp/"))
        }
        _ => false,
    });
    let remote = tokens.split(|token| matches!(token, ShellToken::Operator(_))).any(|part| {
        matches!(part.first(), Some(ShellToken::Word { text, .. }) if text == "ssh" || text == "scp")
    });
    changes || remote || names_a_home(command)
}

/// Whether the text names a home directory: `/Users/x`, `/home/x`, `$HOME`, `~/`, `c:/Users`.
fn names_a_home(command: &str) -> bool {
    let starts = |at: usize| {
        let before = command[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || "/._-~}".contains(c)))
    };
    let marks = ["/Users/", "/home/", "/root/", "~/", "$HOME", "${HOME}"];
    let named = marks.iter().any(|mark| command.match_indices(mark).any(|(at, _)| starts(at)));
    let drive = [":/", ":\\"].iter().any(|mark| {
        command.match_indices(mark).any(|(at, _)| {
            let letter = command[..at].chars().next_back().is_some_and(|c| c.is_ascii_alphabetic());
            letter && starts(at - 1) && !command[at..].starts_with("://")
        })
    });
    named || drive
}
