//! A command in a sentence that only says that it passes.

use super::is_command;
use super::words::{LOOKING, SERVING, listed};
use crate::plan_md::checks::shell_words::{ShellToken, tokens};

/// Text after `` `cmd` `` that only says that it passes.
const PASSES: [&str; 9] = [
    "",
    "pass",
    "passes",
    "succeeds",
    "works",
    "exits 0",
    "exits with 0",
    "exits with code 0",
    "returns 0",
];

/// Starts of longer texts that say the same.
const PASSES_AND_MORE: [&str; 20] = [
    "passes",
    "succeeds",
    "must pass",
    "must succeed",
    "should pass",
    "completes without error",
    "runs without error",
    "no error",
    "no type error",
    "no typescript error",
    "zero error",
    "zero type error",
    "zero typescript error",
    "all tests pass",
    "clean",
    "compiles",
    "build succeeds",
    "to confirm",
    "to ensure",
    "to verify",
];

/// The command in `` `cmd` ``, "Run `cmd`", "`cmd` passes", "Run `cmd` to ensure that …".
pub(super) fn in_backticks(text: &str) -> Option<&str> {
    let (before, rest) = text.split_once('`')?;
    let (inside, after) = rest.split_once('`')?;
    let inside = inside.trim();
    let before = before.trim().trim_end_matches(':').to_ascii_lowercase();
    let gap = [' ', '—', '–', '-', ':', '→', '.', ';', ','];
    let after = after.trim_matches(gap).to_ascii_lowercase();
    let more = PASSES_AND_MORE.iter().any(|start| after.starts_with(start));
    let other = after.split('`').skip(1).step_by(2).any(is_command);
    let meant =
        PASSES.contains(&after.as_str()) || (more && !other && is_decided_by_exit_code(inside));
    (matches!(before.as_str(), "" | "run" | "execute") && meant).then_some(inside)
}

/// Whether the command ends and its exit code is the whole result.
fn is_decided_by_exit_code(command: &str) -> bool {
    let tokens = tokens(command).unwrap_or_default();
    let words = |token: &ShellToken| match token {
        ShellToken::Word { text, .. } => text.clone(),
        _ => String::new(),
    };
    let mut parts = tokens.split(|token| matches!(token, ShellToken::Operator(_)));
    let program = parts.find_map(|part| part.first().map(words).filter(|first| first != "cd"));
    program.is_some_and(|program| !listed(LOOKING, &program))
        && !tokens.iter().any(|token| listed(SERVING, &words(token)))
}
