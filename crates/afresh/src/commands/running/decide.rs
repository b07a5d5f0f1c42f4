//! `afresh decide QUESTION ANSWER`: a person's answer.

use afresh_core::Run;
use afresh_core::ids::QuestionId;
use afresh_core::status::{RunStatus, is_over};
use afresh_engine::session::RecordedRun;
use afresh_engine::{ControlCommand, RepoContext};
use serde_json::json;

use crate::commands::running::{drive, questions};
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::{Output, safe};
use afresh_app::context::{AppContext, user_name};
use afresh_app::error::AppError;
use afresh_app::session::control;
use afresh_app::session::runs::select;

/// Answer a question
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question, such as Q3
    #[arg(value_parser = parse_question, add = completion::questions())]
    question: u32,
    /// One of its answers, or its number; `say: YOUR WORDS` answers a worker in your own words. Without an answer,
    /// the question is shown
    answer: Option<String>,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

fn parse_question(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix(['Q', 'q']).unwrap_or(text);
    number
        .parse()
        .map_err(|_| "expected a question such as Q3; `afresh questions` lists them".to_owned())
}

pub(crate) fn decide(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let repository = context.repository()?;
    let found = select::find_run(&repository, args.run.as_deref())?;
    let id = QuestionId(args.question);
    let Some(question) = found.run.question(id) else {
        return Err(not_open(id, &found.run, &repository)?);
    };
    let names_run = questions::run_option(&found.run, &repository)?;
    let Some(typed) = args.answer.as_deref().filter(|typed| typed.trim() != "?") else {
        let open = RunStatus::from_run(&found.run).questions;
        for question in open.iter().filter(|open| open.number == id) {
            if output.json {
                output.document(question);
            } else {
                questions::print(question, &names_run, output);
            }
        }
        return Ok(Exit::Done);
    };
    // A slip is refused here as it is by the driver; what is understood is shown (HU-07).
    let answer = question.interpret(typed).map_err(|refusal| {
        AppError::incomplete("refused", refusal.to_string())
            .hint(format!("`afresh decide {id}{names_run}` shows the question with its answers"))
    })?;
    let (run, typed, by) = (found.run.id().clone(), typed.to_owned(), user_name());
    let command =
        ControlCommand::Decide { run: run.clone(), question: args.question, answer: typed, by };
    control::send_to_run(context, &drive::open_file_reporters, command)?;
    if output.json {
        output.document(
            &json!({"run": run, "ok": true, "question": id.to_string(), "answer": answer}),
        );
    } else {
        let next = match (repository.holder()?, found.run.halt()) {
            (Some(_), _) => String::new(),
            (None, None) if names_run.is_empty() => "; `afresh run` continues the run".to_owned(),
            (None, _) => format!("; `afresh resume {run}` continues the run"),
        };
        output.note(&format!("answered {id}: {}{next}", safe(&answer)));
    }
    Ok(Exit::Done)
}

/// It may have been answered, or be a question of another run.
fn not_open(id: QuestionId, run: &Run, repository: &RepoContext) -> Result<AppError, AppError> {
    let failure =
        AppError::incomplete("refused", format!("run {} has no open question {id}", run.id()));
    let runs = repository.all_runs()?;
    let asks = |found: &&RecordedRun| !is_over(&found.run) && found.run.question(id).is_some();
    Ok(match runs.iter().rev().find(asks) {
        Some(other) => {
            let other = other.run.id();
            failure.hint(format!(
                "`afresh decide {id} --run {other}` shows the question {id} of {other}"
            ))
        }
        None => failure.hint("`afresh questions` lists open questions and their answers"),
    })
}
