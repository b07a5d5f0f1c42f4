//! Commands that other tools have, and what afresh offers instead.

use afresh_app::error::AppError;
use afresh_app::text::other_tools::{OPTIONS, PLANNED, SUBCOMMANDS, SYNONYMS};
use afresh_core::plan::nearest;
use clap::CommandFactory;

use crate::cli::Cli;

/// Shorter texts begin too many names.
const MIN_START: usize = 3;

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
    let full = format!("{} {bare}", command.unwrap_or_default());
    let find = |wanted: &str| OPTIONS.iter().find(|(names, _)| names.contains(&wanted));
    let known = find(&full).or_else(|| find(bare));
    match (known, near) {
        (Some((_, instead)), _) => failure.hint(*instead),
        (None, Some(near)) => failure.hint(format!("did you mean `{near}`?")),
        (None, None) => failure.hint(format!("{help} lists what it takes")),
    }
}

/// The error for a subcommand that a command does not have, as in `afresh task add`.
pub(crate) fn unknown_subcommand(command: &str, name: &str) -> AppError {
    let failure =
        AppError::usage("usage", format!("`afresh {command}` has no subcommand `{name}`"));
    let full = format!("{command} {}", name.to_lowercase());
    if let Some((_, instead)) = SUBCOMMANDS.iter().find(|(names, _)| names.contains(&full.as_str()))
    {
        return failure.hint(*instead);
    }
    let cli = Cli::command();
    let own = cli.find_subcommand(command).into_iter().flat_map(clap::Command::get_subcommands);
    let names: Vec<&str> = own.map(clap::Command::get_name).collect();
    match nearest(name, names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `afresh {command} {near}`?")),
        None => failure.hint(format!("it has: {}", names.join(", "))),
    }
}

/// The error for a value that an option or an argument cannot have; `valid` is empty if others are not listed.
pub(crate) fn invalid_value(
    command: Option<&str>,
    argument: &str,
    value: &str,
    valid: &[String],
) -> AppError {
    let argument = plain_argument(argument);
    if value.is_empty() {
        let failure = AppError::usage("usage", format!("`{argument}` needs a value"));
        return failure.hint(match valid {
            [] => help_hint(command),
            _ => format!("one of: {}", valid.join(", ")),
        });
    }
    let failure = AppError::usage("usage", format!("`{argument}` cannot be `{value}`"));
    let mut begin = valid.iter().filter(|word| word.starts_with(value));
    let only = match (begin.next(), begin.next()) {
        (Some(word), None) => Some(word.as_str()),
        _ => None,
    };
    match only.or_else(|| nearest(value, valid.iter().map(String::as_str))) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None if valid.is_empty() => failure.hint(help_hint(command)),
        None => failure.hint(format!("one of: {}", valid.join(", "))),
    }
}

/// The name of an argument that clap shows as `--format <NAME>`, `<SHELL>` or `[NAME]`.
pub(crate) fn plain_argument(shown: &str) -> &str {
    let name = shown.split(" <").next().unwrap_or(shown);
    name.trim_matches(['<', '>', '[', ']'])
}

/// What a parser of clap or of the standard library reports, as a sentence for people.
pub(crate) fn reason(why: &str) -> String {
    let range = why.split_once(" is not in ").map(|(_, range)| range);
    if let Some((from, to)) = range.and_then(|range| range.split_once("..=")) {
        return format!("expected a number from {from} to {to}");
    }
    match why {
        "invalid digit found in string" | "number too large to fit in target type" => {
            "expected a number".to_owned()
        }
        _ => why.to_owned(),
    }
}

/// Where a command is explained.
pub(crate) fn help_hint(command: Option<&str>) -> String {
    match command {
        Some(command) => format!("`afresh help {command}` explains it"),
        None => "see `afresh --help`".to_owned(),
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
    let is_start = |name: &str| lower.len() >= MIN_START && name.starts_with(&lower);
    let begins = names.iter().copied().find(|name| lower.starts_with(name) || is_start(name));
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
        for name in SUBCOMMANDS.iter().flat_map(|(names, _)| *names) {
            let (command, own) = name.split_once(' ').expect("two words");
            let command = cli.find_subcommand(command).expect("a command");
            assert!(command.find_subcommand(own).is_none(), "{name} exists");
        }
    }
}
