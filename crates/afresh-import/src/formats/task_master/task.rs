//! One task and its subtasks.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::plan::{PlanField, StepDraft};

use crate::draft::document::JsonDocument;
use crate::draft::status::{ImportedTask, TaskStanding};
use crate::prose::WorkerBrief;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::node::Node;
use afresh_formats::text::yaml::values::LocatedWord;

const FIELDS: &[&str] = &[
    "id",
    "title",
    "description",
    "status",
    "dependencies",
    "priority",
    "details",
    "testStrategy",
    "subtasks",
    "acceptanceCriteria",
    "metadata",
    "previousStatus",
    "complexity",
    "recommendedSubtasks",
    "expansionPrompt",
    "complexityReasoning",
    "createdAt",
    "updatedAt",
    "parentTaskId",
    "parentId",
    "assignee",
    "effort",
    "tags",
    "relevantFiles",
];

/// A task whose dependencies are not resolved yet.
pub(super) struct UnlinkedTask {
    pub(super) found: ImportedTask,
    pub(super) needs: Vec<LocatedWord>,
    /// Dependencies of its subtasks, on siblings or other tasks.
    pub(super) inner: Vec<(usize, LocatedWord)>,
    pub(super) subtasks: Vec<Subtask>,
}

pub(super) struct Subtask {
    pub(super) id: String,
    pub(super) done: bool,
    pub(super) step: StepDraft,
    pub(super) span: SourceSpan,
}

pub(super) fn read(document: &mut JsonDocument<'_>, node: &Node) -> UnlinkedTask {
    let mut task = document.task(node, "title");
    document.keep_unknown(node, &format!("{}.", task.draft.id), FIELDS);
    let standing = standing(document, node);
    let needs = document.list_words(node, "dependencies");
    let (mut subtasks, mut inner) = (Vec::new(), Vec::new());
    for (at, sub) in document.objects(node, "subtasks").into_iter().enumerate() {
        inner.extend(document.list_words(sub, "dependencies").into_iter().map(|word| (at, word)));
        subtasks.push(subtask(document, sub, at, &task.draft.id));
    }
    task.draft.instructions = brief(document, node, &subtasks);
    UnlinkedTask {
        found: ImportedTask { task, needs: Vec::new(), standing },
        needs,
        inner,
        subtasks,
    }
}

fn standing(document: &mut JsonDocument<'_>, node: &Node) -> TaskStanding {
    let Some(status) = document.word(node, "status") else { return TaskStanding::Open };
    match status.text.as_str() {
        "done" | "completed" => TaskStanding::Done(format!("{} in tasks.json", status.text)),
        "cancelled" | "canceled" => TaskStanding::Cancelled,
        "deferred" => TaskStanding::Deferred,
        "pending" | "in-progress" | "review" | "blocked" | "todo" => TaskStanding::Open,
        _ => {
            let known =
                ["pending", "in-progress", "review", "done", "deferred", "cancelled", "blocked"];
            document.unknown_status(&status, "pending", &known);
            TaskStanding::Open
        }
    }
}

fn subtask(document: &mut JsonDocument<'_>, node: &Node, at: usize, task: &str) -> Subtask {
    let id = document.word(node, "id").map_or_else(|| (at + 1).to_string(), |word| word.text);
    document.keep_unknown(node, &format!("{task}.{id}."), FIELDS);
    let brief = described(document, node);
    let name = document.word(node, "title").map_or_else(|| id.clone(), |word| word.text);
    Subtask {
        // `1.2` and `2` both mean the second subtask of task 1.
        id: id.strip_prefix(&format!("{task}.")).unwrap_or(&id).to_owned(),
        // A cancelled subtask counts as done.
        done: !matches!(standing(document, node), TaskStanding::Open | TaskStanding::Deferred),
        step: StepDraft { name, instructions: brief.finish(), ..StepDraft::default() },
        span: document.span(&node.span),
    }
}

/// What a task or a subtask says about itself.
fn described(document: &mut JsonDocument<'_>, node: &Node) -> WorkerBrief {
    let mut brief = WorkerBrief::for_one_of(1);
    brief
        .paragraph(&document.prose(node, "description"))
        .paragraph(&document.prose(node, "details"));
    for (key, heading) in
        [("acceptanceCriteria", "Acceptance criteria"), ("testStrategy", "Test strategy")]
    {
        brief.part(heading, &document.prose(node, key), "tasks.json");
    }
    brief
}

