//! `afresh checkpoint …`: the batch of tasks that a script is at, for its own recovery.

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::tasks::checkpoint::{BatchCheckpoint, BatchMark, BatchTask, CheckpointFile};

use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;

/// Keep track of a batch of tasks, for scripts that drive a run; afresh itself needs none
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: CheckpointAction,
}

#[derive(Debug, clap::Subcommand)]
enum CheckpointAction {
    /// Begin a batch of tasks
    Create {
        /// The tasks
        #[arg(required = true, add = completion::tasks())]
        tasks: Vec<String>,
    },
    /// Mark a task of the batch: `success` only once the run has merged it
    Update {
        /// The task
        #[arg(add = completion::tasks())]
        task: String,
        /// How it ended
        mark: MarkArg,
    },
    /// Mark the batch as complete
    Complete,
    /// Show the batch, and what the run says about its tasks
    Status,
    /// Set the marks by what the run says; exit code 1 if a task is orphaned
    Recover,
    /// Remove the checkpoint
    Clear,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum MarkArg {
    Success,
    Failed,
}

pub(crate) fn checkpoint(
    args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let file = CheckpointFile::open(context)?;
    let now = match &args.action {
        CheckpointAction::Create { tasks } => file.create(tasks)?,
        CheckpointAction::Update { task, mark } => {
            let mark = match mark {
                MarkArg::Success => BatchMark::Success,
                MarkArg::Failed => BatchMark::Failed,
            };
            file.update(task, mark)?
        }
        CheckpointAction::Complete => file.complete()?,
        CheckpointAction::Status => file.status()?,
        CheckpointAction::Recover => file.recover()?,
        CheckpointAction::Clear => file.clear()?,
    };
    if output.json {
        output.document(&now);
    } else {
        print(&now, output);
    }
    let is_orphaned = now.checkpoint.is_some_and(|batch| batch.has(BatchMark::Orphaned));
    let is_recovery = matches!(args.action, CheckpointAction::Recover);
    Ok(if is_recovery && is_orphaned { Exit::Incomplete } else { Exit::Done })
}

fn print(now: &BatchCheckpoint, output: &Output) {
    let Some(batch) = &now.checkpoint else {
        output.note("no checkpoint");
        return;
    };
    let state = if batch.completed { "complete" } else { "active" };
    output.note(&format!("checkpoint of run {} from {}: {state}", batch.run, batch.created_at));
    for BatchTask { id, mark, state } in &batch.tasks {
        let mark = match mark {
            BatchMark::Running => "running",
            BatchMark::Success => "success",
            BatchMark::Failed => "failed",
            BatchMark::Orphaned => "orphaned",
        };
        let state = state.map_or("not in the plan", afresh_core::status::TaskPhase::word);
        output.data(&format!("{mark:<8}  {id}  ({state})"));
    }
    if batch.has(BatchMark::Orphaned) {
        output.note(&format!("`afresh resume {}` works on the orphaned tasks again", batch.run));
    }
}
