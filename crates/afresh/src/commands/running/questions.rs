//! `afresh questions`: the open questions.

use afresh_core::status::{QuestionStatus, RunStatus};

use crate::exit::Exit;
use crate::terminal::output::{Output, safe};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// List the questions that wait for an answer
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn questions(
    _args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let open = place
        .find_run(|_| true)?
        .map(|found| RunStatus::from_run(&found.run).questions)
        .unwrap_or_default();
    if output.json {
        output.document(&open);
    } else if open.is_empty() {
        output.note("no open questions");
    } else {
        for question in &open {
            print(question, output);
        }
    }
    Ok(Exit::Done)
}

/// One question with its answers, and the command that answers it.
pub(crate) fn print(question: &QuestionStatus, output: &Output) {
    let mut lines = question.text.lines();
    let first = lines.next().unwrap_or_default();
    output.prose(&format!(
        "{} ({}) {}: {}",
        question.id,
        question.kind,
        question.task,
        safe(first)
    ));
    for line in lines {
        output.prose(&format!("     {}", safe(line)));
    }
    for option in &question.options {
        output.prose(&format!("  {}: {}", safe(&option.key), safe(&option.description)));
    }
    output.prose(&format!("  → afresh decide {} ANSWER", question.id));
}
