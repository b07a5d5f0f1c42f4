//! Any program at all.

use crate::agent::{Launch, LaunchError, Prompt, PromptBy, path_text};

/// What Linux takes as a single argument, less one for its end.
const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;

pub(crate) fn launch(
    command: &[String],
    by: PromptBy,
    prompt: Prompt<'_>,
) -> Result<Launch, LaunchError> {
    let mut argv = command.to_vec();
    let mut stdin = None;
    match by {
        PromptBy::Stdin => stdin = Some(prompt.file.to_owned()),
        PromptBy::File => {
            argv.push(path_text(prompt.file)?);
        }
        PromptBy::Arg if prompt.text.len() > MAX_ARGUMENT_BYTES => {
            return Err(LaunchError::PromptTooLong {
                bytes: prompt.text.len(),
                limit: MAX_ARGUMENT_BYTES,
            });
        }
        PromptBy::Arg => argv.push(prompt.text.to_owned()),
    }
    Ok(Launch { argv, stdin, ..Launch::default() })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn prompt(text: &str) -> Prompt<'_> {
        Prompt { text, file: Path::new("/p.md") }
    }

    #[test]
    fn the_prompt_comes_by_stdin_by_file_or_as_an_argument() {
        let command = ["agent".to_owned(), "-x".to_owned()];
        let by = |by| launch(&command, by, prompt("do it")).expect("short");
        assert_eq!(by(PromptBy::Stdin).stdin.as_deref(), Some(Path::new("/p.md")));
        assert_eq!(by(PromptBy::Stdin).argv, command);
        assert_eq!(by(PromptBy::File).argv.last().map(String::as_str), Some("/p.md"));
        assert_eq!(by(PromptBy::Arg).argv.last().map(String::as_str), Some("do it"));
    }

    #[test]
    fn a_prompt_that_no_argument_can_hold_is_refused_before_the_spawn() {
        let long = "x".repeat(200_000);
        assert!(launch(&["a".to_owned()], PromptBy::Arg, prompt(&long)).is_err());
    }
}
