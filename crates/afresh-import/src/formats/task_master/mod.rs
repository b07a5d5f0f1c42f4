//! Task Master: `.taskmaster/tasks/tasks.json`, with or without tags.
//!
//! A task is a task, and its open subtasks are steps, or tasks of their own with `--unit task`. The
//! worker gets done subtasks as a list. `testStrategy` is prose for the worker.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `subtasks` | every subtask as a task of its own |
//! | `tags` | the list of tasks of the current tag |
//! | `task` | one task and its subtasks |
//! | `trace` | test strategies and criteria as requirements |

mod subtasks;
mod tags;
mod task;
mod trace;

use crate::detect::{PlanFormat, ReadOptions, WorkUnit};
use crate::draft::document::JsonDocument;
use crate::draft::status::{self, ImportedTask};
use crate::draft::{DraftPlan, IdRule};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, only_text};
use afresh_formats::text::limits::too_many_tasks;
use task::UnlinkedTask;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "task-master", is_present, read, requirements: trace::add };

const EXPECTED: &str = "expected tasks in .taskmaster/tasks/tasks.json";

const HINT: &str =
    "expected {\"master\": {\"tasks\": [{\"id\": 1, \"title\": \"…\"}]}}, or {\"tasks\": […]}";

/// The possible paths of the tasks, from the project's root or from `.taskmaster`.
const FILES: &[&str] = &[".taskmaster/tasks/tasks.json", "tasks/tasks.json"];

fn is_present(folder: &dyn PlanFolder) -> bool {
    file(folder).is_some_and(|file| {
        // Other tools have a tasks/tasks.json too.
        file.starts_with('.')
            || folder.text(file).is_some_and(|text| text.is_ok_and(|t| is_ours(&t)))
    })
}

/// The file of tasks. Only listed paths count: a part of a project does not hold the tasks of the
/// whole.
fn file(folder: &dyn PlanFolder) -> Option<&'static str> {
    let there = |file: &&&str| folder.paths().iter().any(|path| path == *file);
    FILES.iter().find(there).copied()
}

fn is_ours(text: &str) -> bool {
    ["\"tasks\"", "\"title\"", "\"status\"", "\"dependencies\""]
        .iter()
        .all(|key| text.contains(key))
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let Some(file) = options.named_file().or_else(|| file(folder)) else {
        let message = "no tasks here: nothing to do";
        let finding = Finding::for_file(".", "empty-plan", message);
        return PlanReading::failed(finding.with_hint(EXPECTED));
    };
    let text = match only_text(folder, file, HINT) {
        Ok(text) => text,
        Err(failed) => return failed,
    };
    let mut drafted = DraftPlan { id_rule: IdRule::Keys, ..DraftPlan::default() };
    let mut document = JsonDocument::new(file, &text, HINT);
    let mut found: Vec<ImportedTask> = Vec::new();
    if let Some(root) = document.parse() {
        let list = tags::choose(&mut document, &root, current_tag(folder, file).as_deref());
        drafted.name = list.as_ref().map(|list| list.name.clone()).unwrap_or_default();
        let tasks = list.map(|list| document.objects(list.node, "tasks")).unwrap_or_default();
        if let Some(finding) = too_many_tasks(file, tasks.len()) {
            return PlanReading::failed(finding);
        }
        // An item that is no task concerns no other.
        if !tasks.is_empty() {
            document.take_fault();
        }
        let mut raw: Vec<UnlinkedTask> = Vec::with_capacity(tasks.len());
        for node in tasks {
            let mut one = task::read(&mut document, node);
            one.found.task.fault = document.take_fault_of(&one.found.standing);
            raw.push(one);
        }
        found = match options.unit {
            WorkUnit::Task => subtasks::split_tasks(&mut document, raw),
            WorkUnit::Plan => {
                task::resolve(&mut document, &mut raw);
                raw.into_iter().map(|one| one.found).collect()
            }
        };
    }
    document.close(&mut drafted);
    status::finish(folder, drafted, found, (file, EXPECTED))
}

/// The current tag by `state.json`.
fn current_tag(folder: &dyn PlanFolder, file: &str) -> Option<String> {
    let root = file.strip_suffix("tasks/tasks.json")?;
    let text = folder.text(&format!("{root}state.json"))?.ok()?;
    let state: serde_json::Value = serde_json::from_str(&text).ok()?;
    state.get("currentTag")?.as_str().map(str::to_owned)
}
