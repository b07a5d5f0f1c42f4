//! `afresh mcp`: the tools of a person's agent session, or of a worker, over the Model Context Protocol.

use std::io::{BufReader, IsTerminal, stdin, stdout};

use crate::agent_session::{self, McpSession};
use crate::exit::Exit;
use crate::in_attempt::mcp as worker_server;
use crate::in_attempt::worker;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Serve the runs of this repository to an agent session over the Model Context Protocol (stdio)
///
/// For the session of a person in Claude Code, Codex, Gemini CLI, opencode or another program: `afresh init --claude`
/// and its siblings set it up. Its tools plan, run, answer questions and report as the commands of these names do, and
/// none lands work. It ends when the program closes its standard input; runs continue.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Serve the tools of this attempt instead: `report_result`, `step_done`, `log`, `ask`, `issue`
    #[arg(long)]
    attempt: bool,
}

pub(crate) fn mcp(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    if args.attempt {
        let tools = worker_server::WorkerTools::new(
            worker::mailbox("afresh mcp --attempt", &context.environment)?,
            context.environment.clone(),
        );
        // The program that started us is gone.
        let _ = worker_server::serve(&mut stdin().lock(), &mut stdout().lock(), &tools);
        return Ok(Exit::Done);
    }
    let session = McpSession::new(context)?;
    if stdin().is_terminal() {
        output.note(
            "waiting for messages of the Model Context Protocol, which programs send; `afresh init --claude` and its \
             siblings set them up; Ctrl-C ends this",
        );
    }
    let _ = agent_session::serve(&mut BufReader::new(stdin()), stdout(), &session);
    Ok(Exit::Done)
}
