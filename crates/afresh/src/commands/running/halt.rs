//! `afresh halt [REASON]`: stop gracefully; twice is now.

use afresh_engine::ControlCommand;

use crate::app::error::Failure;
use crate::app::session::control;
use crate::app::session::workplace;
use crate::cli::Common;
use crate::exit::Exit;
use crate::terminal::output::Output;

/// Stop gracefully: running attempts finish, nothing new starts; a second time ends them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Why
    #[arg(default_value = "halted by hand")]
    reason: String,
    /// End running attempts at once; what they did is saved
    #[arg(long)]
    now: bool,
}

pub(crate) fn halt(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let by = workplace::person();
    let (now, reason) = (args.now, args.reason.clone());
    control::give(common, output, "halted; `afresh resume` goes on", |run| ControlCommand::Halt {
        run,
        now,
        reason,
        by,
    })
}
