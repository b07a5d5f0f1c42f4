//! One task file.

use afresh_core::plan::{CheckDraft, FileAction, FileDraft, PlanField, TaskDraft};

use super::HINT;
use super::coverage::TaskCoverage;
use super::maps::TaskerMaps;
use super::spec::TaskerSpec;
use super::state::TaskerState;
use crate::draft::document::{JsonDocument, get};
use crate::draft::status::ImportedTask;
use crate::draft::{DraftPlan, DraftTask};
use crate::plan_md::checks::command;
use crate::prose::{WorkerBrief, vague};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::TextLine;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::LocatedWord;

const FIELDS: &[&str] = &[
    "id",
    "name",
    "phase",
    "task_type",
    "context",
    "refactor_context",
    "behaviors",
    "files",
    "dependencies",
    "acceptance_criteria",
    "estimate_hours",
    "state_machine",
];

/// The data that all tasks share.
pub(super) struct TaskerContext<'a> {
    pub(super) maps: &'a TaskerMaps,
    pub(super) state: &'a TaskerState,
    pub(super) constraints: &'a str,
    pub(super) spec: &'a TaskerSpec,
    pub(super) root: &'a str,
    pub(super) count: usize,
}

pub(super) fn read(
    file: &str,
    text: &str,
    shared: &TaskerContext<'_>,
    drafted: &mut DraftPlan,
) -> (ImportedTask, Option<TaskCoverage>) {
    let mut document = JsonDocument::new(file, text, HINT);
    let found = document.parse().map(|root| task(&mut document, &root, file, shared));
    let (one, about) = if let Some((mut one, about)) = found {
        one.task.fault = document.take_fault_of(&one.standing);
        (one, Some(about))
    } else {
        let standing = shared.state.standing(name_of(file));
        let why = document.take_fault_of(&standing).unwrap_or_default();
        (unreadable(file, &why, shared), None)
    };
    document.close(drafted);
    (one, about)
}

/// A task whose file cannot be read: its id is the file's name.
pub(super) fn unreadable(file: &str, why: &str, shared: &TaskerContext<'_>) -> ImportedTask {
    let id = name_of(file);
    let draft = TaskDraft { id: id.to_owned(), title: id.to_owned(), ..TaskDraft::default() };
    let mut task = DraftTask::new(draft, SourceSpan::new(file, 0..0));
    task.fault = Some(why.to_owned());
    ImportedTask { task, needs: shared.state.needs(id), standing: shared.state.standing(id) }
}

/// `T001` of `tasks/T001.json`.
fn name_of(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.strip_suffix(".json").unwrap_or(name)
}

fn task(
    document: &mut JsonDocument<'_>,
    root: &Node,
    file: &str,
    shared: &TaskerContext<'_>,
) -> (ImportedTask, TaskCoverage) {
    let mut task = DraftTask::new(TaskDraft::default(), document.span(&root.span));
    if let Some(id) = document.word(root, "id") {
        task.note(None, PlanField::Id, 0, document.span(&id.at));
        if !file.ends_with(&format!("/{}.json", id.text)) {
            let shown: String = id.text.chars().take(80).collect();
            let message = format!("the file name does not match the id {shown:?}");
            document.warn(&id.at, "id-unlike-file", message, "the id is used");
        }
        task.draft.id = id.text;
    }
    if let Some(name) = document.word(root, "name") {
        task.note(None, PlanField::Title, 0, document.span(&name.at));
        task.draft.title = name.text;
    }
    document.keep_unknown(root, "", FIELDS);
    files(document, root, &mut task);
    let criteria = criteria(document, root, &mut task);
    task.draft.instructions = brief(document, root, &criteria, shared);
    let needs = needs(document, root).unwrap_or_else(|| shared.state.needs(&task.draft.id));
    let standing = shared.state.standing(&task.draft.id);
    let about = about(document, root, &task, shared.state);
    (ImportedTask { task, needs, standing }, about)
}

fn about(
    document: &mut JsonDocument<'_>,
    root: &Node,
    task: &DraftTask,
    state: &TaskerState,
) -> TaskCoverage {
    let whole = task.places.whole.clone();
    let behaviours = document.list_words(root, "behaviors").into_iter();
    let behaviours = behaviours.map(|word| (word.text, document.span(&word.at))).collect();
    let own = document.word(root, "phase");
    let own = own.and_then(|word| Some((word.text.parse().ok()?, document.span(&word.at))));
    let phase = own.or_else(|| Some((state.phase(&task.draft.id)?, whole)));
    let steel = document.object(root, "context").and_then(|context| get(context, "steel_thread"));
    let steel = steel.filter(|node| node.value == Value::Bool(true));
    TaskCoverage { behaviours, phase, steel: steel.map(|node| document.span(&node.span)) }
}

fn files(document: &mut JsonDocument<'_>, root: &Node, task: &mut DraftTask) {
    for node in document.objects(root, "files") {
        let Some(path) = document.word(node, "path") else { continue };
        let action = document.word(node, "action");
        let action = match action.as_ref().map(|word| word.text.as_str()) {
            Some("create") => Some(FileAction::Create),
            Some("modify" | "extend") => Some(FileAction::Modify),
            Some("delete") => Some(FileAction::Delete),
            _ => None,
        };
        task.note(None, PlanField::Files, task.draft.files.len(), document.span(&path.at));
        task.draft.files.push(FileDraft { path: path.text, action });
    }
}

