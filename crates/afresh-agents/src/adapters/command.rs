//! Any command as an agent.

use crate::agent::{LaunchCommand, LaunchError, PromptDelivery, PromptFile, path_text};

/// The longest single argument that Linux accepts, without its terminating NUL.
const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;

pub(crate) fn launch(
    command: &[String],
    by: PromptDelivery,
    prompt: PromptFile<'_>,
) -> Result<LaunchCommand, LaunchError> {
    let mut argv = command.to_vec();
    let mut stdin = None;
    match by {
        PromptDelivery::Stdin => stdin = Some(prompt.file.to_owned()),
        PromptDelivery::File => {
            argv.push(path_text(prompt.file)?);
        }
        PromptDelivery::Arg if prompt.text.len() > MAX_ARGUMENT_BYTES => {
            return Err(LaunchError::PromptTooLong {
                bytes: prompt.text.len(),
                limit: MAX_ARGUMENT_BYTES,
            });
        }
        PromptDelivery::Arg => argv.push(prompt.text.to_owned()),
    }
    Ok(LaunchCommand { argv, stdin, ..LaunchCommand::default() })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn prompt(text: &str) -> PromptFile<'_> {
        PromptFile { text, file: Path::new("/p.md") }
    }

    #[test]
    fn the_prompt_is_passed_by_stdin_by_file_or_as_an_argument() {
        let command = ["agent".to_owned(), "-x".to_owned()];
        let by = |by| launch(&command, by, prompt("do it")).expect("short");
        assert_eq!(by(PromptDelivery::Stdin).stdin.as_deref(), Some(Path::new("/p.md")));
        assert_eq!(by(PromptDelivery::Stdin).argv, command);
        assert_eq!(by(PromptDelivery::File).argv.last().map(String::as_str), Some("/p.md"));
        assert_eq!(by(PromptDelivery::Arg).argv.last().map(String::as_str), Some("do it"));
    }

    #[test]
    fn a_prompt_too_long_for_an_argument_is_rejected_before_the_start() {
        let long = "x".repeat(200_000);
        assert!(launch(&["a".to_owned()], PromptDelivery::Arg, prompt(&long)).is_err());
    }
}
