//! Files that workers are asked to read and cannot: a worker has a clone of what is committed.

use std::collections::BTreeSet;

use crate::folder::PlanFolder;
use crate::lint::LintSubject;
use crate::lint::findings::LintFindings;

pub(crate) fn check_context_files(
    folder: &dyn PlanFolder,
    subject: LintSubject<'_>,
    repository: &BTreeSet<String>,
    findings: &mut LintFindings<'_>,
) {
    let mut seen = BTreeSet::new();
    for (path, span) in subject.reads {
        if !seen.insert(path) || is_committed(repository, path) || is_created(subject, path) {
            continue;
        }
        let on_disk = folder.holds(path);
        let (message, hint) = if on_disk {
            (format!("workers are asked to read {path:?}, which is not committed"), "commit it")
        } else {
            let message = format!("workers are asked to read {path:?}, which does not exist");
            (message, "check the path")
        };
        findings.warn_at(Some(span), "missing-context", message, hint);
    }
}

/// Whether the file is committed, also if the plan's project is a subdirectory of the repository.
fn is_committed(repository: &BTreeSet<String>, path: &str) -> bool {
    let below = format!("/{path}");
    repository.contains(path) || repository.iter().any(|file| file.ends_with(&below))
}

/// Whether a task of the plan writes it.
fn is_created(subject: LintSubject<'_>, path: &str) -> bool {
    subject.plan.tasks().iter().flat_map(afresh_core::plan::Task::patterns).any(|p| p.matches(path))
}
