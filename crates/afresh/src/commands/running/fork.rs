//! `afresh fork [RUN] [--at TASK]`: a new run that starts from an earlier merge of another one.

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::fork::fork_run;

use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::{Output, count};

/// Start a new run from an earlier merge of another one, which stays as it is
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run; by default, the last one
    #[arg(add = completion::runs())]
    run: Option<String>,
    /// The task whose merge is the last one that the new run takes over, a commit of the run, or `base`; by default,
    /// everything that has been merged
    #[arg(long, value_name = "TASK", add = completion::tasks())]
    at: Option<String>,
}

pub(crate) fn fork(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let forked = fork_run(context, args.run.as_deref(), args.at.as_deref())?;
    if output.json {
        output.document(&forked);
        return Ok(Exit::Done);
    }
    let (run, of, at) = (&forked.run, &forked.of, &forked.at.as_str()[..12]);
    output.note(&format!(
        "run {run} starts from {at} of {of}, on {}: {} done, {} left",
        forked.branch,
        count(forked.done.len(), "task"),
        forked.left.len()
    ));
    output.note(&format!(
        "`afresh resume {run}` drives it; `afresh resume {of}` continues the other one"
    ));
    Ok(Exit::Done)
}
