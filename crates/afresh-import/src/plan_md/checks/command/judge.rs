//! Commands that prove nothing, recognised without running them.

use crate::plan_md::checks::shell_words::{ShellToken, tokens};

/// Why this command always passes, if it does.
pub fn cannot_fail(command: &str) -> Option<&'static str> {
    let tokens = tokens(command)?;
    let last = tokens.iter().rposition(|token| matches!(token, ShellToken::Operator(_)))?;
    let ShellToken::Operator(operator) = &tokens[last] else { return None };
    let Some(ShellToken::Word { text: program, .. }) = tokens.get(last + 1) else { return None };
    match (*operator, program.as_str()) {
        ("|", "head" | "tail" | "cat" | "tee" | "sort" | "wc" | "less" | "more") => {
            Some("its exit code is that of the last program of the pipe")
        }
        ("||" | ";", "true" | "echo" | ":" | "printf") => {
            Some("its exit code is that of its last part, which always succeeds")
        }
        _ => None,
    }
}

/// Whether it changes to a directory outside of the clone.
pub fn leaves_the_tree(command: &str) -> bool {
    let Some(tokens) = tokens(command) else { return false };
    tokens.windows(2).any(|pair| match pair {
        [ShellToken::Word { text: cd, .. }, ShellToken::Word { text: to, .. }] => {
            cd == "cd" && (to.starts_with(['/', '~']) && to != "/tmp" && !to.starts_with("/tmp/"))
        }
        _ => false,
    })
}
