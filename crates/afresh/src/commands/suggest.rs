//! Commands that other tools have, and what afresh offers instead.

use afresh_app::error::AppError;
use afresh_app::text::other_tools::{OPTIONS, PLANNED, SYNONYMS};
use afresh_core::plan::nearest;
use clap::CommandFactory;

use crate::cli::Cli;

/// The error for an option or an argument that a command does not have.
pub(crate) fn unknown_argument(
    command: Option<&str>,
    argument: &str,
    near: Option<&str>,
) -> AppError {
    let (name, help) = match command {
        Some(command) => (format!("afresh {command}"), format!("`afresh help {command}`")),
        None => ("afresh".to_owned(), "`afresh --help`".to_owned()),
    };
    let what = if argument.starts_with('-') { "option" } else { "argument" };
    let failure = AppError::usage("usage", format!("`{name}` has no {what} `{argument}`"));
    let bare = argument.split('=').next().unwrap_or(argument);
    let known = OPTIONS.iter().find(|(names, _)| names.contains(&bare));
    match (known, near) {
        (Some((_, instead)), _) => failure.hint(*instead),
        (None, Some(near)) => failure.hint(format!("did you mean `{near}`?")),
        (None, None) => failure.hint(format!("{help} lists what it takes")),
    }
}

/// The error for a command that does not exist, with what to type instead.
pub(crate) fn unknown_command(name: &str) -> AppError {
    let lower = name.to_lowercase();
    let synonym = SYNONYMS.iter().find(|(names, _)| names.contains(&lower.as_str()));
    if let Some((_, ours)) = synonym {
        let command = ours.split(' ').next().unwrap_or(ours);
        return AppError::usage(
            "usage",
            format!("unknown command `{name}`; afresh calls it `{ours}`"),
        )
        .hint(format!("`afresh help {command}` explains it"));
    }
    if let Some((_, today)) = PLANNED.iter().find(|(planned, _)| *planned == lower) {
        return AppError::usage("usage", format!("`afresh {name}` does not exist yet"))
            .hint(*today);
    }
    let failure = AppError::usage("usage", format!("unknown command `{name}`"));
    let cli = Cli::command();
    let visible = cli.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<&str> = visible.map(clap::Command::get_name).collect();
    let begins =
        names.iter().copied().find(|name| lower.starts_with(name) || name.starts_with(&lower));
    match nearest(&lower, names.iter().copied()).or(begins) {
        Some(near) => failure.hint(format!("did you mean `afresh {near}`?")),
        None => failure.hint("`afresh --help` lists all commands"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suggestion_names_a_command() {
        let cli = Cli::command();
        for (names, ours) in SYNONYMS {
            let first = ours.split(' ').next().unwrap_or_default();
            assert!(cli.find_subcommand(first).is_some(), "{ours}");
            for name in *names {
                assert!(cli.find_subcommand(name).is_none(), "{name} exists");
            }
        }
        for (name, _) in PLANNED {
            assert!(cli.find_subcommand(name).is_none(), "{name} exists");
        }
    }
}
