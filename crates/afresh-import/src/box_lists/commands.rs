//! Commands in a sentence that prove something: "`cargo test rm_` passes", "Run `npm test`".
//!
//! A task list names many commands that are part of the work (`npm install x`) or only print
//! something. A command is a check if the sentence says that it passes, or if it tests, lints or builds.

use crate::plan_md::checks::command;
use crate::prose::paths::is_path;

/// Words that say that a command proves something.
const PROVING: &[&str] = &[
    "test",
    "tests",
    "check",
    "lint",
    "typecheck",
    "type-check",
    "tsc",
    "pytest",
    "jest",
    "vitest",
    "clippy",
    "vet",
    "build",
    "mypy",
    "ruff",
    "rspec",
    "phpunit",
    "ctest",
    "verify",
    "eslint",
    "nextest",
    "unittest",
    "tox",
    "nox",
    "bats",
    "shellcheck",
    "playwright",
    "cypress",
];

/// Tools that check the documents of a format, and no code.
const DOCUMENT_TOOLS: &[&str] = &["openspec", "specify", "kiro", "git", "afresh"];

/// The commands of a text that are checks.
pub(crate) fn find_checks(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for clause in clauses(text) {
        let Some(command) = check_in_clause(clause) else { continue };
        if !found.contains(&command) {
            found.push(command);
        }
    }
    found
}

/// Whether the words about the expected output of a command say that it fails.
pub(crate) fn is_expected_to_fail(expected: &str) -> bool {
    let lower = expected.to_lowercase();
    let says = |words: &[&str]| {
        lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
    };
    let fails = says(&["fail", "fails", "failure", "failing", "error", "errors", "red"]);
    let passes = says(&["pass", "passes", "passing", "passed", "ok", "succeeds", "green"]);
    let none = ["no fail", "0 fail", "no error", "0 error", "without error"];
    let passes = passes || none.iter().any(|none| lower.contains(none));
    fails && !passes
}

/// The parts of a text between semicolons, full stops and lines, outside of backticks.
fn clauses(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut from, mut code) = (0, false);
    for (at, c) in text.char_indices() {
        code ^= c == '`';
        let stop = c == '.' && text[at + 1..].starts_with([' ', '\n']);
        if !code && (stop || matches!(c, ';' | '\n' | ',' | '(' | ')')) {
            found.push(&text[from..at]);
            from = at + c.len_utf8();
        }
    }
    found.push(&text[from..]);
    found.iter().map(|clause| clause.trim().trim_start_matches(['-', '*', ' '])).collect()
}

fn check_in_clause(clause: &str) -> Option<String> {
    let start = clause.find('`')?;
    let before = clause[..start].to_ascii_lowercase();
    let last = before.trim().trim_end_matches([':', '*']).rsplit(' ').next().unwrap_or_default();
    let asks: [&str; 9] =
        ["run", "verify", "execute", "with", "ensure", "confirm", "check", "that", "and"];
    let command = command::find(&clause[start..])?;
    let first = command.split_whitespace().next().unwrap_or_default();
    // ``src/a.rs` compiles`` names a file.
    if first == command && is_path(&command) && command.strip_suffix(".sh").is_none() {
        return None;
    }
    let rest = clause[start..].rsplit('`').next().unwrap_or_default().trim();
    let passes = !rest.trim_matches(['.', '*', ' ']).is_empty();
    let proves = command
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .any(|word| PROVING.contains(&word));
    let serves = ["dev", "serve", "start", "watch", "--watch"];
    let ends = !command.split_whitespace().any(|word| serves.contains(&word));
    let is_asked = last.is_empty() || asks.contains(&last);
    (ends && !DOCUMENT_TOOLS.contains(&first) && (passes || (is_asked && proves)))
        .then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_prove_something_are_found() {
        assert_eq!(
            find_checks("Add `note rm` in `src/rm.rs`; `cargo test rm_` passes"),
            ["cargo test rm_"]
        );
        assert_eq!(find_checks("Run `npm test` and look"), [""; 0]);
        assert_eq!(find_checks("Run `npm test`"), ["npm test"]);
        assert_eq!(find_checks("Verify with `npm run lint`."), ["npm run lint"]);
        assert_eq!(find_checks("- Ensure `pytest -q` passes"), ["pytest -q"]);
    }

    #[test]
    fn words_about_failure_are_understood() {
        for text in
            ["Expected: FAIL", "Expected: fails with \"no such name\"", "Expected: an error"]
        {
            assert!(is_expected_to_fail(text), "{text}");
        }
        for text in ["", "Expected: PASS", "Expected: 3 passed, 0 failed", "Expected: no errors"] {
            assert!(!is_expected_to_fail(text), "{text}");
        }
    }

    #[test]
    fn commands_that_are_work_are_not_checks() {
        for text in [
            "Run `npm install zod`",
            "Run `npm run dev`",
            "Run `openspec validate add-rm --strict`",
            "Add `cargo test` to the workflow",
            "Use `git status` to see it",
            "`src/a.rs` compiles",
        ] {
            assert_eq!(find_checks(text), [""; 0], "{text}");
        }
    }
}
