//! Checks that only ask for files which already exist.

use afresh_core::plan::shell::{ShellToken, shell_tokens, simple_commands};

use super::super::grounding::tree::{PlannedPath, TaskTree};

/// Whether every part of a check asks for a file that the repository has, and that no task before deletes.
pub(super) fn holds_already(command: &str, view: &TaskTree<'_, '_>) -> bool {
    let Some(tokens) = shell_tokens(command) else { return false };
    let joins_all = tokens.iter().all(|token| match token {
        ShellToken::Operator(operator) => matches!(*operator, "&&" | "\n" | ";"),
        ShellToken::Word { text, quoted: false, .. } => text != "!",
        ShellToken::Word { .. } | ShellToken::Redirect { .. } => true,
        ShellToken::Bracket(_) => false,
    });
    let commands = simple_commands(command);
    joins_all
        && !commands.is_empty()
        && commands.iter().all(|simple| {
            let words: Vec<&str> =
                simple.words.iter().map(String::as_str).filter(|word| *word != "]").collect();
            let Some(directory) = &simple.directory else { return false };
            let exists = |path: &str| {
                let whole = if directory.is_empty() {
                    path.to_owned()
                } else {
                    format!("{directory}/{path}")
                };
                !path.contains(['*', '$', '?'])
                    && view.tree.exists(whole.trim_start_matches("./").trim_end_matches('/'))
                    && !matches!(view.state(&whole), PlannedPath::Deleted(_))
            };
            match words.as_slice() {
                ["test" | "[" | "[[", "-f" | "-e" | "-d" | "-r" | "-s", path] => {
                    exists(path.trim_end_matches("]]").trim())
                }
                ["ls" | "cat" | "stat" | "file", rest @ ..] => {
                    let mut paths = rest.iter().filter(|word| !word.starts_with('-')).peekable();
                    paths.peek().is_some() && paths.all(|path| exists(path))
                }
                _ => false,
            }
        })
}
