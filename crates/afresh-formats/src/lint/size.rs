//! Tasks that are much for one worker, and tasks that name no files.

use super::LintSubject;
use super::said::LintFindings;

/// This many files in one task are too many for one worker.
const MANY_FILES: usize = 15;
/// How many tasks a message names.
const MAX_NAMED: usize = 10;

pub(super) fn check_task_sizes(subject: LintSubject<'_>, said: &mut LintFindings<'_>) {
    let many_steps = many_steps(subject.format);
    for (at, task) in subject.work() {
        let (files, steps) = (task.patterns().count(), task.steps.len());
        if files >= MANY_FILES || steps >= many_steps {
            let message = format!("{} has {steps} steps and {files} files", task.id);
            let message = format!("{message}: much for one worker");
            let hint = "split it: a fresh context does a small task better";
            said.of_task(at, "large-task", message, hint);
        }
    }
    without_files(subject, said);
}

/// How many steps are too many: a `<task>` of a PLAN.md is work of its own, elsewhere a step may be
/// no more than a box to tick.
fn many_steps(format: &str) -> usize {
    match format {
        "gsd" | "ultraplan" | "long-run" => 5,
        "native" => 6,
        _ => 9,
    }
}

/// Some formats have no files at all; that is worth one finding, not one for every task.
fn without_files(subject: LintSubject<'_>, said: &mut LintFindings<'_>) {
    let bare: Vec<(usize, &str)> = subject
        .work()
        .filter(|(_, task)| !task.lists_files())
        .map(|(at, task)| (at, task.id.as_str()))
        .collect();
    let Some((first, id)) = bare.first() else { return };
    let message = if bare.len() == 1 {
        format!("{id} names no files, so it runs alone")
    } else {
        let named: Vec<&str> = bare.iter().take(MAX_NAMED).map(|(_, id)| *id).collect();
        let more = match bare.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{}{more} name no files, so each of them runs alone", named.join(", "))
    };
    let hint = "name the files they may write, so that others can run beside them";
    said.of_task(*first, "no-files", message, hint);
}
