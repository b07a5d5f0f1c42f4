//! Paths of tasks that are outside of the repository: they are left out, with a warning.
//!
//! A worker has a private clone, so nothing else that a plan names can be written.

use afresh_core::pattern::{FilePattern, PatternError};
use afresh_core::plan::{FileDraft, PlanField};

use super::{DraftPlan, DraftTask};
use afresh_formats::findings::Severity;
use afresh_formats::reading::SourceSpan;

impl DraftPlan {
    /// Leaves out what no worker can write, and reports it for tasks that are not finished.
    pub(super) fn leave_out_paths(&mut self) {
        let mut left_out: Vec<(String, SourceSpan)> = Vec::new();
        for task in &mut self.tasks {
            let found = remove_outside(task);
            if task.draft.done_before.is_none() {
                left_out.extend(found);
            }
        }
        for (path, span) in left_out {
            let shown: String = path.chars().take(120).collect();
            let message =
                format!("{shown:?} is outside of the repository, so workers may not write it");
            let found = self.find(&span, "path-outside", message);
            found.severity = Severity::Warning;
            found.hint = Some("use a path inside the repository, or let a person do it".to_owned());
        }
    }
}

/// Removes paths outside from a task; returns them with their places.
fn remove_outside(task: &mut DraftTask) -> Vec<(String, SourceSpan)> {
    let mut outside = remove_outside_from(task, None);
    for step in 0..task.draft.steps.len() {
        outside.extend(remove_outside_from(task, Some(step)));
    }
    outside
}

fn remove_outside_from(task: &mut DraftTask, step: Option<usize>) -> Vec<(String, SourceSpan)> {
    let list = match step {
        Some(step) => &mut task.draft.steps[step].files,
        None => &mut task.draft.files,
    };
    for file in list.iter_mut().filter(|file| file.path.starts_with("./") && file.path.len() > 2) {
        file.path = file.path.trim_start_matches("./").to_owned();
    }
    if !list.iter().any(|file| is_outside(&file.path)) {
        return Vec::new();
    }
    let files: Vec<FileDraft> = std::mem::take(list);
    let whole = task.places.whole.clone();
    let mut outside = Vec::new();
    let mut kept = Vec::with_capacity(files.len());
    for (item, file) in files.into_iter().enumerate() {
        let place = task.places.parts.remove(&(step, PlanField::Files, item));
        if is_outside(&file.path) {
            outside.push((file.path, place.unwrap_or_else(|| whole.clone())));
            continue;
        }
        if let Some(place) = place {
            task.places.parts.insert((step, PlanField::Files, kept.len()), place);
        }
        kept.push(file);
    }
    match step {
        Some(step) => task.draft.steps[step].files = kept,
        None => task.draft.files = kept,
    }
    outside
}

/// Whether the path leaves the repository. Anything else that is wrong with it is a mistake.
fn is_outside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    let suspect = drive || path.starts_with(['/', '~', '\\']) || path.contains("..");
    suspect && matches!(FilePattern::new(path), Err(PatternError::Absolute | PatternError::Leaves))
}
