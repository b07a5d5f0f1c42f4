//! `afresh mcp --attempt`: the worker's tools, over the Model Context Protocol.

use std::io::{stdin, stdout};

use crate::exit::Exit;
use crate::in_attempt::mcp as server;
use crate::in_attempt::worker;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Serve the worker tools over the Model Context Protocol (stdio)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Serve the tools of this attempt: `report_result`, `step_done`, `log`, `ask`, `issue`
    #[arg(long, required = true)]
    attempt: bool,
}

pub(crate) fn mcp(_: &Args, context: &AppContext) -> Result<Exit, AppError> {
    let tools = server::WorkerTools::new(
        worker::mailbox("afresh mcp --attempt", &context.environment)?,
        context.environment.clone(),
    );
    // The program that started us is gone.
    let _ = server::serve(&mut stdin().lock(), &mut stdout().lock(), &tools);
    Ok(Exit::Done)
}
