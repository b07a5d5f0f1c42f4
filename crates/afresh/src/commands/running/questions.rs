//! `afresh questions`: the open questions.

use afresh_core::Run;
use afresh_core::status::{QuestionStatus, RunStatus, is_over};
use afresh_engine::RepoContext;

use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::{Output, count, safe};
use afresh_app::context::AppContext;
use afresh_app::dashboard::data::needs_you::sort_questions;
use afresh_app::error::AppError;
use afresh_app::session::runs::select;

/// List the questions that wait for an answer
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

pub(crate) fn questions(
    args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let found = select::find_optional_run(&place, args.run.as_deref())?;
    let waits = found.as_ref().filter(|found| !found.run.is_ended_for_good());
    let mut open = waits.map(|found| RunStatus::from_run(&found.run).questions).unwrap_or_default();
    if let Some(found) = waits {
        sort_questions(&found.run, &mut open);
    }
    if output.json {
        output.document(&open);
        return Ok(Exit::Done);
    }
    if open.is_empty() {
        output.note("no open questions");
    }
    if let Some(found) = &found {
        let names_run = run_option(&found.run, &place)?;
        for question in &open {
            print(question, &names_run, output);
        }
        note_other_runs(&found.run, &place, output)?;
    }
    Ok(Exit::Done)
}

/// ` --run RUN`, for a command about another run than the last one.
pub(crate) fn run_option(run: &Run, repository: &RepoContext) -> Result<String, AppError> {
    let last = select::find_optional_run(repository, None)?;
    let is_last = last.is_some_and(|last| last.run.id() == run.id());
    Ok(if is_last { String::new() } else { format!(" --run {}", run.id()) })
}

/// Questions of other runs, which would be missed.
fn note_other_runs(shown: &Run, repository: &RepoContext, output: &Output) -> Result<(), AppError> {
    for found in repository.all_runs()?.iter().rev() {
        let (id, open) = (found.run.id(), found.run.questions().count());
        if id != shown.id() && open > 0 && !is_over(&found.run) {
            let questions = count(open, "open question");
            output.note(&format!("run {id} has {questions} too: `afresh questions --run {id}`"));
        }
    }
    Ok(())
}

/// One question with its answers, and the command that answers it.
pub(crate) fn print(question: &QuestionStatus, names_run: &str, output: &Output) {
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
    output.prose(&format!("  → afresh decide {} ANSWER{names_run}", question.id));
}
