//! `afresh issue TEXT`: a worker reports a problem outside its task.

use crate::exit::Exit;
use crate::in_attempt::worker;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Report a problem outside the task; it is listed in ISSUES.md
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    text: String,
}

pub(crate) fn issue(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let mailbox = worker::mailbox("afresh issue", &context.environment)?;
    worker::notes::issue(&mailbox, &args.text)?;
    worker::hand_on_notice(&mailbox, output);
    Ok(Exit::Done)
}
