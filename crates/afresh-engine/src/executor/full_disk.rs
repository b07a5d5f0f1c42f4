//! A full disk behind a failed effect. It is no fault of a task: the run halts, and what failed is done again once
//! there is space.

use std::io::{self, Write as _};
use std::path::Path;

use afresh_core::Input;
use afresh_core::check::CheckOutcome;
use afresh_core::input::{BranchMove, CheckReport, MergeBuild};
use afresh_core::process::ProcessEnd;
use nix::sys::statvfs::statvfs;

use crate::executor::ExecutorContext;

/// With less space than this, a failed write needs no other explanation.
const FULL_BYTES: u64 = 1024 * 1024;
/// How much is written where the disk may be full for us alone: quotas and reserved blocks show only then.
const TRIAL_BYTES: usize = 64 * 1024;

/// The answer to an effect; if it failed and a disk is full, the directory comes first. Only the disk itself counts: an
/// error may quote what a worker printed, or the names of its files.
pub(super) fn explain(context: &ExecutorContext, answer: Input) -> Vec<Input> {
    let place = is_failure(&answer).then(|| find_full_place(context)).flatten();
    match place {
        Some(place) => vec![Input::DiskFull(place), without_blame(answer)],
        None => vec![answer],
    }
}

fn is_failure(answer: &Input) -> bool {
    match answer {
        Input::SpawnFailed(_, failure) => !failure.lasting,
        Input::Harvested(_, Err(_))
        | Input::StepSaved { saved: Err(_), .. }
        | Input::BranchMoved(_, _, BranchMove::Trouble(_))
        | Input::MovedBack(_, BranchMove::Trouble(_)) => true,
        Input::BatchBuilt(_, builds) => {
            builds.iter().any(|(_, build)| matches!(build, MergeBuild::Impossible(_)))
        }
        Input::Checked(report) => match &report.checked {
            CheckOutcome::Impossible(_) => true,
            CheckOutcome::Ran(results) => results.iter().any(|result| !result.passed()),
            CheckOutcome::Stopped => false,
        },
        Input::AttemptEnded(_, end) => {
            !matches!(end.ending, ProcessEnd::Exited(0) | ProcessEnd::Stopped)
        }
        _ => false,
    }
}

/// Checks are done again once there is space; the core holds no other failure against its task meanwhile.
fn without_blame(answer: Input) -> Input {
    match answer {
        Input::Checked(report) => {
            Input::Checked(CheckReport { checked: CheckOutcome::Stopped, ..report })
        }
        other => other,
    }
}

/// The first of our directories whose disk is full.
fn find_full_place(context: &ExecutorContext) -> Option<String> {
    let repository = context.pool.repository().common_dir();
    let places = [context.pool.directory(), context.layout.state.as_path(), repository];
    places.into_iter().find(|place| is_full(place)).map(|place| place.display().to_string())
}

fn is_full(place: &Path) -> bool {
    let Some(place) = place.ancestors().find(|place| place.is_dir()) else { return false };
    let is_short = statvfs(place).is_ok_and(|found| {
        let free = found.blocks_available().saturating_mul(found.fragment_size());
        free < FULL_BYTES || (found.files() > 0 && found.files_available() == 0)
    });
    is_short || try_to_write(place).is_err_and(|error| is_lack_of_space(&error))
}

/// Writes a file without a name, which is gone when it is closed.
fn try_to_write(place: &Path) -> io::Result<()> {
    let mut file = tempfile::tempfile_in(place)?;
    file.write_all(&vec![0; TRIAL_BYTES])
}

fn is_lack_of_space(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
