//! Errors as text and as JSON.

use std::fmt::Write as _;

use afresh_app::error::AppError;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::{Value, json};

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

/// Names and messages may come from anywhere, so no line of it can move a cursor.
pub(crate) fn to_text(error: &AppError) -> String {
    let mut text = String::new();
    for finding in &error.findings {
        text.push_str(&finding.render());
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

/// What clap found wrong, where we can say more than clap; or where the user wants JSON.
pub(crate) fn from_usage(error: &clap::Error) -> Option<AppError> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let command = command_in_usage(error);
    match (error.kind(), context(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(name)) if command.is_none() => {
            Some(suggest::unknown_command(name))
        }
        // Outside of an attempt, this is a person who looks for the log.
        (ErrorKind::MissingRequiredArgument | ErrorKind::InvalidValue, _)
            // An invalid value comes without the command.
            if command.as_deref() == Some("log")
                || context(ContextKind::InvalidArg) == Some("<LEVEL>") =>
        {
            let task = context(ContextKind::InvalidValue).unwrap_or_default();
            Some(
                AppError::usage("usage", "`afresh log` is called by workers, inside an attempt")
                    .hint(format!(
                        "`{}` shows what happened",
                        format!("afresh logs {task}").trim()
                    )),
            )
        }
        (ErrorKind::UnknownArgument, _) => {
            let argument = context(ContextKind::InvalidArg)?;
            let near = context(ContextKind::SuggestedArg);
            Some(suggest::unknown_argument(command.as_deref(), argument, near))
        }
        _ => None,
    }
}

/// The command that the mistake is in, as in `afresh task stop`; none if it is the command itself.
fn command_in_usage(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    let word = usage.split_whitespace().skip_while(|word| *word != "afresh").nth(1)?;
    word.starts_with(|c: char| c.is_ascii_lowercase()).then(|| word.to_owned())
}

/// clap's message as an error of ours, for JSON.
pub(crate) fn from_clap(error: &clap::Error) -> AppError {
    let message = error.to_string();
    let first = message.lines().next().unwrap_or_default();
    let text = first.strip_prefix("error: ").unwrap_or(first);
    AppError::usage("usage", text).hint("see `afresh --help`")
}
