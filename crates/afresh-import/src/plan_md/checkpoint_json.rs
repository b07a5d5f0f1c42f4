//! `NN-CHECKPOINT.json`: the progress of a long-run plan, in any of its three shapes.
//!
//! ```text
//! {"plan": "02", "last_completed_task": 2, "total_tasks": 3, "task_commits": {"1": "abc", "2": "def"}}
//! {"plan_number": "02", "status": "in_progress", "completed_tasks": [{"name": "…", "commit": "…"}], "remaining_tasks": […]}
//! {"tasks_total": 3, "tasks_completed": 2, "last_activity_timestamp": "…"}
//! ```

use crate::draft::DraftPlan;
use crate::draft::document::{JsonDocument, get};
use afresh_formats::text::node::{Node, Value};

const HINT: &str = "a checkpoint is one JSON object that counts or lists completed tasks";

/// The finished tasks by a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckpointProgress {
    /// The number of finished tasks: the first ones, in order.
    pub done: usize,
    pub total: Option<usize>,
    /// Their names, if the checkpoint has them.
    pub names: Vec<String>,
    /// Their commits, if the checkpoint has them.
    pub commits: Vec<String>,
    /// Whether the whole plan is finished.
    pub completed: bool,
}

/// Reads a checkpoint. If it is malformed, that is a finding, and nothing counts as done.
pub fn read(file: &str, text: &str, drafted: &mut DraftPlan) -> Option<CheckpointProgress> {
    let mut document = JsonDocument::new(file, text, HINT);
    let progress = document.parse().and_then(|root| progress(&mut document, &root));
    document.close(drafted);
    progress
}

fn progress(document: &mut JsonDocument<'_>, root: &Node) -> Option<CheckpointProgress> {
    let listed = completed(document, root);
    let counted = ["last_completed_task", "tasks_completed"]
        .iter()
        .find_map(|key| get(root, key))
        .and_then(|node| number(document, node));
    // The index of the current task counts those before it.
    let index = get(root, "current_task_index").and_then(|node| number(document, node));
    let Some(done) = listed.as_ref().map(Vec::len).or(counted).or(index) else {
        let hint = "nothing counts as done";
        let message = "the checkpoint lists no completed tasks".to_owned();
        document.warn(&root.span, "checkpoint-unclear", message, hint);
        return None;
    };
    let total = ["total_tasks", "tasks_total"]
        .iter()
        .find_map(|key| get(root, key))
        .and_then(|node| number(document, node));
    if let (Some(total), true) = (total, total.is_some_and(|total| done > total)) {
        let message = format!("{done} of {total} tasks are completed");
        document.warn(&root.span, "checkpoint-unclear", message, "all tasks count as completed");
    }
    let status = document.word(root, "status").map(|word| word.text);
    let (names, commits) = listed.unwrap_or_default().into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
    let mut commits: Vec<String> = commits.into_iter().flatten().collect();
    if commits.is_empty() {
        commits = task_commits(root);
    }
    Some(CheckpointProgress {
        done: total.map_or(done, |total| done.min(total)),
        total,
        names,
        commits,
        completed: status.as_deref() == Some("completed") || total == Some(done) && done > 0,
    })
}

/// Names and commits of a list of completed tasks.
fn completed(
    document: &mut JsonDocument<'_>,
    root: &Node,
) -> Option<Vec<(String, Option<String>)>> {
    let node = get(root, "completed_tasks")?;
    let Value::List(items) = &node.value else {
        document.wrong(node, "a list");
        return None;
    };
    let one = |item: &Node| match &item.value {
        Value::Table(_) => {
            let name = document.word(item, "name").map(|word| word.text).unwrap_or_default();
            Some((name, document.word(item, "commit").map(|word| word.text)))
        }
        _ => document.word_of(item).map(|word| (word.text, None)),
    };
    Some(items.iter().filter_map(one).collect())
}

fn task_commits(root: &Node) -> Vec<String> {
    let Some(node) = get(root, "task_commits") else { return Vec::new() };
    let entries = afresh_formats::text::yaml::values::entries(node).iter();
    entries.filter_map(|entry| afresh_formats::text::yaml::values::word(&entry.node)).collect()
}

/// A count: 3, `"3"`, or `"3/5"`.
fn number(document: &mut JsonDocument<'_>, node: &Node) -> Option<usize> {
    let word = document.word_of(node)?;
    let number = word.text.split('/').next().and_then(|text| text.trim().parse().ok());
    if number.is_none() {
        document.wrong(node, "a count");
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_checkpoint(text: &str) -> (Option<CheckpointProgress>, usize) {
        let mut drafted = DraftPlan::default();
        let progress = read("02-CHECKPOINT.json", text, &mut drafted);
        (progress, drafted.findings.len())
    }

    /// FO-01: the three shapes of a checkpoint mean the same.
    #[test]
    fn every_shape_of_a_checkpoint_is_read() {
        let first = r#"{"plan":"02","last_completed_task":2,"total_tasks":3,"task_commits":{"1":"abc","2":"def"},"files_modified":[],"updated_at":"t"}"#;
        let second = r#"{"plan_number":"02","current_task_index":2,"status":"in_progress","total_tasks":3,"completed_tasks":[{"name":"a","commit":"abc"},{"name":"b","commit":"def"}],"remaining_tasks":["c"]}"#;
        let third = r#"{"tasks_total":3,"tasks_completed":"2/3","last_activity_timestamp":"t"}"#;
        for (text, names, commits) in [
            (first, vec![], vec!["abc", "def"]),
            (second, vec!["a", "b"], vec!["abc", "def"]),
            (third, vec![], vec![]),
        ] {
            let (progress, findings) = read_checkpoint(text);
            let progress = progress.expect("read");
            assert_eq!((progress.done, progress.total, findings), (2, Some(3), 0), "{text}");
            assert_eq!(
                (progress.names, progress.commits),
                (
                    names.iter().map(ToString::to_string).collect(),
                    commits.iter().map(ToString::to_string).collect()
                )
            );
            assert!(!progress.completed);
        }
        assert!(
            read_checkpoint(r#"{"tasks_total":3,"tasks_completed":3}"#).0.expect("read").completed
        );
        assert!(
            read_checkpoint(r#"{"status":"completed","completed_tasks":["a"]}"#)
                .0
                .expect("read")
                .completed
        );
    }

    /// FO-06: what cannot be read counts nothing as done, and says so.
    #[test]
    fn a_checkpoint_that_makes_no_sense_counts_nothing() {
        for text in
            ["", "{", "[]", "{}", r#"{"last_completed_task":"two"}"#, r#"{"completed_tasks":3}"#]
        {
            let (progress, findings) = read_checkpoint(text);
            assert!(progress.is_none() && findings > 0, "{text}");
        }
        let (progress, findings) = read_checkpoint(r#"{"total_tasks":2,"tasks_completed":9}"#);
        assert_eq!((progress.map(|progress| progress.done), findings), (Some(2), 1));
    }
}
