//! What is told of an attempt that was cut off: to whoever goes on with its conversation, or to a
//! fresh worker (AG-08).

use std::fmt::Write as _;

use crate::bundle::Bundle;

/// How many of the changed files are named.
const MAX_PATHS: usize = 30;

/// The prompt of a worker that goes on. It knows its task; it does not know what happened meanwhile.
pub fn resumed(bundle: &Bundle) -> String {
    let task = &bundle.task.id;
    let mut text = format!(
        "You were interrupted, and go on now with task {task}, in the same directory.\n\
         - Your files are as you left them. If you had committed something, it is there as changes that \
         are not committed.\n\
         - Ignored files may be gone. Nothing that you had started still runs; a tool that was cut off may \
         have done a part of its work, or nothing.\n",
    );
    let done = bundle.first_step.saturating_sub(1);
    if done > 0 {
        let _ = writeln!(text, "- Steps 1 to {done} are done and kept.");
    }
    text.push_str(
        "Look at `git status`, do what is left of your task, and report with `report_result` as you were \
         told, also if you have done so before.\n",
    );
    text
}

/// What a fresh worker is told.
pub(super) fn left(bundle: &Bundle) -> String {
    let (Some(left), false) = (&bundle.left, bundle.goes_on) else { return String::new() };
    let Some(commit) = &left.commit else { return String::new() };
    let mut text = format!(
        "Attempt {} was cut off ({}), not rejected. What it had changed is not in your directory, but kept \
         as commit {commit}:\n",
        left.attempt.number, left.why
    );
    for change in left.changes.iter().take(MAX_PATHS) {
        let _ = writeln!(text, "- {change}");
    }
    if let Some(more) = left.changes.len().checked_sub(MAX_PATHS).filter(|more| *more > 0) {
        let _ = writeln!(text, "- and {more} more");
    }
    let _ = writeln!(
        text,
        "`git show {commit}` shows it, and `git checkout {commit} -- PATH` takes a file over. Nobody has \
         checked it: use what is good."
    );
    text
}
