//! `afresh agents`: listing and installing agents.

mod install;
mod list;

use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// List and install agents
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: AgentsCommand,
}

#[derive(Debug, clap::Subcommand)]
enum AgentsCommand {
    List(list::Args),
    Install(install::Args),
}

pub(crate) fn agents(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    match &args.command {
        AgentsCommand::List(_) => list::list(context, output),
        AgentsCommand::Install(args) => install::install(args, context, output),
    }
}
