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

/// List ready tasks; retry, skip or ignore one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    change: TaskAction,
}

#[derive(Debug, clap::Subcommand)]
enum TaskAction {
    /// Print the ids of the tasks that could start now
    Ready {
        /// Use this run instead of the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
    /// Retry a failed, skipped or waiting task with fresh workers
    Retry {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
    },
    /// Continue without a task; tasks that need it stay blocked
    Skip {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
        /// The reason
        #[arg(default_value = "skipped by hand")]
        reason: String,
    },
    /// Let tasks that need a skipped task run without it
    Ignore {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
    },
}

pub(crate) fn task(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    carry_out(args, context, output)
        .map_err(|error| error.or_hint("`afresh status` shows the state of each task"))
}

fn carry_out(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    match &args.change {
        TaskAction::Ready { run } => ready(run.as_deref(), context, output),
        TaskAction::Retry { id } => {
            let task = find_task(id, context)?;
            let done = "the task will be retried; if no run is active, `afresh run` continues it";
            send_command(context, output, done, |run| ControlCommand::Retry { run, task })
        }
        TaskAction::Ignore { id } => {
            let task = find_task(id, context)?;
            let done = "tasks that need it will run without it";
            send_command(context, output, done, |run| ControlCommand::Ignore { run, task })
        }
        TaskAction::Skip { id, reason } => {
            let (task, reason) = (find_task(id, context)?, reason.clone());
            send_command(context, output, "skipped", |run| ControlCommand::Skip {
                run,
                task,
                reason,
            })
        }
    }
}

/// Tasks whose dependencies are merged and that no worker is working on.
fn ready(named: Option<&str>, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let run = select_run::find_run(&place, named)?.run;
    let idle = run.indexed_tasks().filter(|(_, _, state)| state.stage == TaskStage::Idle);
    let ready: Vec<&str> =
        idle.filter(|(at, ..)| run.is_ready(*at)).map(|(_, task, _)| task.id.as_str()).collect();
    if output.json {
        output.document(&json!({"run": run.id(), "tasks": ready}));
    } else {
        for id in ready {
            output.data(id);
        }
    }
    Ok(Exit::Done)
}

/// A task of the last run.
fn find_task(id: &str, context: &AppContext) -> Result<TaskId, AppError> {
    let place = context.repository()?;
    select_run::find_task(&select_run::find_run(&place, None)?.run, id)
}
