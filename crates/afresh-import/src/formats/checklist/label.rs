//! Labels at the start of headings and list items: `Task 3: …`, `T001 …`, `1.2 …`, `Step 1: …`; and marks
//! that say that something is done.

use crate::prose::{leading_label, leading_number};

/// What a text starts with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskLabel<'a> {
    pub(super) kind: LabelKind,
    /// The id of the task, `task-3`, `T001` or `1.2`.
    pub(super) id: String,
    /// The text after the label.
    pub(super) words: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelKind {
    /// `Task 3`, `T001`: it is a task.
    Task,
    /// `1.2`: it may be a task or a section.
    Part,
    /// `3`: likewise.
    Number,
    /// `Step 3`.
    Step,
}

/// Marks of finished work at either end of a heading.
const DONE_MARKS: &[&str] = &["✅", "✓", "✔️", "✔", "☑️", "☑", "[x]", "[X]"];
/// Words of finished work, in brackets or after a dash at the end of a heading, or as a status.
const DONE_WORDS: &[&str] = &["done", "complete", "completed", "finished", "implemented"];

/// The label that a text starts with.
pub(super) fn find(text: &str) -> Option<TaskLabel<'_>> {
    let bare = without_marks(text);
    if let Some((word, rest)) = named_number(bare) {
        let kind = if word == "step" { LabelKind::Step } else { LabelKind::Task };
        let (number, words) = rest;
        return Some(TaskLabel { kind, id: format!("{word}-{number}"), words });
    }
    if let Some((number, words)) = leading_number(bare) {
        let kind = if number.contains('.') { LabelKind::Part } else { LabelKind::Number };
        return Some(TaskLabel { kind, id: number.to_owned(), words });
    }
    let (label, words) = leading_label(bare)?;
    let letters = label.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = label.bytes().filter(u8::is_ascii_digit).count();
    let is_task = match letters {
        0 => false,
        1 if label.starts_with('T') => true,
        _ => digits > 2 || (digits > 1 && label.contains('-')),
    };
    is_task.then(|| TaskLabel { kind: LabelKind::Task, id: label.to_owned(), words })
}

/// `Task 3: words`, `TASK-3 words`, `Step 2a. words`: the word, then the number and the words.
fn named_number(text: &str) -> Option<(&'static str, (&str, &str))> {
    let word = ["task", "step"].into_iter().find(|word| {
        text.get(..word.len()).is_some_and(|front| front.eq_ignore_ascii_case(word))
    })?;
    let rest = text[word.len()..].strip_prefix([' ', '-', '_'])?;
    let rest = rest.trim_start_matches(['#', ' ']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches('.');
    let letters = number.bytes().take_while(u8::is_ascii_uppercase).count();
    let numbered = number[letters..].starts_with(|c: char| c.is_ascii_digit());
    let short = letters < 4 && number.len() < 16;
    // `Task A: words` has a letter for its number.
    let lettered = number.len() == 1 && letters == 1;
    let after = &rest[number.len()..];
    let marked = after.is_empty() || after.starts_with([':', '.', ' ', ')', '*', '-', '—', '–']);
    let words = after.trim_start_matches([':', '.', ')', '*', '-', '—', '–', ' ']);
    (short && marked && (numbered || lettered)).then_some((word, (number, words)))
}

/// The text without emphasis, pictures, boxes and marks in front of it.
fn without_marks(text: &str) -> &str {
    let is_mark = |c: char| "*_`~ ".contains(c) || (!c.is_ascii() && !c.is_alphanumeric());
    let mut bare = text.trim_start_matches(is_mark);
    while let Some(rest) = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| bare.strip_prefix(mark)) {
        bare = rest.trim_start_matches(is_mark);
    }
    // `[T001] words`
    bare.strip_prefix('[').filter(|rest| rest.starts_with(['T', 't'])).unwrap_or(bare)
}

/// Whether a heading says that its task is done.
pub(super) fn is_marked_done(heading: &str) -> bool {
    let bare = heading.trim_matches(['*', '_', ' ']);
    let marked = DONE_MARKS.iter().any(|mark| bare.starts_with(mark) || bare.ends_with(mark));
    marked || ends_with_done(bare)
}

/// `Title (done)`, `Title - COMPLETED`, `Title [DONE]`.
fn ends_with_done(text: &str) -> bool {
    let text = text.trim_end_matches([')', ']', '*', ' ', '!']);
    // The hyphen of `half-done` belongs to its word.
    let starts = ["(", "[", " - ", " -- ", "—", "–"].into_iter();
    let at = starts.filter_map(|start| text.rfind(start)).max();
    at.is_some_and(|at| {
        let behind = text[at..].trim_start_matches(|c: char| !c.is_alphanumeric());
        is_done_word(behind)
    })
}

/// Whether a status says that something is done: `✅ Complete`, `Done (2026-01-01)`.
pub(super) fn is_done_status(status: &str) -> bool {
    let bare = status.trim_matches(['*', '_', '`', '[', ']', ' ']);
    if DONE_MARKS.iter().any(|mark| bare.starts_with(mark)) {
        return true;
    }
    // `Not Started | In Progress | Complete` is a choice that nobody made.
    !bare.contains('|') && bare.split([' ', ',', '.', '(']).next().is_some_and(is_done_word)
}

fn is_done_word(word: &str) -> bool {
    DONE_WORDS.contains(&word.to_lowercase().as_str())
}

/// A title without marks of finished work.
pub(super) fn without_done_marks(title: &str) -> &str {
    let mut bare = title.trim();
    while let Some(rest) = DONE_MARKS.iter().find_map(|mark| bare.strip_suffix(mark)) {
        bare = rest.trim_end();
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_words() {
        let found =
            |text: &str| find(text).map(|label| (label.kind, label.id, label.words.to_owned()));
        let is = |text: &str, kind: LabelKind, id: &str, words: &str| {
            assert_eq!(found(text), Some((kind, id.to_owned(), words.to_owned())), "{text}");
        };
        is("Task 1: Add it", LabelKind::Task, "task-1", "Add it");
        is("✅ Task 3.2 — Add it", LabelKind::Task, "task-3.2", "Add it");
        is("📋 **TASK-004** Add it", LabelKind::Task, "task-004", "Add it");
        is("Task A: Add it", LabelKind::Task, "task-A", "Add it");
        is("T001 [P] Add it", LabelKind::Task, "T001", "[P] Add it");
        is("[T012] Add it", LabelKind::Task, "T012", "Add it");
        is("AUTH-01: Add it", LabelKind::Task, "AUTH-01", "Add it");
        is("1.2 Add it", LabelKind::Part, "1.2", "Add it");
        is("3. Add it", LabelKind::Number, "3", "Add it");
        is("**Step 2: Add it**", LabelKind::Step, "step-2", "Add it**");
        for text in ["Tasks", "Task list", "Task force 1", "Phase 1: x", "HTTP2 support", "v1.2"] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn finished_headings_are_marked() {
        for text in ["✅ Task 1: a", "Task 1: a ✅", "Task 1: a (done)", "Task 1: a — COMPLETED"]
        {
            assert!(is_marked_done(text), "{text}");
        }
        for text in [
            "Task 1: Show ✅ in lists",
            "Task 1: mark as done",
            "Task 1: what is done next",
            "Task 1: list what is half-done",
            "Task 1: Done",
        ] {
            assert!(!is_marked_done(text), "{text}");
        }
        assert!(is_done_status("✅ Complete") && is_done_status("Done (yesterday)"));
        assert!(!is_done_status("Not Started") && !is_done_status("[Complete|Open]"));
    }
}
