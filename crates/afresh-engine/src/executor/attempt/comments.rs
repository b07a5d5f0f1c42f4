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
    let (by, text) = (printable::line(&comment.by), printable::lines(&comment.text));
    let Some(on) = &comment.on else {
        return format!(
            "A person ({by}) comments on your task while you work on it. Take it into account, also in what you have \
             done already:\n{text}"
        );
    };
    let mut lines = vec![format!(
        "A person ({by}) comments on your task while you work on it, on {}. Take it into account, also in what you \
         have done already:",
        on.describe()
    )];
    lines.extend(on.quotation());
    lines.push(text);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use afresh_core::comment::{CommentedPart, LineRange};

    use super::*;

    /// BE-12, B35.
    #[test]
    fn the_note_names_the_person_and_is_printable() {
        let text = "two\nlines \u{1b}[2J".to_owned();
        let said = note(&TaskComment { number: 1, text, by: "ann".to_owned(), on: None });
        assert!(said.starts_with("A person (ann) comments on your task"), "{said}");
        assert!(said.ends_with(":\ntwo\nlines \\u{1b}[2J"), "{said}");
    }

    /// BE-12: a comment on lines has them above it.
    #[test]
    fn the_note_quotes_the_lines_that_it_is_on() {
        let on = CommentedPart {
            attempt: 1,
            path: "a.py".to_owned(),
            lines: Some(LineRange { first: 3, last: 3 }),
            quoted: vec!["import os".to_owned()],
        };
        let (text, by) = ("why?".to_owned(), "ann".to_owned());
        let said = note(&TaskComment { number: 1, text, by, on: Some(on) });
        assert!(said.contains("on a.py:3 as attempt 1 left it. Take"), "{said}");
        assert!(said.ends_with(":\n     3 | import os\nwhy?"), "{said}");
    }
}
