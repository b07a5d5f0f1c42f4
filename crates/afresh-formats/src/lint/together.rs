//! Tasks of one wave that may write one file: they cannot run side by side.

use super::LintSubject;
use super::said::{LintFindings, ListedFile, listed};

/// More pairs of tasks than this are not listed.
const MAX_PAIRS: usize = 100;

pub(super) fn check_shared_files(subject: LintSubject<'_>, said: &mut LintFindings<'_>) {
    let plan = subject.plan;
    let mut told = 0;
    for conflict in plan.conflicts() {
        let (Some(a), Some(b)) =
            (plan.position(&conflict.tasks.0), plan.position(&conflict.tasks.1))
        else {
            continue;
        };
        let is_done = |at: usize| plan.task(at).done_before.is_some();
        if plan.wave(a) != plan.wave(b) || is_done(a) || is_done(b) {
            continue;
        }
        if told == MAX_PAIRS {
            break;
        }
        told += 1;
        let (one, other, path) = (&conflict.tasks.0, &conflict.tasks.1, &conflict.path);
        let wave = plan.wave(a);
        let message =
            format!("{one} and {other} are both in wave {wave} and may both write {path:?}");
        let hint = "they run one after the other; let one need the other, or part their files";
        match (writer(subject, a, path), writer(subject, b, path)) {
            (Some(first), Some(second)) => {
                said.of_file(second, "same-wave-file", message, hint);
                said.and_file(first, "the other one is here");
            }
            _ => {
                said.of_task(b, "same-wave-file", message, hint);
            }
        }
    }
}

/// Where a task says that it may write this path: in so many words, or by a pattern.
fn writer(subject: LintSubject<'_>, at: usize, path: &str) -> Option<ListedFile> {
    let task = subject.plan.task(at);
    let exact = listed(at, task).find(|(_, scope)| scope.pattern.as_str() == path);
    let found = exact.or_else(|| {
        listed(at, task).find(|(_, scope)| {
            scope.pattern.matches(path)
                || afresh_core::pattern::FilePattern::new(path)
                    .is_ok_and(|other| scope.pattern.overlaps(&other))
        })
    });
    found.map(|(place, _)| place)
}
