//! `state.json`: the status of each task.

use std::collections::BTreeMap;

use super::HINT;
use crate::draft::DraftPlan;
use crate::draft::document::{JsonDocument, get};
use crate::draft::status::TaskStanding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::yaml::values;

#[derive(Debug, Default)]
pub(super) struct TaskerState {
    pub(super) target: Option<String>,
    tasks: BTreeMap<String, TaskerTaskState>,
}

/// The state of one task.
#[derive(Debug)]
struct TaskerTaskState {
    status: String,
    phase: Option<u64>,
    needs: Vec<(String, SourceSpan)>,
}

impl TaskerState {
    pub(super) fn read(folder: &dyn PlanFolder, root: &str, drafted: &mut DraftPlan) -> Self {
        let file = format!("{root}state.json");
        let text = super::text_of(folder, &file, drafted);
        let mut state = Self::default();
        if text.is_empty() {
            return state;
        }
        let mut document = JsonDocument::new(&file, &text, HINT);
        if let Some(root_node) = document.parse() {
            state.target = document.word(&root_node, "target_dir").map(|word| word.text);
            let tasks = get(&root_node, "tasks").map(values::entries).unwrap_or_default();
            for entry in tasks {
                let task = &entry.node;
                let status = document.prose(task, "status");
                let known = format!("{root}tasks/{}.json", entry.key);
                if !folder.holds(&known) && status != "complete" {
                    let message = format!("{known} does not exist");
                    let hint = "the task is not part of the plan";
                    document.warn(&entry.key_span, "missing-task-file", message, hint);
                }
                let phase = document.word(task, "phase").and_then(|word| word.text.parse().ok());
                let needs = document.list_words(task, "depends_on");
                let needs =
                    needs.into_iter().map(|word| (word.text, document.span(&word.at))).collect();
                state.tasks.insert(entry.key.clone(), TaskerTaskState { status, phase, needs });
            }
        }
        document.close(drafted);
        state
    }

    pub(super) fn standing(&self, id: &str) -> TaskStanding {
        match self.tasks.get(id).map(|task| task.status.as_str()) {
            Some("complete") => TaskStanding::Done("complete in state.json".to_owned()),
            Some("skipped") => TaskStanding::Cancelled,
            _ => TaskStanding::Open,
        }
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
