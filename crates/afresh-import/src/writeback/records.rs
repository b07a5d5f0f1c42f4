//! Formats that keep a status in JSON: Task Master, beads, prd.json.

use afresh_formats::findings::SourceText;
use afresh_formats::text::json;
use afresh_formats::text::node::Node;
use serde_json::json;

use super::edits::{MarkEdit, PlanEdits};
use super::json_edits::{items, member_text, object_at, parse, set_member};
use super::{PlanProgress, TaskMark, WritebackProblem};

/// Statuses of Task Master that need no work.
const SETTLED: &[&str] = &["done", "completed", "cancelled", "canceled"];

/// `"status": "done"` of a task with its subtasks, or of a subtask, and of its task after the last one.
pub(super) fn finish_task_master(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    let place = progress.place();
    let text = progress.text(&place.file)?;
    let root = parse(&place.file, &text).ok_or(WritebackProblem::NotUnderstood)?;
    let own = object_at(&root, &place.range).ok_or(WritebackProblem::NotUnderstood)?;
    let done = json!("done");
    let mut set = |node: &Node| add(edits, &place.file, set_member(&text, node, "status", &done));
    set(own);
    let is_open =
        |node: &&Node| !member_text(node, "status").is_some_and(|status| SETTLED.contains(&status));
    for subtask in items(own, "subtasks").iter().filter(is_open) {
        set(subtask);
    }
    if let Some(task) = task_of_subtask(&root, own) {
        let others = items(task, "subtasks").iter().filter(|one| one.span != own.span);
        if others.filter(is_open).count() == 0 {
            set(task);
        }
    }
    Ok(TaskMark::Task)
}

/// The task that has this subtask.
fn task_of_subtask<'n>(root: &'n Node, subtask: &Node) -> Option<&'n Node> {
    use afresh_formats::text::node::Value;
    use afresh_formats::text::yaml::values::entries;
    let is_in =
        |node: &&Node| node.span.start < subtask.span.start && subtask.span.end < node.span.end;
    if items(root, "subtasks").iter().any(|one| one.span == subtask.span) {
        return Some(root);
    }
    let inner = match &root.value {
        Value::Table(_) => entries(root).iter().map(|entry| &entry.node).find(is_in),
        Value::List(items) => items.iter().find(is_in),
        _ => None,
    };
    inner.and_then(|inner| task_of_subtask(inner, subtask))
}

/// The issue on its line: closed, when, and why.
pub(super) fn close_issue(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    let place = progress.place();
    let text = progress.text(&place.file)?;
    let source = SourceText::new(&place.file, &text);
    let issue = json::parse_part(&source, &place.range, "the end of the object")
        .map_err(|_| WritebackProblem::NotUnderstood)?;
    let moment = json!(progress.task.moment());
    let reason = progress.task.summary().unwrap_or_else(|| "Done".to_owned());
    let fields = [
        ("status", json!("closed")),
        ("updated_at", moment.clone()),
        ("closed_at", moment),
        ("close_reason", json!(reason)),
    ];
    set_all(&text, &issue, &fields, &place.file, edits);
    Ok(TaskMark::Task)
}

/// `"passes": true` of the story.
pub(super) fn pass_story(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    let place = progress.place();
    let text = progress.text(&place.file)?;
    let root = parse(&place.file, &text).ok_or(WritebackProblem::NotUnderstood)?;
    let story = object_at(&root, &place.range).ok_or(WritebackProblem::NotUnderstood)?;
    add(edits, &place.file, set_member(&text, story, "passes", &json!(true)));
    Ok(TaskMark::Task)
}

/// Sets members; those that are new follow the last one in this order.
pub(super) fn set_all(
    text: &str,
    object: &Node,
    fields: &[(&str, serde_json::Value)],
    file: &str,
    edits: &mut PlanEdits,
) {
    let mut added: Option<MarkEdit> = None;
    for edit in fields.iter().filter_map(|(key, value)| set_member(text, object, key, value)) {
        let is_new = edit.at.is_empty() || text[edit.at.clone()].trim().is_empty();
        match &mut added {
            // Two insertions at one place are one.
            Some(before) if is_new && before.at == edit.at => {
                let comma = if edit.text.starts_with(',') { "" } else { ", " };
                before.text.push_str(comma);
                before.text.push_str(&edit.text);
            }
            _ if is_new => added = Some(edit),
            _ => edits.replace(file, edit.at, edit.text),
        }
    }
    add(edits, file, added);
}

fn add(edits: &mut PlanEdits, file: &str, edit: Option<MarkEdit>) {
    if let Some(edit) = edit {
        edits.replace(file, edit.at, edit.text);
    }
}
