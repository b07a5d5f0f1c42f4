//! The values of options, and what they say about the words around them.

use super::tools::{DIRECTORY_OPTIONS, find_tool};
use super::word_path::join_path;

/// Whether the word is what a substitution prints, not only a directory in front of a path.
pub(super) fn runs_substitution(word: &str) -> bool {
    let Some(inside) = word.strip_prefix("$(") else { return word.contains("$(") };
    inside.rsplit_once(")/").is_none_or(|(_, path)| path.contains("$("))
}

/// Takes `-C DIR` and its like away; returns the directory that it enters.
pub(super) fn take_directory(
    words: Vec<String>,
    directory: Option<&str>,
) -> (Vec<String>, Option<String>) {
    let program = words.first().map(|first| first.rsplit('/').next().unwrap_or(first).to_owned());
    let takes = program.is_some_and(|name| {
        find_tool(&name, &words).is_some()
            || matches!(name.as_str(), "go" | "uv" | "poetry" | "cargo")
    });
    let at = words.iter().position(|word| {
        DIRECTORY_OPTIONS.iter().any(|option| {
            word == option || word.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
        })
    });
    let Some(at) = at.filter(|_| takes) else { return (words, None) };
    let (value, end) = match words[at].split_once('=') {
        Some((_, value)) => (Some(value.to_owned()), at + 1),
        None => (words.get(at + 1).cloned(), at + 2),
    };
    let entered = value.and_then(|value| {
        if value.starts_with(['/', '$', '~']) { None } else { join_path(directory?, &value) }
    });
    let kept = [&words[..at], words.get(end..).unwrap_or_default()].concat();
    (kept, entered)
}

/// The values of options: `--config FILE`, `--config=FILE`, `-cFILE`.
pub(super) fn option_values(words: &[String], options: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for option in options {
            if word == option {
                found.extend(words.get(at + 1).cloned());
            } else if let Some(rest) = word.strip_prefix(option) {
                match rest.strip_prefix('=') {
                    Some(value) => found.push(value.to_owned()),
                    None if option.len() == 2 => found.push(rest.to_owned()),
                    None => {}
                }
            }
        }
    }
    found
}
