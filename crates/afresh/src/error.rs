//! Errors as text and as JSON.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::exit::Exit;
use crate::terminal::output::safe;
use afresh_app::error::AppError;

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

/// Prints what clap has to say; help and version are no errors.
pub(crate) fn print_usage(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && json {
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default();
        let text = first.strip_prefix("error: ").unwrap_or(first);
        let document = json!({"error": {
            "kind": "usage", "message": text, "help": "see `afresh --help`",
            "file": null, "line": null, "column": null,
        }});
        let _ = writeln!(std::io::stdout().lock(), "{document}");
    } else {
        // A closed terminal must not turn help into a panic.
        let _ = error.print();
    }
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}
