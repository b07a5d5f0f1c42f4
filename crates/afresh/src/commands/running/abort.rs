//! `afresh abort [RUN]`: ends a run for good; everything is kept.

use afresh_app::context::{AppContext, user_name};
use afresh_app::error::AppError;
use afresh_app::session::control;
use afresh_app::session::runs::select;
use afresh_core::status::{RunState, run_state};
use afresh_engine::ControlCommand;
use serde_json::json;

use crate::commands::running::{drive, run};
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;

/// End a run for good; its branch, its saved work and its journal are kept
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run; by default, the last one
    #[arg(add = completion::runs())]
    run: Option<String>,
    /// The reason
    #[arg(long)]
    reason: Option<String>,
}

pub(crate) fn abort(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let repository = context.repository()?;
    let found = select::find_run(&repository, args.run.as_deref())?;
    let id = found.run.id().clone();
    if found.run.is_ended_for_good() || run_state(&found.run) == RunState::Done {
        if output.json {
            output.document(&json!({"run": id, "ok": true}));
        } else {
            output.note(&format!("run {id} is over already"));
        }
        return Ok(Exit::Done);
    }
    let is_worked_on = found.run.is_underway() || found.run.open_by_hand().next().is_some();
    if is_worked_on && repository.holder()?.is_none() {
        // The work of its attempts is saved first.
        run::end_interrupted(&found.run, context, output)?;
    }
    let (reason, by) = (args.reason.clone().unwrap_or_default(), user_name());
    let command = ControlCommand::Abort { run: id.clone(), reason, by };
    control::send_to_run(context, &drive::open_file_reporters, command)?;
    if output.json {
        output.document(&json!({"run": id, "ok": true}));
    } else {
        let kept =
            format!("run {id} is ended; branch {} and saved work are kept", found.run.branch());
        output.note(&format!("{kept}; `afresh clean` removes what is merged"));
    }
    Ok(Exit::Done)
}
