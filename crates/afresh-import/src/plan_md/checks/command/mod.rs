//! Decides whether a text is a command or prose.
//!
//! About three in ten of the texts in a `<verify>` are prose: "All tests pass". Running that would be
//! wrong, and so would be skipping a command. The rules, in this order; in doubt it is prose, because
//! prose is shown to the worker and reported, while a command is run:
//!
//! 1. `$ cmd`, `` `cmd` ``, "Run `cmd`", "`cmd` passes" contain a command; so does "Run `cmd` to ensure
//!    that …", unless the command only prints (`grep`, `ls`), does not end, or another follows.
//! 2. Quotes and brackets must match: "doesn't work" is not a command.
//! 3. The first word is a known program, a path (`./check.sh`), or any plain word whose arguments
//!    look like a command's: an option, an operator, a redirection.
//! 4. Programs whose names are English words (`make`, `test`, `find` …) need such arguments too, or a
//!    typical subcommand (`make test`, `go vet`).
//! 5. None of its bare words describes a result ("returns", "should", "the"), it has no arrow, no
//!    remark in brackets, and does not end like a sentence.

mod around;
mod exit_code;
mod harmless;
mod judge;
mod words;

use afresh_core::plan::shell::{ShellToken, shell_tokens};
use around::in_backticks;
pub use judge::{cannot_fail, counts_matches, leaves_the_tree};
use words::{PROGRAMS, SECOND_WORDS, VERDICTS, WORDS, listed};

/// The command in this text, if it is one.
pub fn find(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("$ ").unwrap_or(text).trim();
    if let Some(inside) = in_backticks(text) {
        return is_command(inside).then(|| inside.to_owned());
    }
    let lower = text.get(..4).unwrap_or_default().to_ascii_lowercase();
    let bare = if matches!(lower.as_str(), "run " | "run:") { text[4..].trim() } else { text };
    is_command(bare).then(|| bare.to_owned())
}

fn is_command(text: &str) -> bool {
    let Some(tokens) = shell_tokens(text) else { return false };
    let mut start = 0;
    // `FOO=bar cmd`, `(cmd`: tokens before the first word of the command.
    while tokens.get(start).is_some_and(is_prefix) {
        start += 1;
    }
    let Some(ShellToken::Word { text: first, quoted: false, .. }) = tokens.get(start) else {
        return false;
    };
    is_program(first, &tokens[start + 1..]) && !reads_like_prose(&tokens, text)
}

fn is_prefix(token: &ShellToken) -> bool {
    match token {
        ShellToken::Word { text, .. } => text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        }),
        ShellToken::Bracket(bracket) => *bracket == '(',
        ShellToken::Operator(operator) => *operator == "\n",
        ShellToken::Redirect { .. } => false,
    }
}

/// Whether the first word can be a program, given what follows.
fn is_program(first: &str, rest: &[ShellToken]) -> bool {
    if first.is_empty() || first.contains(' ') {
        return false;
    }
    if listed(PROGRAMS, first) && !listed(WORDS, first) {
        return true;
    }
    let path = first.contains('/')
        && !first.contains("://")
        && first.chars().all(|c| c.is_ascii_alphanumeric() || "/._-@+~$".contains(c));
    let plain =
        first.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._+-".contains(c))
            && first.starts_with(|c: char| c.is_ascii_lowercase());
    let second = rest.first().is_some_and(
        |token| matches!(token, ShellToken::Word { text, .. } if listed(SECOND_WORDS, text) || is_path(text)),
    );
    (path && (rest.is_empty() || first.starts_with(['.', '/']) || looks_like_arguments(rest)))
        || (plain && looks_like_arguments(rest))
        || (listed(WORDS, first) && (second || (rest.is_empty() && first == "make")))
}

/// An option, an operator between commands, a redirection, a variable.
fn looks_like_arguments(rest: &[ShellToken]) -> bool {
    rest.iter().any(|token| match token {
        ShellToken::Word { text, .. } => {
            let option = text.strip_prefix('-').map(|rest| rest.trim_start_matches('-'));
            option.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
                || text.starts_with('$')
        }
        ShellToken::Operator(operator) => matches!(*operator, "&&" | "||" | "|"),
        ShellToken::Redirect { .. } => true,
        ShellToken::Bracket(_) => false,
    })
}

fn is_path(text: &str) -> bool {
    text.contains('/')
        || text.starts_with('.')
        || text.rsplit_once('.').is_some_and(|(a, b)| {
            !a.is_empty() && !b.is_empty() && b.chars().all(|c| c.is_ascii_alphanumeric())
        })
}

/// Whether it contains words that commands only have in quotes.
fn reads_like_prose(tokens: &[ShellToken], text: &str) -> bool {
    let mut prints = false;
    let mut starts = true;
    for token in tokens {
        match token {
            ShellToken::Word { text, quoted, .. } => {
                if starts {
                    prints = matches!(text.as_str(), "echo" | "printf" | "for" | "case");
                }
                let bare = text.trim_end_matches([',', '.', ';', ':']).to_ascii_lowercase();
                let is_verdict = listed(VERDICTS, &bare);
                let arrow =
                    matches!(text.as_str(), "->" | "=>" | "→" | "⇒" | "—" | "–" | "✓" | "≥");
                if !prints && !quoted && (arrow || (is_verdict && !starts)) {
                    return true;
                }
                // After these a command starts.
                let opens =
                    ["!", "if", "then", "else", "elif", "do", "while", "until", "{", "time"];
                starts = starts && !quoted && opens.contains(&text.as_str());
            }
            ShellToken::Operator(_) => starts = true,
            // `npm test (all pass)`: a bracket in the middle of a command is a remark.
            ShellToken::Bracket('(') if !starts => return true,
            ShellToken::Bracket(_) | ShellToken::Redirect { .. } => {}
        }
    }
    ends_like_a_sentence(tokens, text)
}

fn ends_like_a_sentence(tokens: &[ShellToken], text: &str) -> bool {
    let Some(ShellToken::Word { text: last, quoted: false, .. }) = tokens.last() else {
        return false;
    };
    let stem = last.trim_end_matches(['.', ':', ',']);
    let word = !stem.is_empty() && stem.chars().all(char::is_alphabetic);
    word && stem.len() < last.len() && text.split_whitespace().count() > 2
}

#[cfg(test)]
mod tests;
