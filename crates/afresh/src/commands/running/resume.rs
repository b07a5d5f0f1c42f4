//! `afresh resume`: clears the halt and continues.

use afresh_engine::ControlCommand;

use crate::commands::running::drive::send_command;
use crate::commands::running::run;
use crate::commands::running::run_args::RunArgs;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Continue a run; clears its halt
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run; by default, the last one
    #[arg(add = completion::runs(), conflicts_with = "clear_only")]
    run: Option<String>,
    /// Clear the halt without continuing
    #[arg(long)]
    clear_only: bool,
    #[command(flatten)]
    options: RunArgs,
}

pub(crate) fn resume(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    if args.clear_only {
        return send_command(context, output, "halt cleared; `afresh run` continues", |run| {
            ControlCommand::ClearHalt { run }
        });
    }
    run::resume(args.run.as_deref(), &args.options, context, output)
}
