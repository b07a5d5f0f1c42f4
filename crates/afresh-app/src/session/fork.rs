//! `afresh fork`: a new run that starts from an earlier merge of another one (BE-10).

use afresh_core::ids::{CommitId, RunId, TaskId};
use afresh_core::run::{ForkPoint, RewindTarget};
use schemars::JsonSchema;
use serde::Serialize;

use super::runs::{repositories, select};
use crate::context::AppContext;
use crate::error::AppError;

/// What `afresh fork --json` prints.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ForkedRun {
    pub run: RunId,
    pub ok: bool,
    pub branch: String,
    /// The run that it was forked from, which stays as it is.
    pub of: RunId,
    /// The commit that it starts from.
    pub at: CommitId,
    /// The tasks whose work it takes over.
    pub done: Vec<TaskId>,
    /// The tasks that it is to do.
    pub left: Vec<TaskId>,
}

/// Starts the new run, and drives nothing.
pub fn fork_run(
    context: &AppContext,
    named: Option<&str>,
    at: Option<&str>,
) -> Result<ForkedRun, AppError> {
    let repository = context.repository()?;
    let found = select::find_run(&repository, named)?;
    let point = match at {
        None => ForkPoint::Tip,
        Some(named) => match select::find_rewind_target(&found.run, named)? {
            RewindTarget::Task(task) => ForkPoint::Task(task),
            RewindTarget::Commit(commit) => ForkPoint::Commit(commit),
            RewindTarget::Wave(_) => {
                let message = format!("{named} is neither a task nor a commit of the run");
                return Err(AppError::usage("fork", message)
                    .hint("name the task whose merge is to be the last one, a commit, or `base`"));
            }
        },
    };
    let locked = repository.lock(&context.lock_holder())?;
    // It may have continued until the lock was ours.
    let found =
        locked.find_run(|run| run.id() == found.run.id())?.ok_or_else(super::control::no_run)?;
    let of = &found.run;
    let fork = of.plan_fork(&point).map_err(|why| {
        AppError::incomplete("refused", why).hint("`afresh report` lists what has been merged")
    })?;
    let run = locked.fork_run(of, &fork)?;
    repositories::remember(&repository);
    let left = run.tasks().filter(|(_, state)| !state.is_done()).map(|(task, _)| task.id.clone());
    Ok(ForkedRun {
        run: run.id().clone(),
        ok: true,
        branch: run.branch().to_owned(),
        of: of.id().clone(),
        at: fork.at,
        done: fork.done,
        left: left.collect(),
    })
}
