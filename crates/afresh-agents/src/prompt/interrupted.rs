//! The prompt after an interrupted attempt: for the resumed conversation, or for a new worker (AG-08).

use std::fmt::Write as _;

use super::comments;
use crate::bundle::Bundle;

/// The most changed files that are listed.
const MAX_PATHS: usize = 30;

/// The prompt of a resumed conversation. It knows its task, but not what happened in between.
pub fn resumed_prompt(bundle: &Bundle) -> String {
    let task = &bundle.task.id;
    let mut text = format!(
        "You were interrupted. Continue with task {task}, in the same directory.\n\
        - Your files are as you left them. Anything that you had committed is there as uncommitted \
         changes.\n\
        - Ignored files may be missing. Processes that you had started are gone; a tool call that was \
         interrupted may be done in part or not at all.\n",
    );
    let done = bundle.first_step.saturating_sub(1);
    if done > 0 {
        let _ = writeln!(text, "- Steps 1 to {done} are done and kept.");
    }
    let comments = comments::render_comments(&bundle.comments);
    if !comments.is_empty() {
        let _ = writeln!(
            text,
            "- A person commented on the task meanwhile; take it into account:\n{comments}"
        );
    }
    text.push_str(
        "Check `git status`, finish your task, run its checks, and report as instructed, even if you did so before.\n",
    );
    text
}

/// What a new worker gets about the interrupted attempt.
pub(super) fn interrupted_work(bundle: &Bundle) -> String {
    let (Some(left), false) = (&bundle.left, bundle.resumes_session) else { return String::new() };
    let Some(commit) = &left.commit else { return String::new() };
    let mut text = format!(
        "Attempt {} was cut off ({}), not rejected. Its changes are not in your directory; they are saved \
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
        "`git show {commit}` shows them; `git checkout {commit} -- PATH` restores a file. They were not \
         checked: use what is good."
    );
    text
}
