//! A box as a task: its title, files, checks and steps.

use afresh_core::plan::{CheckDraft, FileDraft, PlanField, StepDraft, TaskDraft};

use super::boxes::ListBox;
use super::commands::find_checks;
use crate::draft::{DraftPlan, DraftTask};
use crate::prose::{self, leading_label, leading_number, paths, text_id, title, unticked};
use afresh_formats::findings::Severity;
use afresh_formats::reading::SourceSpan;

/// The id of a box and the words after it: its own number or label, or else one made from its text.
pub(crate) fn id_of(text: &str) -> (String, String) {
    let bare = text.trim_start_matches(['*', '`', '[', '~']);
    let own = leading_number(bare).or_else(|| leading_label(bare));
    match own {
        Some((id, rest)) if !rest.trim().is_empty() => (id.to_owned(), rest.to_owned()),
        _ => (text_id(text), text.to_owned()),
    }
}

/// A task from a box. `steps` are the boxes below it.
pub(crate) fn task(file: &str, text: &str, one: &ListBox<'_>, steps: &[ListBox<'_>]) -> DraftTask {
    let (id, words) = id_of(one.text.text);
    let span = SourceSpan::new(file, one.text.range());
    let mut task = DraftTask::new(TaskDraft::default(), span.clone());
    task.note(None, PlanField::Id, 0, span.clone());
    task.draft.id = id;
    task.draft.title = title(words.trim_matches(['~', '*', ' ']));
    let whole = one.whole(text);
    add_files(&mut task, file, &whole);
    for command in find_checks(&unwrapped(one, text)) {
        task.note(None, PlanField::Checks, task.draft.checks.len(), span.clone());
        task.draft.checks.push(CheckDraft { command, ..CheckDraft::default() });
    }
    for step in steps {
        let (name, instructions) = (title(step.text.text), unticked(step.whole(text).text));
        task.draft.steps.push(StepDraft { name, instructions, ..StepDraft::default() });
    }
    task
}

/// The text of a box with its own wrapped lines joined, and the notes below it.
fn unwrapped(one: &ListBox<'_>, text: &str) -> String {
    let below = &text[one.below.clone()];
    format!("{}\n{below}", one.sentence(text))
}

/// Adds the paths of a text as files of a task.
pub(crate) fn add_files(
    task: &mut DraftTask,
    file: &str,
    text: &afresh_formats::text::markdown::TextLine<'_>,
) {
    for path in paths(text) {
        if task.draft.files.iter().any(|known| known.path == path.text) {
            continue;
        }
        let span = SourceSpan::new(file, path.range());
        task.note(None, PlanField::Files, task.draft.files.len(), span);
        task.draft.files.push(FileDraft { path: path.text.to_owned(), action: None });
    }
}

/// Whether an open box is struck out or called deferred.
pub(crate) fn is_deferred(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let struck = text.trim().starts_with("~~") || text.contains(" ~~");
    let words =
        ["deferred", "postponed", "won't do", "not needed", "cancelled", "canceled", "skipped"];
    let called = words.iter().any(|word| {
        [format!("({word}"), format!("[{word}"), format!("{word}:"), format!("*{word}")]
            .iter()
            .any(|marked| lower.contains(marked.as_str()))
    });
    struck || called
}

/// Adds a warning at a place.
pub(crate) fn warn(
    drafted: &mut DraftPlan,
    span: &SourceSpan,
    code: &str,
    message: String,
    hint: &str,
) {
    let found = drafted.find(span, code, message);
    found.severity = Severity::Warning;
    found.hint = Some(hint.to_owned());
}

/// Reports boxes in code blocks, which are examples.
pub(crate) fn report_code(
    drafted: &mut DraftPlan,
    file: &str,
    at: Option<&std::ops::Range<usize>>,
) {
    if let Some(at) = at {
        let message = "a check box in a code block is an example and not run".to_owned();
        let hint = "move it out of the code block to run it";
        warn(drafted, &SourceSpan::new(file, at.clone()), "task-in-fence", message, hint);
    }
}

/// Reports tasks that are not needed, at the first of them.
pub(crate) fn report_optional(drafted: &mut DraftPlan, left_out: &[(String, SourceSpan)]) {
    let Some((_, first)) = left_out.first() else { return };
    let named: Vec<&str> = left_out.iter().take(10).map(|(id, _)| id.as_str()).collect();
    let more = if left_out.len() > named.len() { " and others" } else { "" };
    let message = format!("optional, and not run: {}{more}", named.join(", "));
    warn(drafted, &first.clone(), "left-out", message, "remove the mark to run them");
}

/// Reports open boxes that are criteria or notes, at the first of them.
pub(crate) fn report_other_boxes(
    drafted: &mut DraftPlan,
    file: &str,
    boxes: &[std::ops::Range<usize>],
) {
    let Some(first) = boxes.first() else { return };
    let count = boxes.len();
    let message = format!("open boxes that are criteria or notes, and not tasks: {count}");
    let span = SourceSpan::new(file, first.clone());
    let found = drafted.find(&span, "left-out", message);
    found.severity = Severity::Note;
    found.hint = Some("move a box to another section to run it".to_owned());
}

/// Labels the open tasks without a check.
pub(crate) fn label(drafted: &mut DraftPlan) {
    prose::label_unjudged(drafted);
}
