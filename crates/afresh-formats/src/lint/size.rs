//! Tasks that are large for one worker, and tasks that list no files.

use super::LintSubject;
use crate::lint::findings::LintFindings;
use afresh_core::plan::TaskIndex;

/// From this many files on, a task is large.
const MANY_FILES: usize = 15;
/// The most tasks that a message names.
const MAX_NAMED: usize = 10;

pub(super) fn check_task_sizes(subject: LintSubject<'_>, findings: &mut LintFindings<'_>) {
    let many_steps = step_limit(subject.format);
    for (at, task) in subject.worker_tasks() {
        let (files, steps) = (task.patterns().count(), task.steps.len());
        if files >= MANY_FILES || steps >= many_steps {
            let message = format!("{} has {steps} steps and {files} files", task.id);
            let message = format!("{message}: large for one worker");
            let hint = "split it; workers do small tasks better";
            findings.warn_about_task(at, "large-task", message, hint);
        }
    }
    check_tasks_without_files(subject, findings);
}

/// From this many steps on, a task is large. A `<task>` of a PLAN.md is a piece of work; in other
/// formats a step may be no more than a check box.
fn step_limit(format: &str) -> usize {
    match format {
        "gsd" | "ultraplan" | "long-run" => 5,
        "native" => 6,
        _ => 9,
    }
}

/// Reports all tasks without files in one finding, because some formats have no files at all.
fn check_tasks_without_files(subject: LintSubject<'_>, findings: &mut LintFindings<'_>) {
    let bare: Vec<(TaskIndex, &str)> = subject
        .worker_tasks()
        .filter(|(_, task)| !task.lists_files())
        .map(|(at, task)| (at, task.id.as_str()))
        .collect();
    let Some((first, id)) = bare.first() else { return };
    let message = if bare.len() == 1 {
        format!("{id} lists no files, so it runs alone")
    } else {
        let named: Vec<&str> = bare.iter().take(MAX_NAMED).map(|(_, id)| *id).collect();
        let more = match bare.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{}{more} list no files, so each of them runs alone", named.join(", "))
    };
    let hint = "list the files that a task may write, so that others can run in parallel";
    findings.warn_about_task(*first, "no-files", message, hint);
}
