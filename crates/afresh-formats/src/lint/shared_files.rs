//! Tasks of one wave that may write the same file: they cannot run in parallel.

use crate::lint::LintSubject;
use crate::lint::findings::{LintFindings, ListedFile, listed_files};
use afresh_core::plan::TaskIndex;

/// The most pairs of tasks that are listed.
const MAX_PAIRS: usize = 100;

pub(crate) fn check_shared_files(subject: LintSubject<'_>, findings: &mut LintFindings<'_>) {
    let plan = subject.plan;
    let mut reported = 0;
    for conflict in plan.conflicts() {
        let (Some(a), Some(b)) =
            (plan.index_of(&conflict.tasks.0), plan.index_of(&conflict.tasks.1))
        else {
            continue;
        };
        let is_done = |at: TaskIndex| plan.task(at).done_before.is_some();
        if plan.wave(a) != plan.wave(b) || is_done(a) || is_done(b) {
            continue;
        }
        if reported == MAX_PAIRS {
            break;
        }
        reported += 1;
        let (one, other, path) = (&conflict.tasks.0, &conflict.tasks.1, &conflict.path);
        let wave = plan.wave(a);
        let message =
            format!("{one} and {other} are both in wave {wave} and may both write {path:?}");
        let hint = "they run one after the other; let one need the other, or separate their files";
        match (writer(subject, a, path), writer(subject, b, path)) {
            (Some(first), Some(second)) => {
                findings.warn_about_file(second, "same-wave-file", message, hint);
                findings.add_related_file(first, "the other task lists it here");
            }
            _ => {
                findings.warn_about_task(b, "same-wave-file", message, hint);
            }
        }
    }
}

/// The list item by which a task may write this path: the path itself, or a pattern.
fn writer(subject: LintSubject<'_>, at: TaskIndex, path: &str) -> Option<ListedFile> {
    let task = subject.plan.task(at);
    let exact = listed_files(at, task).find(|(_, scope)| scope.pattern.as_str() == path);
    let found = exact.or_else(|| {
        listed_files(at, task).find(|(_, scope)| {
            scope.pattern.matches(path)
                || afresh_core::pattern::FilePattern::new(path)
                    .is_ok_and(|other| scope.pattern.overlaps(&other))
        })
    });
    found.map(|(place, _)| place)
}
