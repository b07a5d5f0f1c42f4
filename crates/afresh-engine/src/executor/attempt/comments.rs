//! Gives a person's comment to a worker that is at work (BE-12).
//!
//! It waits in the attempt's directory, and our next answer to the worker includes it. A worker that never asks us
//! anything does not get it; the next one has it in its prompt.

use std::fs;

use afresh_core::comment::TaskComment;
use afresh_core::ids::AttemptId;
use afresh_core::printable;
use afresh_secrets::redact;

use crate::executor::ExecutorContext;
use crate::mailbox::Mailbox;

/// A comment that cannot be left stays unread, and is in the next worker's prompt.
pub(crate) fn leave(shared: &ExecutorContext, attempt: &AttemptId, comment: &TaskComment) {
    let directory = shared.layout.worker(&shared.run, attempt);
    let text = redact(&note(comment), &shared.config.workers.secrets());
    // A worker that is only starting has no directory yet.
    let made = fs::create_dir_all(&directory);
    let _ =
        made.and_then(|()| Mailbox::for_attempt(directory).leave_comment(comment.number, &text));
}

fn note(comment: &TaskComment) -> String {
    format!(
        "A person ({}) comments on your task while you work on it. Take it into account, also in what you have done \
         already:\n{}",
        printable::line(&comment.by),
        printable::lines(&comment.text)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BE-12, B35.
    #[test]
    fn the_note_names_the_person_and_is_printable() {
        let text = "two\nlines \u{1b}[2J".to_owned();
        let said = note(&TaskComment { number: 1, text, by: "ann".to_owned() });
        assert!(said.starts_with("A person (ann) comments on your task"), "{said}");
        assert!(said.ends_with(":\ntwo\nlines \\u{1b}[2J"), "{said}");
    }
}
