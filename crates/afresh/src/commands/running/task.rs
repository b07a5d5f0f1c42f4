//! `afresh task …`: single transitions of a task, for people and scripts.

use afresh_core::ids::TaskId;
use afresh_core::run::TaskStage;
use afresh_engine::ControlCommand;
use serde_json::json;

use crate::commands::running::drive::send_command;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::select_run;

/// List the tasks that are ready; retry one, skip it, or do without it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    change: Change,
}

#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Print the ids of the tasks that could start now
    Ready {
        /// Another run than the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
    /// Give a failed, skipped or waiting task fresh workers
    Retry {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
    },
    /// Go on without a task; what depends on it is blocked
    Skip {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
        /// Why
        #[arg(default_value = "skipped by hand")]
        reason: String,
    },
    /// Let whatever needs a skipped task go on without it
    Ignore {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
    },
}

pub(crate) fn task(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    match &args.change {
        Change::Ready { run } => ready(run.as_deref(), context, output),
        Change::Retry { id } => {
            let task = known(id, context)?;
            let done = "it is tried again; `afresh run` goes on if nobody drives the run";
            send_command(context, output, done, |run| ControlCommand::Retry { run, task })
        }
        Change::Ignore { id } => {
            let task = known(id, context)?;
            let done = "what needs it goes on without it";
            send_command(context, output, done, |run| ControlCommand::Ignore { run, task })
        }
        Change::Skip { id, reason } => {
            let (task, reason) = (known(id, context)?, reason.clone());
            send_command(context, output, "skipped", |run| ControlCommand::Skip {
                run,
                task,
                reason,
            })
        }
    }
}

/// Those whose dependencies are merged, and that nobody works at.
fn ready(named: Option<&str>, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let run = select_run::find_run(&place, named)?.run;
    let idle = run.tasks().enumerate().filter(|(_, (_, state))| state.stage == TaskStage::Idle);
    let ready: Vec<&str> =
        idle.filter(|(at, _)| run.is_ready(*at)).map(|(_, (task, _))| task.id.as_str()).collect();
    if output.json {
        output.document(&json!({"run": run.id(), "tasks": ready}));
    } else {
        for id in ready {
            output.data(id);
        }
    }
    Ok(Exit::Done)
}

/// A task of the last run; its id is told right, or with the one that was meant.
fn known(id: &str, context: &AppContext) -> Result<TaskId, AppError> {
    let place = context.repository()?;
    select_run::find_task(&select_run::find_run(&place, None)?.run, id)
}
