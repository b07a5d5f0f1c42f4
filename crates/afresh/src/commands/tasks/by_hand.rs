//! `afresh task start`, `complete` and `fail`: attempts by hand.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::tasks::by_hand::{
    HandIn, HandInOutcome, HandInWait, HandedInAttempt, NamedTask, StartedAttempt, hand_in,
    start_task,
};
use afresh_core::outcome::WorkerFailure;
use afresh_core::printable;

use crate::commands::running::drive;
use crate::exit::Exit;
use crate::in_attempt::worker::result::MAX_ANSWER_BYTES;
use crate::terminal::completion;
use crate::terminal::output::{Output, join_lines, safe};
use crate::terminal::piped_text;

#[derive(Debug, clap::Args)]
pub(super) struct StartArgs {
    /// The task
    #[arg(add = completion::tasks())]
    id: String,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct CompleteArgs {
    /// The task
    #[arg(add = completion::tasks())]
    id: String,
    /// A file with a worker's result in any form, such as an agent's final text; `-` reads standard input. By default,
    /// the attempt's own result file, if there is one
    #[arg(long, value_name = "FILE")]
    result: Option<PathBuf>,
    /// Notes for people, in the task's receipt
    #[arg(long, short, value_name = "TEXT", value_parser = parse_text)]
    message: Option<String>,
    /// Return as soon as the work is handed in, before it is checked
    #[arg(long)]
    no_wait: bool,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct FailArgs {
    /// The task
    #[arg(add = completion::tasks())]
    id: String,
    /// What went wrong: the next worker is told
    #[arg(value_parser = parse_text)]
    error: Option<String>,
    /// What kind of failure it is, such as dependency, compilation, test, validation or runtime
    #[arg(long, value_name = "CATEGORY", value_parser = parse_category)]
    category: Option<String>,
    /// The same as ERROR
    #[arg(long, value_name = "TEXT", value_parser = parse_text, conflicts_with = "error")]
    reason: Option<String>,
    /// Another attempt may succeed; this is the default
    #[arg(long, conflicts_with = "no_retry")]
    retryable: bool,
    /// No other attempt would succeed: the task has failed
    #[arg(long)]
    no_retry: bool,
    /// Return as soon as it is recorded, before the work is saved
    #[arg(long)]
    no_wait: bool,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

/// A category is a word: reports count by it.
fn parse_category(text: &str) -> Result<String, String> {
    const MAX_CHARS: usize = 40;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.is_empty() || text.len() > MAX_CHARS || !text.chars().all(is_word) {
        return Err(format!("expected one word of at most {MAX_CHARS} letters, such as `test`"));
    }
    Ok(text.to_ascii_lowercase())
}

fn parse_text(text: &str) -> Result<String, String> {
    const MAX_BYTES: usize = 4 * 1024;
    if text.len() > MAX_BYTES {
        return Err(format!("it has more than {MAX_BYTES} bytes"));
    }
    Ok(text.to_owned())
}

pub(super) fn start(
    args: &StartArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let named = NamedTask { run: args.run.as_deref(), task: &args.id };
    let started = start_task(context, &drive::open_file_reporters, named)?;
    if output.json {
        output.document(&started);
        return Ok(Exit::Done);
    }
    let StartedAttempt { task, attempt, workspace, bundle, prompt, .. } = &started;
    output.data(&format!("workspace: {}", workspace.display()));
    output.data(&format!("bundle: {}", bundle.display()));
    output.data(&format!("prompt: {}", prompt.display()));
    output.data(&format!("attempt: {attempt}"));
    output.note(&format!(
        "work in the workspace; then `afresh task complete {task}` hands it in, `afresh task fail {task}` gives it up"
    ));
    Ok(Exit::Done)
}

pub(super) fn complete(
    args: &CompleteArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let result = args.result.as_deref().map(read_result).transpose()?;
    let end = HandIn::Complete { result, message: args.message.clone() };
    let named = NamedTask { run: args.run.as_deref(), task: &args.id };
    let told = hand_in(context, &drive::open_file_reporters, named, end, wait(args.no_wait))?;
    Ok(report(&told, output))
}

pub(super) fn fail(
    args: &FailArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let retryable = match (args.retryable, args.no_retry) {
        (_, true) => Some(false),
        (true, _) => Some(true),
        _ => None,
    };
    let error = args
        .error
        .clone()
        .or_else(|| args.reason.clone())
        .unwrap_or_else(|| "given up by hand".to_owned());
    let category = args.category.clone();
    let failure = WorkerFailure { error, category, retryable, ..WorkerFailure::default() };
    let named = NamedTask { run: args.run.as_deref(), task: &args.id };
    let (end, wait) = (HandIn::Fail(failure), wait(args.no_wait));
    let mut told = hand_in(context, &drive::open_file_reporters, named, end, wait)?;
    // That the work is rejected is what was asked for.
    told.ok |= told.outcome == HandInOutcome::Rejected;
    report(&told, output);
    Ok(match told.outcome {
        HandInOutcome::Rejected => Exit::Done,
        other => exit(other),
    })
}

fn wait(no_wait: bool) -> HandInWait {
    if no_wait { HandInWait::No } else { HandInWait::ForOutcome }
}

fn exit(outcome: HandInOutcome) -> Exit {
    match outcome {
        HandInOutcome::Merged | HandInOutcome::HandedIn => Exit::Done,
        HandInOutcome::Rejected => Exit::Incomplete,
        HandInOutcome::Waiting => Exit::Waiting,
        HandInOutcome::Halted => Exit::Halted,
        HandInOutcome::BudgetReached => Exit::BudgetReached,
    }
}

fn report(told: &HandedInAttempt, output: &Output) -> Exit {
    let exit = exit(told.outcome);
    if output.json {
        output.document(told);
        return exit;
    }
    let HandedInAttempt { run, task, attempt, saved, .. } = told;
    let why = told.reason.as_deref().map(join_lines).unwrap_or_default();
    let state = told.state.map_or("gone from the plan", |state| state.word());
    output.note(&match told.outcome {
        HandInOutcome::Merged => {
            let commit = told.commit.as_ref().map_or("", |commit| commit.as_str());
            format!("{attempt} is merged: {task} is done ({})", &commit[..commit.len().min(12)])
        }
        HandInOutcome::Rejected => {
            format!("{attempt} was rejected: {why}\n  {task} is {state}; the work is saved as {saved}")
        }
        HandInOutcome::Waiting => {
            let question = told.question.as_deref().unwrap_or("a question");
            let first = told.reason.as_deref().and_then(|text| text.lines().next());
            let text = safe(first.unwrap_or_default());
            format!(
                "{attempt} waits for a person: {question}: {text}\n  `afresh decide {question}` shows it with its answers"
            )
        }
        HandInOutcome::Halted => format!(
            "{attempt} is handed in, and the run is halted: {why}\n  `afresh run --by-hand` continues once `afresh resume {run} --clear-only` has cleared the halt"
        ),
        HandInOutcome::BudgetReached => format!(
            "{attempt} is handed in, and the budget is used up; `afresh resume {run} --budget-tokens N` continues"
        ),
        HandInOutcome::HandedIn => format!(
            "{attempt} is handed in; if no process drives the run, `afresh run --by-hand` checks and merges it"
        ),
    });
    exit
}

/// A worker's result, bounded like a result file.
fn read_result(path: &Path) -> Result<String, AppError> {
    if path == Path::new("-") {
        return piped_text::read("the result", "as a file", MAX_ANSWER_BYTES);
    }
    let failed = |why: String| {
        AppError::usage(
            "result",
            format!("cannot read {}", printable::line(&path.to_string_lossy())),
        )
        .cause(why)
        .hint("name a text file of at most 1 MiB")
    };
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let mut text = String::new();
    let read = file.take(MAX_ANSWER_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| failed(error.to_string()))?;
    if text.len() as u64 > MAX_ANSWER_BYTES {
        return Err(failed("it is larger".to_owned()));
    }
    Ok(text)
}
