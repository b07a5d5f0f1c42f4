//! `afresh task …`: single transitions of a task, for people and scripts.

use afresh_core::ids::TaskId;
use afresh_core::run::TaskStage;
use afresh_engine::ControlCommand;
use serde_json::json;

use crate::app::error::Failure;
use crate::app::session::control;
use crate::app::session::select_run;
use crate::app::session::workplace;
use crate::cli::Common;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;

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

pub(crate) fn task(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    match &args.change {
        Change::Ready { run } => ready(run.as_deref(), common, output),
        Change::Retry { id } => {
            let task = known(id, common)?;
            let done = "it is tried again; `afresh run` goes on if nobody drives the run";
            control::give(common, output, done, |run| ControlCommand::Retry { run, task })
        }
        Change::Ignore { id } => {
            let task = known(id, common)?;
            let done = "what needs it goes on without it";
            control::give(common, output, done, |run| ControlCommand::Ignore { run, task })
        }
        Change::Skip { id, reason } => {
            let (task, reason) = (known(id, common)?, reason.clone());
            control::give(common, output, "skipped", |run| ControlCommand::Skip {
                run,
                task,
                reason,
            })
        }
    }
}

/// Those whose dependencies are merged, and that nobody works at.
fn ready(named: Option<&str>, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let place = workplace::find(common)?;
    let run = select_run::find(&place, named)?.run;
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
fn known(id: &str, common: &Common) -> Result<TaskId, Failure> {
    let place = workplace::find(common)?;
    select_run::task(&select_run::find(&place, None)?.run, id)
}
