//! `afresh statusline`: one line for a prompt or an agent's status bar.

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::runs::glance::glance;

use crate::exit::Exit;
use crate::terminal::output::Output;

/// Print one line about the last run, for a prompt or an agent's status bar; nothing without a run
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn statusline(
    _args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let now = glance(context)?;
    if output.json {
        output.document(&now);
    } else if now.run.is_some() {
        output.data(&now.line());
    }
    Ok(Exit::Done)
}
