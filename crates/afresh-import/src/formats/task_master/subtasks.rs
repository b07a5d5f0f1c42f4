//! Every subtask as a task of its own (`--unit task`).
//!
//! A task with open subtasks is replaced by them: tasks that wait for it wait for all of them, and they
//! wait for what it waits for.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::plan::{PlanField, TaskDraft};

use super::task::{Subtask, UnlinkedTask};
use crate::draft::DraftTask;
use crate::draft::document::JsonDocument;
use crate::draft::status::{ImportedTask, TaskStanding};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::yaml::values::LocatedWord;

/// The most dependencies between subtasks.
const MAX_EDGES: usize = 200_000;

/// The tasks of a list, with tasks replaced by their subtasks.
pub(super) fn split_tasks(
    document: &mut JsonDocument<'_>,
    all: Vec<UnlinkedTask>,
) -> Vec<ImportedTask> {
    let names = TaskMasterIds::from_tasks(&all);
    let mut found = Vec::new();
    let mut edges = 0;
    for raw in all {
        let id = raw.found.task.draft.id.clone();
        let outer = names.needs(document, &raw.needs, None);
        let parts: Vec<usize> = names.open(&id).to_vec();
        edges += parts.len().max(1) * outer.len();
        if edges > MAX_EDGES {
            let at = raw.found.task.places.whole.range.clone();
            let message = format!("more than {MAX_EDGES} dependencies between subtasks");
            document.refuse(&at, "too-large", message, "read it with `--unit plan`");
            break;
        }
        if parts.is_empty() {
            found.push(ImportedTask { needs: outer, ..raw.found });
            continue;
        }
        for part in parts {
            let inner = raw.inner.iter().filter(|(at, _)| *at == part).map(|(_, word)| word);
            let inner: Vec<LocatedWord> = inner.cloned().collect();
            let mut needs = names.needs(document, &inner, Some(&id));
            needs.extend(outer.iter().cloned());
            edges += needs.len();
            found.push(one(&raw.found.task, &raw.subtasks[part], needs));
        }
    }
    found
}

fn one(task: &DraftTask, sub: &Subtask, needs: Vec<(String, SourceSpan)>) -> ImportedTask {
    let whole = "Your subtask (other workers do the other subtasks of this task):";
    let parts = [task.draft.instructions.as_str(), whole, &sub.step.name, &sub.step.instructions];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    let draft = TaskDraft {
        id: format!("{}.{}", task.draft.id, sub.id),
        title: sub.step.name.clone(),
        instructions: parts.join("\n\n"),
        ..TaskDraft::default()
    };
    let mut part = DraftTask::new(draft, sub.span.clone());
    part.note(None, PlanField::Title, 0, sub.span.clone());
    part.fault.clone_from(&task.fault);
    ImportedTask { task: part, needs: once(needs), standing: TaskStanding::Open }
}

/// The dependencies without duplicates.
fn once(needs: Vec<(String, SourceSpan)>) -> Vec<(String, SourceSpan)> {
    let mut seen = BTreeSet::new();
    needs.into_iter().filter(|(id, _)| seen.insert(id.clone())).collect()
}

/// Tasks and subtasks by id.
struct TaskMasterIds {
    tasks: BTreeMap<String, SubtaskIds>,
}

struct SubtaskIds {
    by_id: BTreeMap<String, usize>,
    /// The open subtasks, if the task is open.
    open: Vec<usize>,
    ids: Vec<String>,
}

impl TaskMasterIds {
    fn from_tasks(all: &[UnlinkedTask]) -> Self {
        let parts = |raw: &UnlinkedTask| {
            let is_open = raw.found.standing == TaskStanding::Open;
            let ids: Vec<String> = raw.subtasks.iter().map(|sub| sub.id.clone()).collect();
            SubtaskIds {
                by_id: ids.iter().cloned().zip(0..).collect(),
                open: (0..ids.len()).filter(|at| is_open && !raw.subtasks[*at].done).collect(),
                ids,
            }
        };
        Self {
            tasks: all.iter().map(|raw| (raw.found.task.draft.id.clone(), parts(raw))).collect(),
        }
    }

    fn open(&self, task: &str) -> &[usize] {
        self.tasks.get(task).map_or(&[], |parts| &parts.open)
    }

    /// The dependencies that these words name, for a task or for a subtask of `own`.
    fn needs(
        &self,
        document: &JsonDocument<'_>,
        words: &[LocatedWord],
        own: Option<&str>,
    ) -> Vec<(String, SourceSpan)> {
        let mut needs = Vec::new();
        for word in words {
            let span = document.span(&word.at);
            needs.extend(self.named(&word.text, own).into_iter().map(|id| (id, span.clone())));
        }
        once(needs)
    }

    fn named(&self, id: &str, own: Option<&str>) -> Vec<String> {
        // A bare number in a subtask means a sibling before it means a task.
        let local = own.and_then(|own| Some((own, *self.tasks.get(own)?.by_id.get(id)?)));
        let whole = || {
            let (task, part) = id.split_once('.')?;
            let (task, parts) = self.tasks.get_key_value(task)?;
            Some((task.as_str(), *parts.by_id.get(part)?))
        };
        if let Some((task, part)) = local.or_else(whole) {
            let parts = &self.tasks[task];
            // A done task does not block others.
            let left = parts.open.contains(&part).then(|| format!("{task}.{}", parts.ids[part]));
            return left.into_iter().collect();
        }
        match self.tasks.get(id) {
            // A subtask that needs its own task is ignored.
            Some(_) if own == Some(id) => Vec::new(),
            Some(parts) if !parts.open.is_empty() => {
                parts.open.iter().map(|at| format!("{id}.{}", parts.ids[*at])).collect()
            }
            _ => vec![id.to_owned()],
        }
    }
}
