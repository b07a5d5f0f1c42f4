//! `afresh decide QUESTION ANSWER`: a person's answer.

use afresh_engine::ControlCommand;

use crate::commands::running::drive::send_command;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;
use afresh_app::context::{AppContext, user_name};
use afresh_app::error::AppError;

/// Answer a question
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question, such as Q3
    #[arg(value_parser = parse_question, add = completion::questions())]
    question: u32,
    /// One of its answers; a worker's question can also be answered in your own words
    answer: String,
}

fn parse_question(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix(['Q', 'q']).unwrap_or(text);
    number
        .parse()
        .map_err(|_| "expected a question such as Q3; `afresh questions` lists them".to_owned())
}

pub(crate) fn decide(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let (question, answer, by) = (args.question, args.answer.clone(), user_name());
    send_command(
        context,
        output,
        "Answer saved. If no run is active, `afresh run` continues it",
        |run| ControlCommand::Decide { run, question, answer, by },
    )
    .map_err(|failure| failure.or_hint("`afresh questions` lists open questions and their answers"))
}
