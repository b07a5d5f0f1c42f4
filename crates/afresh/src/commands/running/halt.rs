//! `afresh halt [REASON]`: stops gracefully; a second request stops at once.

use afresh_engine::ControlCommand;

use crate::commands::running::drive::send_command;
use crate::exit::Exit;
use crate::terminal::output::{Output, safe};
use afresh_app::context::{AppContext, user_name};
use afresh_app::error::AppError;
use afresh_app::session::runs::select;
use serde_json::json;

/// Stop gracefully: running attempts finish, nothing new starts; a second request ends them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The reason
    #[arg(default_value = "halted by hand")]
    reason: String,
    /// End running attempts at once; their work is saved
    #[arg(long)]
    now: bool,
    /// Request nothing: exit code 3 if the run is halted, 0 if it is not
    #[arg(long, conflicts_with_all = ["now", "reason"])]
    check: bool,
}

pub(crate) fn halt(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    if args.check {
        return check(context, output);
    }
    let by = user_name();
    let (now, reason) = (args.now, args.reason.clone());
    let repository = context.repository()?;
    let is_driven = repository.holder()?.is_some();
    // A second request ends what the first one let finish.
    let is_second = repository.find_run(|_| true)?.is_some_and(|it| it.run.halt().is_some());
    let done = match (is_driven, now || is_second) {
        (false, _) => "halted; nothing was running",
        (true, true) => "halt requested: running attempts are ended, and their work is saved",
        (true, false) => "halt requested: running attempts finish, and nothing new starts",
    };
    send_command(context, output, &format!("{done}; `afresh resume` continues"), |run| {
        ControlCommand::Halt { run, now, reason, by }
    })
}

/// For scripts that ask between two steps of their own.
fn check(context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let run = select::find_run(&context.repository()?, None)?.run;
    let (halt, is_quiet) = (run.halt(), !run.is_underway());
    if output.json {
        output.document(&json!({
            "run": run.id(),
            "halted": halt.is_some(),
            "quiet": is_quiet,
            "reason": halt.map(|halt| &halt.reason),
            "by": halt.map(|halt| &halt.by),
        }));
    } else if let Some(halt) = halt {
        let rest = if is_quiet { "nothing is running" } else { "running attempts finish" };
        output.note(&format!("halted by {}: {}; {rest}", safe(&halt.by), safe(&halt.reason)));
    } else {
        output.note("not halted");
    }
    Ok(if halt.is_some() { Exit::Halted } else { Exit::Done })
}
