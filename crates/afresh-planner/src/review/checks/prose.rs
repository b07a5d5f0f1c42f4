//! Checks that are sentences.

use afresh_core::plan::shell::{ShellToken, shell_tokens};
use afresh_import::plan_md::checks::command;

/// Programs whose names start with a capital letter.
const CAPITALS: &[&str] = &["R", "Rscript", "Xvfb", "PlistBuddy", "MSBuild", "Invoke-Pester"];

/// Words that commands have only in quotes.
const SENTENCE_WORDS: &[&str] = &[
    "is",
    "are",
    "should",
    "must",
    "will",
    "returns",
    "passes",
    "works",
    "shows",
    "displays",
    "contains",
    "exists",
    "that",
    "when",
    "without",
    "manually",
    "successfully",
    "correctly",
    "pass",
    "appears",
];

/// Words of sentences that may be given to a program once: `notes add the milk`.
const ARTICLES: &[&str] = &["the", "a", "an", "by"];

/// Whether a check can only be a sentence. A command of a program that we do not know is none.
pub(super) fn is_prose(text: &str) -> bool {
    if command::find(text).as_deref() == Some(text.trim()) {
        return false;
    }
    // The shell would run what the quoted command prints.
    if text.trim_start().starts_with('`') {
        return true;
    }
    let Some(tokens) = shell_tokens(text) else { return text.split_whitespace().count() > 3 };
    let words: Vec<(&str, bool)> = tokens
        .iter()
        .filter_map(|token| match token {
            ShellToken::Word { text, quoted, .. } => Some((text.as_str(), *quoted)),
            _ => None,
        })
        .collect();
    let Some((first, quoted)) = words.first() else { return false };
    // In a command line, each part has a program of its own.
    let is_line =
        tokens.iter().any(|token| matches!(token, ShellToken::Operator("&&" | "||" | "|" | ";")));
    let is_sentence = words.len() > 1
        && first.starts_with(|c: char| c.is_uppercase())
        && !first.contains(['=', '/', '.', '$'])
        && !CAPITALS.contains(first);
    // A path is a program, whatever it is given.
    let is_script = first.starts_with("./") || first.starts_with('/');
    let prints = matches!(*first, "echo" | "printf" | "for" | "case" | "while" | "if");
    let has_options = words.iter().any(|(word, _)| word.starts_with("--") || word.starts_with('$'));
    let count = |list: &[&str]| {
        let bare = |word: &str| word.trim_end_matches([',', '.', ':']).to_lowercase();
        let plain = words.iter().skip(1).filter(|(_, quoted)| !quoted);
        plain.filter(|(word, _)| list.contains(&bare(word).as_str())).count()
    };
    let (verdicts, articles) = (count(SENTENCE_WORDS), count(ARTICLES));
    let is_manual = matches!(*first, "manual" | "manually" | "visually") && words.len() > 1;
    !quoted
        && !is_script
        && !prints
        && !is_line
        && (is_sentence || is_manual || (verdicts > 0 && !has_options) || verdicts + articles > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_from_commands() {
        for text in [
            "All tests pass",
            "Manual review by QA",
            "the endpoint returns 200",
            "npm test passes",
            "check that the page renders without errors",
            "Verify the login page",
            "it doesn't crash when the file is empty",
            "`npm test` passes",
            "manual testing",
            "code review by a maintainer",
            "open the browser and check the console",
        ] {
            assert!(is_prose(text), "{text}");
        }
        for text in [
            "npm test",
            "notes add x",
            "greet Ann | grep -q Ann",
            "test -s greeting.txt",
            "Rscript tests/run.R",
            "PYTHONPATH=src python3 -m unittest",
            "./run the tests",
            "grep -q 'the end is near' out.txt",
            "if test -f x; then exit 1; fi",
            "make check",
            "mvn verify",
            "task verify",
            "todo add the milk",
            "cargo run -- show all",
            "sh -c 'exit 1'",
            "test \"$(notes list)\" = \"the note\"",
        ] {
            assert!(!is_prose(text), "{text}");
        }
    }
}
