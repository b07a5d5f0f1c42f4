//! `afresh report-result`: a worker reports its result, and learns at once whether it is valid.
//!
//! It becomes the attempt's result file, which takes precedence over the worker's output.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use afresh_core::outcome::Outcome;
use afresh_core::printable;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::in_attempt::worker;
use crate::in_attempt::worker::result::{AttemptRole, MAX_ANSWER_BYTES};
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

const COMMAND: &str = "afresh report-result";

/// Report the result of the task
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file with the result, in any form; by default, standard input
    #[arg(conflicts_with_all = ["status", "error", "notes", "blocked_by", "decision", "action"])]
    file: Option<PathBuf>,
    /// completed, partial, blocked, failed, needs-decision or needs-action
    #[arg(long)]
    status: Option<String>,
    /// Why it failed or is blocked
    #[arg(long, requires = "status")]
    error: Option<String>,
    /// Notes for people
    #[arg(long, requires = "status")]
    notes: Option<String>,
    /// A task that must come first
    #[arg(long, value_name = "TASK", requires = "status")]
    blocked_by: Vec<String>,
    /// The decision that a person has to make
    #[arg(long, value_name = "QUESTION", requires = "status")]
    decision: Option<String>,
    /// One of the answers to choose from
    #[arg(long, value_name = "TEXT", requires = "decision")]
    option: Vec<String>,
    /// The action that a person has to take
    #[arg(long, value_name = "TEXT", requires = "status")]
    action: Option<String>,
}

pub(crate) fn report_result(
    args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    // Fail early outside of an attempt.
    let mailbox = worker::mailbox(COMMAND, &context.environment)?;
    let answer = match &args.status {
        Some(status) => from_flags(args, status).to_string(),
        None => from_file(args)?,
    };
    let outcome = match worker::result::role(&context.environment) {
        AttemptRole::Worker => worker::result::report(COMMAND, &answer, &context.environment)?,
        AttemptRole::Reviewer => {
            worker::result::report_review(COMMAND, &answer, &context.environment)?;
            output.data(&if output.json {
                json!({"taken": "review", "reason": null}).to_string()
            } else {
                "recorded as a review".to_owned()
            });
            return Ok(Exit::Done);
        }
    };
    let (word, reason) = describe_outcome(&outcome);
    if output.json {
        output.document(&json!({"taken": word, "reason": reason}));
    } else {
        let reason = reason.map(|reason| format!(": {}", printable::line(reason)));
        output.data(&format!("recorded as {word}{}", reason.unwrap_or_default()));
    }
    // A later result replaces this one.
    worker::hand_on_comments(&mailbox, output);
    Ok(Exit::Done)
}

/// How the result was understood, and its reason.
fn describe_outcome(outcome: &Outcome) -> (&'static str, Option<&str>) {
    match outcome {
        Outcome::Done(_) => ("completed", None),
        Outcome::Partial(_) => ("partial", None),
        Outcome::Blocked(_) => ("blocked", None),
        Outcome::NeedsDecision(decision) => ("needs-decision", Some(&decision.question)),
        Outcome::NeedsAction(action) => ("needs-action", Some(&action.needed)),
        Outcome::Failed(failure) => ("failed", Some(&failure.error)),
        _ => ("nothing", None),
    }
}

fn from_flags(args: &Args, status: &str) -> Value {
    let mut answer = json!({"status": status});
    let texts = [
        ("error", &args.error),
        ("notes", &args.notes),
        ("decision_needed", &args.decision),
        ("action_needed", &args.action),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            answer[key] = json!(text);
        }
    }
    if !args.blocked_by.is_empty() {
        answer["blocked_by"] = json!(args.blocked_by);
    }
    if !args.option.is_empty() {
        answer["options"] = json!(args.option);
    }
    answer
}

fn from_file(args: &Args) -> Result<String, AppError> {
    let failed = |error: std::io::Error| {
        AppError::usage("result", "cannot read the result")
            .cause(error.to_string())
            .hint("name a readable file, or pipe the result in")
    };
    let mut bytes = Vec::new();
    match &args.file {
        Some(path) => {
            let file = std::fs::File::open(path).map_err(failed)?;
            file.take(MAX_ANSWER_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        }
        // A person would not type a result.
        None if std::io::stdin().is_terminal() => {
            return Err(AppError::usage("result", "there is no result on standard input")
                .hint("pipe it in, name a file, or use `--status completed`"));
        }
        None => {
            let stdin = std::io::stdin().lock();
            stdin.take(MAX_ANSWER_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        }
    }
    if bytes.len() as u64 > MAX_ANSWER_BYTES {
        let message = format!("the result has more than {MAX_ANSWER_BYTES} bytes");
        return Err(
            AppError::usage("result", message).hint("shorten it; transcripts are kept anyway")
        );
    }
    String::from_utf8(bytes)
        .map_err(|_| AppError::usage("result", "the result is not UTF-8").hint("write plain text"))
}
