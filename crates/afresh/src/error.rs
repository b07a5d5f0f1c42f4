//! Errors as text and as JSON.

use std::fmt::Write as _;

use afresh_app::error::AppError;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::{Value, json};

use crate::cli::Cli;
use crate::commands::suggest;
use crate::terminal::output::safe;

pub(crate) fn to_json(error: &AppError) -> Value {
    let first = error.findings.iter().find(|finding| finding.is_error());
    let hint = error.hint.clone().or_else(|| first.and_then(|finding| finding.hint.clone()));
    let message = first.map_or_else(|| error.to_string(), |finding| finding.message.clone());
    json!({"error": {
        "kind": first.map_or(error.kind, |finding| finding.code.as_str()),
        "message": message,
        "help": hint,
        "file": first.map(|finding| finding.file.clone()).or_else(|| error.file.clone()),
        "line": first.map(|finding| finding.line).filter(|line| *line > 0),
        "column": first.map(|finding| finding.column).filter(|column| *column > 0),
        "findings": error.findings,
    }})
}

/// Names and messages may come from anywhere, so no line of it can move a cursor. Source lines take at most
/// `columns`.
pub(crate) fn to_text(error: &AppError, columns: usize) -> String {
    let mut text = String::new();
    for finding in &error.findings {
        text.push_str(&finding.render_within(columns));
    }
    let _ = writeln!(text, "error: {}", error.message);
    for cause in &error.causes {
        let _ = writeln!(text, "  cause: {cause}");
    }
    if let Some(hint) = &error.hint {
        let _ = writeln!(text, "  hint: {hint}");
    }
    text.lines().map(|line| safe(line) + "\n").collect()
}

/// What clap found wrong, in our words.
pub(crate) fn from_usage(error: &clap::Error, arguments: &[String]) -> AppError {
    let typed = typed_command(arguments);
    let command = typed.as_deref();
    match error.kind() {
        _ if command == Some("log") && !is_in_attempt(error) => called_by_workers("log", error),
        ErrorKind::InvalidSubcommand => {
            let name = text_of(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            match command {
                Some(command) => suggest::unknown_subcommand(command, &name),
                None => suggest::unknown_command(&name),
            }
        }
        ErrorKind::UnknownArgument => {
            let argument = text_of(error, ContextKind::InvalidArg).unwrap_or_default();
            let near = text_of(error, ContextKind::SuggestedArg);
            suggest::unknown_argument(command, &argument, near.as_deref())
        }
        ErrorKind::InvalidValue => {
            let argument = text_of(error, ContextKind::InvalidArg).unwrap_or_default();
            let value = text_of(error, ContextKind::InvalidValue).unwrap_or_default();
            let valid = list_of(error, ContextKind::ValidValue);
            suggest::invalid_value(command, &argument, &value, &valid)
        }
        ErrorKind::ValueValidation => {
            let argument = text_of(error, ContextKind::InvalidArg).unwrap_or_default();
            let value = text_of(error, ContextKind::InvalidValue).unwrap_or_default();
            let failure = suggest::invalid_value(command, &argument, &value, &[]);
            match std::error::Error::source(error) {
                Some(why) => failure.cause(suggest::reason(&why.to_string())),
                None => failure,
            }
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = list_of(error, ContextKind::InvalidArg);
            let names = missing.iter().map(|shown| suggest::plain_argument(shown));
            let missing = names.collect::<Vec<_>>().join(" and ");
            let name = command.map_or_else(|| "afresh".to_owned(), |it| format!("afresh {it}"));
            AppError::usage("usage", format!("`{name}` needs {missing}"))
                .hint(suggest::help_hint(command))
        }
        _ => from_clap(error, command),
    }
}

/// The command as it was typed; the values of options of every command are none.
fn typed_command(arguments: &[String]) -> Option<String> {
    let cli = Cli::command();
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        if matches!(word.as_str(), "-C" | "--config" | "--color") {
            words.next();
        } else if !word.starts_with('-') {
            return cli.find_subcommand(word).map(|command| command.get_name().to_owned());
        }
    }
    None
}

/// Outside of an attempt, this is a person who looks for something else.
fn called_by_workers(command: &str, error: &clap::Error) -> AppError {
    let failure = AppError::usage(
        "usage",
        format!("`afresh {command}` is called by workers, inside an attempt"),
    );
    let task = text_of(error, ContextKind::InvalidValue).unwrap_or_default();
    failure.hint(format!("`{}` shows what happened", format!("afresh logs {task}").trim()))
}

/// A slip in an option is reported as such.
fn is_in_attempt(error: &clap::Error) -> bool {
    !matches!(error.kind(), ErrorKind::MissingRequiredArgument | ErrorKind::InvalidValue)
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

fn list_of(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// clap's message as an error of ours.
fn from_clap(error: &clap::Error, command: Option<&str>) -> AppError {
    let message = error.to_string();
    let first = message.lines().next().unwrap_or_default();
    let text = first.strip_prefix("error: ").unwrap_or(first).replace('\'', "`");
    AppError::usage("usage", text).hint(suggest::help_hint(command))
}
