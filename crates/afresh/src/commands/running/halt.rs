//! `afresh halt [REASON]`: stops gracefully; a second request stops at once.

use afresh_engine::ControlCommand;

use crate::commands::running::drive::send_command;
use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::context::{AppContext, user_name};
use afresh_app::error::AppError;

/// Stop gracefully: running attempts finish, nothing new starts; a second request ends them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The reason
    #[arg(default_value = "halted by hand")]
    reason: String,
    /// End running attempts at once; their work is saved
    #[arg(long)]
    now: bool,
}

pub(crate) fn halt(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let by = user_name();
    let (now, reason) = (args.now, args.reason.clone());
    send_command(
        context,
        output,
        "halt requested: running attempts finish, and nothing new starts; `afresh resume` continues",
        |run| ControlCommand::Halt { run, now, reason, by },
    )
}
