//! A command in a sentence that only says that it passes.

use super::is_command;
use super::words::{LOOKING, SERVING, listed};
use afresh_core::plan::shell::{ShellToken, shell_tokens};

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
    let more = PASSES_AND_MORE.iter().any(|start| after.starts_with(start))
        // Behind a pipe, the exit code is another program's.
        || (!inside.contains('|') && says_it_passes(&after))
        || (inside.starts_with("test -") && after.ends_with("exists"));
    let other = after.split('`').skip(1).step_by(2).any(is_command);
    let meant =
        PASSES.contains(&after.as_str()) || (more && !other && is_decided_by_exit_code(inside));
    (matches!(before.as_str(), "" | "run" | "execute") && meant).then_some(inside)
}

/// Words that say that everything is well.
const WELL: [&str; 9] =
    ["pass", "passes", "passing", "passed", "green", "succeed", "succeeds", "errors", "failures"];
/// Words that say something else, unless none of it is expected.
const UNWELL: [&str; 14] = [
    "fail", "fails", "failing", "failed", "failure", "failures", "error", "errors", "not", "never",
    "but", "except", "unless", "red",
];

/// "22/22 pass (zero failures)", "full suite green", "0 errors"; not "3 tests fail", "does not pass".
fn says_it_passes(after: &str) -> bool {
    let words: Vec<&str> =
        after.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_none = |at: usize| {
        let before = at.checked_sub(1).map(|before| words[before]);
        let before = match before {
            // "no type errors"
            Some("type" | "typescript" | "lint" | "compile") => {
                at.checked_sub(2).map(|at| words[at])
            }
            before => before,
        };
        matches!(before, Some("0" | "no" | "zero" | "without"))
    };
    let mut all = words.iter().enumerate();
    let well = all
        .clone()
        .any(|(at, word)| WELL.contains(word) && (is_none(at) || !UNWELL.contains(word)));
    well && !all.any(|(at, word)| UNWELL.contains(word) && !is_none(at))
}

/// Whether the command ends and its exit code is the whole result.
fn is_decided_by_exit_code(command: &str) -> bool {
    let tokens = shell_tokens(command).unwrap_or_default();
    let words = |token: &ShellToken| match token {
        ShellToken::Word { text, .. } => text.clone(),
        _ => String::new(),
    };
    let mut parts = tokens.split(|token| matches!(token, ShellToken::Operator(_)));
    let program = parts.find_map(|part| part.first().map(words).filter(|first| first != "cd"));
    program.is_some_and(|program| !listed(LOOKING, &program))
        && !tokens.iter().any(|token| listed(SERVING, &words(token)))
}
