//! `state.json`: the status of each task.
//!
//! A state that cannot be read is no reason to refuse the plan. What it does not say is taken from the
//! results of the tasks; without one, a task is open, and the finding says that it is done again.

use std::collections::BTreeMap;

use super::results::TaskerResults;
use crate::draft::DraftPlan;
use crate::draft::document::{JsonDocument, get};
use crate::draft::status::TaskStanding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values;

/// What follows from a fault in the state.
const HINT: &str = "restore it: tasks without a status or a successful result count as open, and finished ones are done again";

const OPEN: &[&str] = &["pending", "ready", "running", "failed", "blocked"];

#[derive(Debug, Default)]
pub(super) struct TaskerState {
    pub(super) target: Option<String>,
    tasks: BTreeMap<String, TaskerTaskState>,
    results: TaskerResults,
}

/// The state of one task.
#[derive(Debug)]
struct TaskerTaskState {
    standing: Option<TaskStanding>,
    phase: Option<u64>,
    needs: Vec<(String, SourceSpan)>,
}

impl TaskerState {
    pub(super) fn read(folder: &dyn PlanFolder, root: &str, drafted: &mut DraftPlan) -> Self {
        let file = format!("{root}state.json");
        let mut state = Self { results: TaskerResults::find(folder, root), ..Self::default() };
        let Some(text) = drafted.read_additional(folder, &file, HINT) else { return state };
        let mut document = JsonDocument::new(&file, &text, HINT);
        if let Some(root_node) = document.parse() {
            state.target = document.word(&root_node, "target_dir").map(|word| word.text);
            let tasks = document.object(&root_node, "tasks").map(values::entries);
            for entry in tasks.unwrap_or_default() {
                let one = task_state(&mut document, &entry.node);
                let known = format!("{root}tasks/{}.json", entry.key);
                let is_done = matches!(one.standing, Some(TaskStanding::Done(_)));
                if !folder.holds(&known) && !is_done {
                    let message = format!("{known} does not exist");
                    let hint = "the task is not part of the plan";
                    document.warn(&entry.key_span, "missing-task-file", message, hint);
                }
                state.tasks.insert(entry.key.clone(), one);
            }
        }
        document.downgrade_errors();
        document.close(drafted);
        state
    }

    pub(super) fn standing(&self, id: &str) -> TaskStanding {
        let stated = self.tasks.get(id).and_then(|task| task.standing.clone());
        stated.or_else(|| self.results.standing(id)).unwrap_or(TaskStanding::Open)
    }

    /// The dependencies of a task, if its own file has none.
    pub(super) fn needs(&self, id: &str) -> Vec<(String, SourceSpan)> {
        self.tasks.get(id).map(|task| task.needs.clone()).unwrap_or_default()
    }

    /// The phase of a task, if its own file has none.
    pub(super) fn phase(&self, id: &str) -> Option<u64> {
        self.tasks.get(id)?.phase
    }
}

fn task_state(document: &mut JsonDocument<'_>, node: &Node) -> TaskerTaskState {
    if !matches!(node.value, Value::Table(_)) {
        document.wrong(node, "an object");
    }
    let standing = standing(document, node);
    let phase = get(node, "phase").and_then(|node| document.word_of(node));
    let phase = phase.and_then(|word| word.text.parse().ok());
    let needs = document.list_words(node, "depends_on");
    let needs = needs.into_iter().map(|word| (word.text, document.span(&word.at))).collect();
    TaskerTaskState { standing, phase, needs }
}

/// The standing of a task, if the state says a word about it.
fn standing(document: &mut JsonDocument<'_>, node: &Node) -> Option<TaskStanding> {
    let status = document.word(node, "status")?;
    Some(match status.text.to_lowercase().as_str() {
        "complete" | "completed" | "done" => {
            TaskStanding::Done(format!("{} in state.json", status.text))
        }
        "skipped" => TaskStanding::Cancelled,
        open if OPEN.contains(&open) => TaskStanding::Open,
        _ => {
            document.unknown_status(&status, "pending", &[OPEN, &["complete", "skipped"]].concat());
            TaskStanding::Open
        }
    })
}