fn brief(document: &mut JsonDocument<'_>, node: &Node, subtasks: &[Subtask]) -> String {
    let mut brief = described(document, node);
    let done = subtasks.iter().filter(|sub| sub.done).map(|sub| sub.step.name.as_str());
    brief.list("Done before", done, "tasks.json");
    brief.finish()
}

/// The subtasks of a task by their ids.
type SubtaskIndex = BTreeMap<String, usize>;

/// Resolves the dependencies, now that all tasks are known.
pub(super) fn resolve(document: &mut JsonDocument<'_>, all: &mut [UnlinkedTask]) {
    let tasks: BTreeMap<String, SubtaskIndex> = all
        .iter()
        .map(|raw| {
            let ids = raw.subtasks.iter().enumerate().map(|(at, sub)| (sub.id.clone(), at));
            (raw.found.task.draft.id.clone(), ids.collect())
        })
        .collect();
    let none = SubtaskIndex::new();
    for raw in all {
        let own = raw.found.task.draft.id.clone();
        let parts = tasks.get(&own).unwrap_or(&none);
        let mut order: Vec<Vec<usize>> = vec![Vec::new(); raw.subtasks.len()];
        let mut outer = std::mem::take(&mut raw.needs);
        for (at, word) in std::mem::take(&mut raw.inner) {
            let local = word.text.strip_prefix(&format!("{own}.")).unwrap_or(&word.text);
            match parts.get(local) {
                Some(part) => order[at].push(*part),
                None if word.text == own => {}
                None => outer.push(word),
            }
        }
        let mut named = BTreeSet::new();
        for word in outer {
            let task = task_of(&word.text, &tasks);
            // A task that needs itself is a mistake, which the plan reports; one that needs its own
            // subtask is not.
            if (task != own || word.text == own) && named.insert(task.clone()) {
                raw.found.needs.push((task, document.span(&word.at)));
            }
        }
        steps(document, raw, &order);
    }
}

/// The task that an id names: `3`, or `3.2` for a subtask of it.
fn task_of(id: &str, tasks: &BTreeMap<String, SubtaskIndex>) -> String {
    let of_part = id.split_once('.').filter(|(task, part)| {
        !tasks.contains_key(id) && tasks.get(*task).is_some_and(|parts| parts.contains_key(*part))
    });
    of_part.map_or(id, |(task, _)| task).to_owned()
}

/// The open subtasks, each after its dependencies.
fn steps(document: &mut JsonDocument<'_>, raw: &mut UnlinkedTask, order: &[Vec<usize>]) {
    let (placed, circle) = in_order(order);
    if let Some(first) = circle.first() {
        let at = raw.subtasks[*first].span.range.clone();
        let message = "these subtasks depend on each other in a cycle".to_owned();
        let hint = "they are done in the order of the file";
        document.warn(&at, "subtasks-in-a-circle", message, hint);
    }
    for at in placed.into_iter().chain(circle).filter(|at| !raw.subtasks[*at].done) {
        let sub = &raw.subtasks[at];
        let task = &mut raw.found.task;
        task.note(Some(task.draft.steps.len()), PlanField::Title, 0, sub.span.clone());
        task.draft.steps.push(sub.step.clone());
    }
}

/// A stable order in which each index follows its dependencies, and the indexes in a cycle.
fn in_order(needs: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    let mut unmet: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    for (at, needed) in needs.iter().enumerate() {
        for need in needed {
            dependents[*need].push(at);
        }
    }
    let mut free: BTreeSet<usize> = (0..needs.len()).filter(|at| unmet[*at] == 0).collect();
    let mut placed = Vec::with_capacity(needs.len());
    while let Some(at) = free.pop_first() {
        placed.push(at);
        for dependent in &dependents[at] {
            unmet[*dependent] -= 1;
            if unmet[*dependent] == 0 {
                free.insert(*dependent);
            }
        }
    }
    let circle = (0..needs.len()).filter(|at| unmet[*at] > 0).collect();
    (placed, circle)
}
