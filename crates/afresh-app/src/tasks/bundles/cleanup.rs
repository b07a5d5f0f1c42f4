//! Removing bundles that are no longer needed.

use afresh_core::Run;
use afresh_engine::bundle::stored::{DependencyState, StoredBundle};

use crate::error::AppError;

/// What was removed, and what is still needed.
#[derive(Debug)]
pub struct BundleCleanup<'a> {
    pub removed: Vec<&'a StoredBundle>,
    pub kept: Vec<(&'a StoredBundle, DependencyState)>,
}

/// Removes bundles of attempts that are over. `run` must have been read after the bundles were listed,
/// so that a running attempt is known to run.
pub fn remove_unneeded<'a>(
    run: Option<&Run>,
    bundles: &'a [StoredBundle],
) -> Result<BundleCleanup<'a>, AppError> {
    let (removed, kept): (Vec<&StoredBundle>, Vec<&StoredBundle>) =
        bundles.iter().partition(|one| one.need(run).is_over());
    for one in &removed {
        one.remove().map_err(|error| {
            let file = one.bundle().display().to_string();
            AppError::machine("bundle", format!("cannot remove {file}"))
                .cause(error.to_string())
                .hint("check the permissions of the state directory")
        })?;
    }
    let kept = kept.into_iter().map(|one| (one, one.need(run))).collect();
    Ok(BundleCleanup { removed, kept })
}
