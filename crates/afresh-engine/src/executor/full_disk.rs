//! A full disk behind a failed effect. It is no fault of a task: the run halts, and what failed is done again once
//! there is space.

use std::path::Path;

use afresh_core::Input;
use afresh_core::check::CheckOutcome;
use afresh_core::input::{BranchMove, CheckReport, MergeBuild};
use afresh_core::process::ProcessEnd;
use nix::sys::statvfs::statvfs;

use crate::executor::ExecutorContext;

/// With less space than this, a failed write needs no other explanation.
const FULL_BYTES: u64 = 1024 * 1024;
/// What the system says, also through git.
const COMPLAINTS: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

/// The answer to an effect; if it failed because a disk is full, the directory comes first.
pub(super) fn explain(context: &ExecutorContext, answer: Input) -> Vec<Input> {
    let Some(failure) = failure_of(&answer) else { return vec![answer] };
    let complains = COMPLAINTS.iter().any(|complaint| failure.contains(complaint));
    let place = find_full_place(context)
        .or_else(|| complains.then(|| context.pool.directory().display().to_string()));
    match place {
        Some(place) => vec![Input::DiskFull(place), without_blame(answer)],
        None => vec![answer],
    }
}

/// What an answer says about its failure; none if it reports none.
fn failure_of(answer: &Input) -> Option<String> {
    match answer {
        Input::SpawnFailed(_, failure) if !failure.lasting => {
            Some(format!("{} {}", failure.message, failure.output))
        }
        Input::Harvested(_, Err(why))
        | Input::StepSaved { saved: Err(why), .. }
        | Input::MergeBuilt(_, MergeBuild::Impossible(why))
        | Input::BranchMoved(_, _, BranchMove::Trouble(why))
        | Input::MovedBack(_, BranchMove::Trouble(why))
        | Input::Checked(CheckReport { checked: CheckOutcome::Impossible(why), .. }) => {
            Some(why.clone())
        }
        Input::Checked(CheckReport { checked: CheckOutcome::Ran(results), .. }) => {
            results.iter().find(|it| !it.passed()).map(|failed| failed.output_tail.clone())
        }
        Input::AttemptEnded(_, end) => match end.ending {
            ProcessEnd::Exited(0) | ProcessEnd::Stopped => None,
            // What it printed proves nothing; only the disk itself counts.
            _ => Some(String::new()),
        },
        _ => None,
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
    let Some(found) = place.ancestors().find_map(|place| statvfs(place).ok()) else {
        return false;
    };
    let free = found.blocks_available().saturating_mul(found.fragment_size());
    free < FULL_BYTES || (found.files() > 0 && found.files_available() == 0)
}
