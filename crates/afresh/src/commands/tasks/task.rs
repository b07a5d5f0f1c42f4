//! `afresh task …`: single transitions of a task, for people and scripts.

use afresh_core::ids::{RunId, TaskId};
use afresh_core::run::{TaskStage, TaskState};
use afresh_engine::ControlCommand;
use serde_json::json;

use super::by_hand::{self, CompleteArgs, FailArgs, StartArgs};
use super::plan_task::{self, AddedArgs, FieldArgs};
use super::redo::{self, Consent};
use crate::commands::running::drive::send_to_run;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::runs::select;
use afresh_app::tasks::details::read_task_details;
use afresh_views::task_page::render_task;

/// Show, start, complete, fail, add, change, redo, retry, skip or ignore a task; list ready tasks
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
    /// Show everything about a task: state, checks, attempts, saved work, what to do next
    Show {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
        /// Use this run instead of the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
    /// Start a task by hand: make a workspace for a person, or for an agent that they drive
    Start(StartArgs),
    /// Hand in the work of a task that was started by hand: checks decide whether it is merged
    Complete(CompleteArgs),
    /// Give up a task that was started by hand; its work is saved
    Fail(FailArgs),
    /// Add a task to the plan's file
    Add {
        /// Its id
        id: String,
        #[command(flatten)]
        fields: FieldArgs,
    },
    /// Change a task in the plan's file: only what is named, and everything else stays as it is written
    Edit {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
        #[command(flatten)]
        fields: FieldArgs,
        #[command(flatten)]
        added: AddedArgs,
    },
    /// Take back the merge of a task, and do it again; everything is kept
    Redo {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
        /// Do it although other tasks that were merged later are done again too
        #[arg(long, short)]
        yes: bool,
        /// Use this run instead of the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
    /// Retry a failed, skipped or waiting task with fresh workers
    Retry {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
        /// Use this run instead of the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
    /// Continue without a task; tasks that need it stay blocked
    Skip {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
        /// The reason
        #[arg(default_value = "skipped by hand")]
        reason: String,
        /// Use this run instead of the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
    /// Let tasks that need a skipped task run without it
    Ignore {
        /// The task
        #[arg(add = completion::tasks())]
        id: String,
        /// Use this run instead of the last one
        #[arg(long, value_name = "RUN", add = completion::runs())]
        run: Option<String>,
    },
}

pub(crate) fn task(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    carry_out(args, context, output)
        .map_err(|error| error.or_hint("`afresh status` shows the state of each task"))
}

fn carry_out(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    match &args.change {
        TaskAction::Ready { run } => ready(run.as_deref(), context, output),
        TaskAction::Show { id, run } => show(id, run.as_deref(), context, output),
        TaskAction::Start(args) => by_hand::start(args, context, output),
        TaskAction::Complete(args) => by_hand::complete(args, context, output),
        TaskAction::Fail(args) => by_hand::fail(args, context, output),
        TaskAction::Add { id, fields } => plan_task::add(id, fields, context, output),
        TaskAction::Edit { id, fields, added } => {
            plan_task::edit(id, fields, added, context, output)
        }
        TaskAction::Redo { id, yes, run } => {
            let consent = if *yes { Consent::Given } else { Consent::Ask };
            redo::redo(id, run.as_deref(), consent, context, output)
        }
        TaskAction::Retry { id, run } => {
            let found = select::find_run(&context.repository()?, run.as_deref())?.run;
            let (run, task) = (found.id().clone(), select::find_task(&found, id)?);
            let done = format!(
                "{task} will be retried; if the run is not active, `afresh resume {run}` continues it"
            );
            let is_done = found.state_of(&task).is_some_and(TaskState::is_done);
            let again = format!("`afresh task redo {task}` does it again");
            send_to_run(context, output, &done, ControlCommand::Retry { run, task })
                .map_err(|error| if is_done { error.or_hint(&again) } else { error })
        }
        TaskAction::Ignore { id, run } => {
            let (run, task) = find_task(id, run.as_deref(), context)?;
            let done = format!("tasks that need {task} will run without it");
            send_to_run(context, output, &done, ControlCommand::Ignore { run, task })
        }
        TaskAction::Skip { id, reason, run } => {
            let ((run, task), reason) = (find_task(id, run.as_deref(), context)?, reason.clone());
            let done = format!("{task} will be skipped");
            send_to_run(context, output, &done, ControlCommand::Skip { run, task, reason })
        }
    }
}

fn show(
    id: &str,
    named: Option<&str>,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let found = select::find_run(&place, named)?;
    let task = select::find_task(&found.run, id)?;
    let details = read_task_details(&place, &found, &task)?;
    if output.json {
        output.document(&details);
    } else {
        output.prose(render_task(&details).trim_end());
    }
    Ok(Exit::Done)
}

/// Tasks whose dependencies are merged and that no worker is working on.
fn ready(named: Option<&str>, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let run = select::find_run(&place, named)?.run;
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

/// A task of the named run, else of the last one.
fn find_task(
    id: &str,
    named: Option<&str>,
    context: &AppContext,
) -> Result<(RunId, TaskId), AppError> {
    let run = select::find_run(&context.repository()?, named)?.run;
    let task = select::find_task(&run, id)?;
    Ok((run.id().clone(), task))
}
