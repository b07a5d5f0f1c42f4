//! `afresh task …`: single transitions of a task, for people and scripts.

use afresh_core::ids::TaskId;
use afresh_engine::Order;

use crate::cli::Common;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ordering;
use crate::output::Output;

/// Retry or skip a task
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    change: Change,
}

#[derive(Debug, clap::Subcommand)]
enum Change {
    /// Give a failed, skipped or waiting task fresh workers
    Retry {
        /// The task
        id: String,
    },
    /// Go on without a task; what depends on it is blocked
    Skip {
        /// The task
        id: String,
        /// Why
        #[arg(default_value = "skipped by hand")]
        reason: String,
    },
}

pub(crate) fn task(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    match &args.change {
        Change::Retry { id } => {
            let task = parse(id)?;
            let done = "it is tried again; `afresh run` goes on if nobody drives the run";
            ordering::give(common, output, done, |run| Order::Retry { run, task })
        }
        Change::Skip { id, reason } => {
            let (task, reason) = (parse(id)?, reason.clone());
            ordering::give(common, output, "skipped", |run| Order::Skip { run, task, reason })
        }
    }
}

fn parse(id: &str) -> Result<TaskId, Failure> {
    TaskId::new(id).map_err(|why| Failure::usage("task", format!("the id {id:?} {why}")))
}
