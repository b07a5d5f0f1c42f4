//! The message of the one commit that `afresh land --squash` makes.

use std::fmt::Write as _;

use afresh_app::error::AppError;
use afresh_app::git::Repository;
use afresh_app::proof::history::commit::{CommitTrailers, SQUASHED, UNCHECKED_MERGE};
use afresh_core::Run;
use afresh_core::commit::compose_subject;
use afresh_core::ids::TaskId;

/// How many tasks the body lists.
const MAX_TASKS: usize = 200;

/// The plan as the subject, or the only task; each task with its commit; and the run, whose receipts have the rest.
pub(super) fn compose(
    repository: &Repository,
    run: &Run,
    is_unchecked: bool,
) -> Result<String, AppError> {
    let mut commits =
        repository.first_parents(run.tip(), Some(run.base())).map_err(AppError::git)?;
    commits.reverse();
    let tasks: Vec<(String, TaskId)> = commits
        .iter()
        .filter_map(|it| {
            let commit = it.commit.as_str()[..10].to_owned();
            Some((commit, CommitTrailers::parse(&it.trailers).task?))
        })
        .collect();
    let subject_of = |id: &TaskId| {
        let task = run.plan().index_of(id).map(|at| run.plan().task(at));
        task.map_or_else(String::new, |task| compose_subject(&task.title, task.commit.as_ref()))
    };
    let mut message = match tasks.as_slice() {
        [(_, only)] => subject_of(only),
        _ => compose_subject(&run.plan().name, None),
    };
    message.push_str("\n\n");
    for (commit, task) in tasks.iter().take(MAX_TASKS) {
        let _ = writeln!(message, "- {commit} {task}: {}", subject_of(task));
    }
    if let Some(more) = tasks.len().checked_sub(MAX_TASKS).filter(|more| *more > 0) {
        let _ = writeln!(message, "- and {more} more");
    }
    let _ = write!(message, "\nAfresh-Run: {}\n{SQUASHED}: {}\n", run.id(), run.tip());
    if is_unchecked {
        let _ = writeln!(message, "{UNCHECKED_MERGE}: {}", run.id());
    }
    Ok(message)
}
