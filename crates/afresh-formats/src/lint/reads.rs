//! Files that workers are told to read, and that they will not have: a worker stands in a clone of
//! what is committed.

use std::collections::BTreeSet;

use super::LintSubject;
use super::said::LintFindings;
use crate::folder::PlanFolder;

pub(super) fn check_context_files(
    folder: &dyn PlanFolder,
    subject: LintSubject<'_>,
    repository: &BTreeSet<String>,
    said: &mut LintFindings<'_>,
) {
    let mut seen = BTreeSet::new();
    for (path, spot) in subject.reads {
        if !seen.insert(path) || is_there(repository, path) || is_made(subject, path) {
            continue;
        }
        let on_disk = folder.holds(path);
        let (message, hint) = if on_disk {
            (format!("workers are told to read {path:?}, which is not committed"), "commit it")
        } else {
            let message = format!("workers are told to read {path:?}, which the repository lacks");
            (message, "is the path right?")
        };
        said.at(Some(spot), "missing-context", message, hint);
    }
}

/// Also where the plan's project is a directory of the repository.
fn is_there(repository: &BTreeSet<String>, path: &str) -> bool {
    let below = format!("/{path}");
    repository.contains(path) || repository.iter().any(|file| file.ends_with(&below))
}

/// Does a task of the plan write it?
fn is_made(subject: LintSubject<'_>, path: &str) -> bool {
    subject.plan.tasks().iter().flat_map(afresh_core::plan::Task::patterns).any(|p| p.matches(path))
}
