//! Builds merges without touching the branch, then moves the branch over them.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `building` | the merges of a batch |
//! | `moving` | moving the branch |
//! | `progress_files` | progress in the plan's own files, as part of the merge |
//! | `receipt_note` | the note that goes with it |
//! | [`rewind`] | moving it back |

mod building;
mod moving;
mod progress_files;
mod receipt_note;
pub(crate) mod rewind;

use std::fs;

use afresh_git::ref_names::branch_ref;
use afresh_git::{RefError, Repository};

use crate::executor::causes::describe;

pub(crate) use building::BatchJob;
pub(crate) use moving::MoveJob;

/// The error with what the user can do about it: it becomes the reason of a halt.
pub(crate) fn describe_ref_error(error: &RefError) -> String {
    match error.hint() {
        Some(hint) => format!("{}; {hint}", describe(error)),
        None => describe(error),
    }
}

/// The user's worktree that has the branch checked out: moving the branch would make that checkout look as if
/// the work had been undone.
pub(crate) fn checked_out_in(repository: &Repository, branch: &str) -> Option<String> {
    let common = repository.common_dir();
    let wanted = format!("ref: {}", branch_ref(branch));
    let linked = fs::read_dir(common.join("worktrees"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    std::iter::once(common.to_owned()).chain(linked).find_map(|directory| {
        let head = fs::read_to_string(directory.join("HEAD")).ok()?;
        (head.trim() == wanted).then(|| directory.display().to_string())
    })
}
