//! What an attempt changed, or what a task landed, as one bounded patch for views.

use afresh_core::printable;
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;
use afresh_git::DiffFormat;
use schemars::JsonSchema;
use serde::Serialize;

use super::diff::{TaskDiffOutput, count_task_diff, find_task_diff};
use crate::error::AppError;
use crate::session::runs::select;

/// A longer difference is cut: `afresh diff` shows all of it.
const MAX_PATCH_BYTES: usize = 1024 * 1024;

/// A difference: its files with their numbers of lines, and the patch.
#[derive(Debug, JsonSchema, Serialize)]
pub struct AttemptDiff {
    #[serde(flatten)]
    pub summary: TaskDiffOutput,
    pub patch: String,
    /// The end of the patch is missing.
    pub is_cut: bool,
}

impl AttemptDiff {
    /// What an attempt (`T001.2`) changed, or what a task (`T001`) landed; nothing as long as its worker has saved
    /// nothing.
    pub fn read(
        repository: &RepoContext,
        found: &RecordedRun,
        named: &str,
    ) -> Result<Option<Self>, AppError> {
        let (task, _) = select::find_task_or_attempt(&found.run, named)?;
        let is_underway = found.run.state_of(&task).is_some_and(|state| state.attempt().is_some());
        let diff = match find_task_diff(repository, found, &[named.to_owned()], &mut Vec::new()) {
            Ok(diff) => diff,
            Err(error) if error.kind == "no-work" && is_underway => return Ok(None),
            Err(error) => return Err(error),
        };
        let summary = count_task_diff(repository, found.run.id().as_str(), &diff)?;
        let patch = repository.git.render_diff(&diff.base, &diff.commit, DiffFormat::Patch);
        let mut patch = patch.map_err(AppError::git)?;
        let is_cut = patch.len() > MAX_PATCH_BYTES;
        patch.truncate(MAX_PATCH_BYTES);
        let patch = printable::lines(&String::from_utf8_lossy(&patch));
        Ok(Some(Self { summary, patch, is_cut }))
    }
}
