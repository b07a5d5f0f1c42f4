//! `afresh resume`: clear the halt and go on driving.

use afresh_engine::ControlCommand;

use crate::app::error::Failure;
use crate::app::session::Driving;
use crate::app::session::control;
use crate::cli::Common;
use crate::commands::running::run;
use crate::exit::Exit;
use crate::terminal::output::Output;

/// Clear the halt and go on driving
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only clear the halt
    #[arg(long)]
    clear_only: bool,
    #[command(flatten)]
    driving: Driving,
}

pub(crate) fn resume(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    if args.clear_only {
        return control::give(common, output, "the halt is cleared; `afresh run` goes on", |run| {
            ControlCommand::ClearHalt { run }
        });
    }
    run::resume(&args.driving, common, output)
}
