//! `afresh decide QUESTION ANSWER`: a person's answer.

use afresh_core::ids::QuestionId;
use afresh_core::status::RunStatus;
use afresh_engine::ControlCommand;
use serde_json::json;

use crate::commands::running::{drive, questions};
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::{Output, safe};
use afresh_app::context::{AppContext, user_name};
use afresh_app::error::AppError;
use afresh_app::session::{control, select_run};

/// Answer a question
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question, such as Q3
    #[arg(value_parser = parse_question, add = completion::questions())]
    question: u32,
    /// One of its answers, or its number; `say: YOUR WORDS` answers a worker in your own words. Without an answer,
    /// the question is shown
    answer: Option<String>,
}

fn parse_question(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix(['Q', 'q']).unwrap_or(text);
    number
        .parse()
        .map_err(|_| "expected a question such as Q3; `afresh questions` lists them".to_owned())
}

pub(crate) fn decide(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let found = select_run::find_run(&context.repository()?, None)?;
    let id = QuestionId(args.question);
    let question = found.run.question(id).ok_or_else(|| {
        AppError::incomplete("refused", format!("there is no open question {id}"))
            .hint("`afresh questions` lists open questions and their answers")
    })?;
    let Some(typed) = args.answer.as_deref().filter(|typed| typed.trim() != "?") else {
        let open = RunStatus::from_run(&found.run).questions;
        for question in open.iter().filter(|open| open.number == id) {
            if output.json {
                output.document(question);
            } else {
                questions::print(question, output);
            }
        }
        return Ok(Exit::Done);
    };
    // A slip is refused here as it is by the driver; what is understood is shown (HU-07).
    let answer = question.interpret(typed).map_err(|refusal| {
        AppError::incomplete("refused", refusal.to_string())
            .hint(format!("`afresh decide {id}` shows the question with its answers"))
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
        let next = match (context.repository()?.holder()?, found.run.halt()) {
            (Some(_), _) => "",
            (None, Some(_)) => "; `afresh resume` continues the run",
            (None, None) => "; `afresh run` continues the run",
        };
        output.note(&format!("answered {id}: {}{next}", safe(&answer)));
    }
    Ok(Exit::Done)
}