/// The criteria as text; those with a command become checks too.
fn criteria(document: &mut JsonDocument<'_>, root: &Node, task: &mut DraftTask) -> Vec<String> {
    let mut lines = Vec::new();
    for node in document.objects(root, "acceptance_criteria") {
        let criterion = document.prose(node, "criterion");
        if let Some(place) = get(node, "criterion").map(|node| node.span.clone())
            && let Some(words) = vague(&TextLine { text: &criterion, start: 0 })
        {
            let message = format!("{:?} is too vague to verify", words.text);
            let hint = "name a value, a status, a file or a time";
            document.note(&place, "vague-criterion", message, hint);
        }
        let Some(verification) = document.word(node, "verification") else {
            lines.push(criterion);
            continue;
        };
        let Some(command) = command::find(&verification.text) else {
            lines.push(format!("{criterion} ({})", verification.text));
            let message = "the verification is prose, not a command".to_owned();
            let hint = "the worker reads it; it is not run";
            document.warn(&verification.at, "checks-are-prose", message, hint);
            continue;
        };
        lines.push(format!("{criterion} (`{command}`)"));
        let (item, span) = (task.draft.checks.len(), document.span(&verification.at));
        task.note(None, PlanField::Checks, item, span);
        let name = Some(criterion).filter(|name| !name.is_empty());
        task.draft.checks.push(CheckDraft { name, command, ..CheckDraft::default() });
    }
    lines
}

/// The dependencies, if the file lists them.
fn needs(document: &mut JsonDocument<'_>, root: &Node) -> Option<Vec<(String, SourceSpan)>> {
    let node = get(root, "dependencies")?;
    let words: Vec<LocatedWord> = match &node.value {
        Value::Table(_) => document.list_words(node, "tasks"),
        _ => document.list_words(root, "dependencies"),
    };
    Some(words.into_iter().map(|word| (word.text, document.span(&word.at))).collect())
}

fn brief(
    document: &mut JsonDocument<'_>,
    root: &Node,
    criteria: &[String],
    shared: &TaskerContext<'_>,
) -> String {
    let mut brief = WorkerBrief::for_one_of(shared.count);
    if let Some(phase) = document.word(root, "phase") {
        brief.paragraph(&phase_line(&phase.text));
    }
    let (maps, own) = (shared.maps, "the task's file");
    let in_root = |name: &str| format!("{}{name}", shared.root);
    let ids: Vec<String> =
        document.list_words(root, "behaviors").into_iter().map(|w| w.text).collect();
    let behaviours: Vec<String> = ids.iter().map(|id| maps.behaviour(id)).collect();
    let lines = behaviours.iter().map(String::as_str);
    brief.list("Behaviours", lines, &in_root("artifacts/capability-map.json"));
    let purposes = ids.iter().flat_map(|id| maps.purposes(id)).map(String::as_str);
    brief.list("What the files are for", purposes, &in_root("artifacts/physical-map.json"));
    let mut refers = false;
    if let Some(context) = document.object(root, "context") {
        for (key, heading) in [("domain", "Domain"), ("capability", "Capability")] {
            brief.part(heading, &document.prose(context, key), own);
        }
        let quoted = spec_ref(document, context);
        let part = shared.spec.lines_around(&quoted);
        let quoted = part.unwrap_or(quoted);
        brief.part("From the specification", &quoted, &in_root("inputs/spec.md"));
        refers = !quoted.is_empty();
        brief.part("Requirements", &document.prose(context, "spec_requirements"), own);
    }
    for (part, key, heading) in [
        ("refactor_context", "refactor_directive", "Refactoring"),
        ("refactor_context", "design_changes", "Design changes"),
        ("state_machine", "transitions_covered", "State machine transitions"),
        ("state_machine", "guards_enforced", "Guards"),
        ("state_machine", "states_reached", "States"),
    ] {
        if let Some(node) = document.object(root, part) {
            brief.part(heading, &document.prose(node, key), own);
        }
    }
    brief.list("Acceptance criteria", criteria.iter().map(String::as_str), own);
    if let Some(node) = get(root, "dependencies")
        && matches!(node.value, Value::Table(_))
    {
        brief.part("External dependencies", &document.prose(node, "external"), own);
    }
    brief.part("Constraints", shared.constraints, &in_root("inputs/constraints.md"));
    // A task without a reference gets the whole spec (PR-01).
    if !refers {
        brief.part("Specification", shared.spec.text(), &in_root("inputs/spec.md"));
    }
    brief.finish()
}

/// The phase in words: the first two mean the same in every Tasker plan.
fn phase_line(number: &str) -> String {
    match number {
        "1" => "Phase: 1, foundations".to_owned(),
        "2" => "Phase: 2, steel thread".to_owned(),
        other => format!("Phase: {other}, features"),
    }
}

/// A text, a quote with its place, or the reference of a refactoring.
fn spec_ref(document: &mut JsonDocument<'_>, context: &Node) -> String {
    let Some(node) = get(context, "spec_ref") else { return String::new() };
    if !matches!(node.value, Value::Table(_)) {
        return document.prose(context, "spec_ref");
    }
    let quote = document.prose(node, "quote");
    let text = if quote.is_empty() { document.prose(node, "refactor_ref") } else { quote };
    let place = document.prose(node, "location");
    if place.is_empty() { text } else { format!("{text}\n({place})") }
}
