//! `prd.json` of ralph loops: user stories with `passes` (FO-10).
//!
//! A story is a task. `passes` is the word of the agent that did it, never proof: such a story is not
//! done again, but reported, and its checks run at the end. Without stated dependencies the stories are a chain, by priority and then
//! in the order of the file.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `trace` | stories and their criteria as requirements |

mod trace;

use afresh_core::plan::{CheckDraft, PlanField};

use crate::box_lists::commands::find_checks;
use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::document::{JsonDocument, get};
use crate::draft::status::{self, ImportedTask, TaskStanding};
use crate::draft::unfinished::{PlanCandidate, choose_unfinished};
use crate::draft::{DraftPlan, IdRule};
use crate::plan_md::checks::command;
use crate::prose::{WorkerBrief, text_id, title};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan, only_text};
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::entries;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "prd", is_present, read, requirements: trace::add };

const EXPECTED: &str =
    "expected {\"userStories\": [{\"id\": \"US-001\", \"title\": \"…\", \"passes\": false}]}";

/// Keys of lists of stories.
const LISTS: &[&str] = &["userStories", "stories", "tasks", "features", "items"];

const FIELDS: &[&str] = &[
    "id",
    "title",
    "name",
    "description",
    "acceptanceCriteria",
    "acceptance_criteria",
    "steps",
    "priority",
    "passes",
    "notes",
    "dependsOn",
    "depends_on",
    "dependencies",
    "complexity",
    "category",
    "status",
    "estimatedComplexity",
];

fn is_present(folder: &dyn PlanFolder) -> bool {
    files(folder).next().is_some()
}

/// The files of stories. Other tools use the name too, so the text decides.
fn files(folder: &dyn PlanFolder) -> impl Iterator<Item = &String> {
    named_files(folder)
        .filter(|path| folder.text(path).is_some_and(|text| text.is_ok_and(|text| is_ours(&text))))
}

fn named_files(folder: &dyn PlanFolder) -> impl Iterator<Item = &String> {
    let named = |path: &&String| {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path.as_str()));
        let placed =
            matches!(directory, "" | "scripts/ralph" | ".ralph" | "ralph" | "tasks" | "plans");
        let dated = name.starts_with("prd-") && name.strip_suffix(".json").is_some();
        placed && (name == "prd.json" || dated)
    };
    folder.paths().iter().filter(named)
}

/// Stories say whether they pass.
pub(crate) fn is_ours(text: &str) -> bool {
    text.contains("\"passes\"") && (text.contains("\"title\"") || text.contains("\"description\""))
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let all: Vec<&str> = match options.named_file() {
        Some(file) => vec![file],
        None => files(folder).map(String::as_str).filter(|path| options.includes(path)).collect(),
    };
    // A file with the right name says what is wrong with it.
    let first = named_files(folder).next().map(String::as_str);
    let all = if all.is_empty() { first.into_iter().collect() } else { all };
    let candidates = all.into_iter().map(|file| {
        let reading = read_file(folder, file);
        PlanCandidate { path: file.to_owned(), reading }
    });
    choose_unfinished(folder, candidates.collect()).unwrap_or_else(|| {
        let finding = Finding::for_file(".", "empty-plan", "no stories here: nothing to do");
        PlanReading::failed(finding.with_hint(EXPECTED))
    })
}

fn read_file(folder: &dyn PlanFolder, file: &str) -> PlanReading {
    let text = match only_text(folder, file, EXPECTED) {
        Ok(text) => text,
        Err(failed) => return failed,
    };
    let mut drafted = DraftPlan { id_rule: IdRule::Keys, ..DraftPlan::default() };
    let mut document = JsonDocument::new(file, &text, EXPECTED);
    let mut stories: Vec<UserStory> = Vec::new();
    if let Some(root) = document.parse_value() {
        let named = ["project", "name", "title"].iter().find_map(|key| get(&root, key));
        let named = named.and_then(|node| document.word_of(node)).map(|word| word.text);
        drafted.name = named.unwrap_or_else(|| "prd".to_owned());
        let about = document.prose(&root, "description");
        let nodes = story_nodes(&mut document, &root);
        if let Some(finding) = too_many_tasks(file, nodes.len()) {
            return PlanReading::failed(finding);
        }
        if !nodes.is_empty() {
            document.take_fault();
        }
        for (at, node) in nodes.iter().enumerate() {
            stories.push(story(&mut document, node, &about, (file, at)));
        }
    }
    let found = in_order(stories);
    document.close(&mut drafted);
    report_claims(&mut drafted, &found);
    status::finish(folder, drafted, found, (file, EXPECTED))
}

/// The stories: in lists, in the lists of phases, or the file itself. Every object of a list is one,
/// if any of them says whether it passes.
fn story_nodes<'n>(document: &mut JsonDocument<'_>, root: &'n Node) -> Vec<&'n Node> {
    if let Value::List(items) = &root.value {
        return if items.iter().any(is_story) { document.objects_in(items) } else { Vec::new() };
    }
    let mut found = listed_stories(document, root);
    for phase in document.objects(root, "phases") {
        found.extend(listed_stories(document, phase));
    }
    // A list in which nothing passes says so itself.
    let is_list = |key: &&&str| matches!(get(root, key), Some(Node { value: Value::List(_), .. }));
    match LISTS.iter().find(is_list).filter(|_| found.is_empty()) {
        Some(key) => document.objects(root, key),
        None => found,
    }
}

/// The stories in all lists of an object.
fn listed_stories<'n>(document: &mut JsonDocument<'_>, node: &'n Node) -> Vec<&'n Node> {
    let mut found = Vec::new();
    for key in LISTS {
        if let Some(Node { value: Value::List(items), .. }) = get(node, key)
            && items.iter().any(is_story)
        {
            found.extend(document.objects(node, key));
        }
    }
    found
}

fn is_story(node: &Node) -> bool {
    entries(node).iter().any(|entry| entry.key == "passes")
}

/// A story whose order is not known yet.
struct UserStory {
    task: ImportedTask,
    priority: i64,
    /// Whether it states what it depends on.
    states_needs: bool,
}

fn story(
    document: &mut JsonDocument<'_>,
    node: &Node,
    about: &str,
    (file, at): (&str, usize),
) -> UserStory {
    let mut task = document.task(node, "title");
    if task.draft.title.is_empty() {
        let other = ["name", "description"].iter().map(|key| document.prose(node, key));
        task.draft.title =
            title(&other.into_iter().find(|text| !text.is_empty()).unwrap_or_default());
    }
    if get(node, "id").is_none() {
        let text = &text_for_id(&task.draft.title, at);
        task.draft.id = text_id(text);
    }
    document.keep_unknown(node, &format!("{}.", task.draft.id), FIELDS);
    let mut brief = WorkerBrief::for_one_of(1);
    brief.paragraph(&document.prose(node, "description"));
    let mut lines = Vec::new();
    for key in ["acceptanceCriteria", "acceptance_criteria", "steps"] {
        let Some(list) = get(node, key) else { continue };
        for (text, test, span) in criteria(document, list) {
            let given = test.and_then(|test| command::find(&test));
            for run in given.into_iter().chain(find_checks(&text)) {
                if task.draft.checks.iter().all(|known| known.command != run) {
                    task.note(None, PlanField::Checks, task.draft.checks.len(), span.clone());
                    let (name, command) = (Some(title(&text)), run);
                    let name = name.filter(|name| !name.is_empty());
                    task.draft.checks.push(CheckDraft { name, command, ..CheckDraft::default() });
                }
            }
            lines.push(text);
        }
    }
    brief.list("Acceptance criteria", lines.iter().map(String::as_str), file);
    brief.part("Notes", &document.prose(node, "notes"), file);
    brief.part("About the project", about, file);
    task.draft.instructions = brief.finish();
    let keys = ["dependsOn", "depends_on", "dependencies"];
    let states_needs = keys.iter().any(|key| get(node, key).is_some());
    let words = keys.iter().flat_map(|key| document.list_words(node, key)).collect::<Vec<_>>();
    let needs = words.into_iter().map(|word| (word.text, document.span(&word.at))).collect();
    let standing = standing(document, node);
    let priority = match get(node, "priority").map(|node| &node.value) {
        Some(Value::Integer(number)) => *number,
        Some(Value::Text(word)) => match word.to_lowercase().as_str() {
            "critical" => 0,
            "high" => 1,
            "medium" => 2,
            "low" => 3,
            _ => i64::MAX,
        },
        _ => i64::MAX,
    };
    task.fault = document.take_fault_of(&standing);
    UserStory { task: ImportedTask { task, needs, standing }, priority, states_needs }
}

/// Whether a story passes, by its own word.
fn standing(document: &mut JsonDocument<'_>, node: &Node) -> TaskStanding {
    let Some(passes) = get(node, "passes") else {
        // Other loops write a status.
        let status = get(node, "status").and_then(|status| document.word_of(status));
        let is_done = status.as_ref().is_some_and(|status| {
            ["done", "complete", "completed", "passed"].contains(&&*status.text.to_lowercase())
        });
        let how = status.map(|status| format!("{} in its file, which is not proof", status.text));
        return how.filter(|_| is_done).map_or(TaskStanding::Open, TaskStanding::Done);
    };
    let is_true = match &passes.value {
        Value::Bool(passes) => *passes,
        Value::Text(word) if word == "true" => true,
        Value::Text(word) if word == "false" => false,
        other => {
            let message = format!("expected true or false, found {}", other.describe());
            document.warn(&passes.span, "wrong-type", message, "the story counts as open");
            false
        }
    };
    if is_true {
        TaskStanding::Done("passes is true in its file, which is not proof".to_owned())
    } else {
        TaskStanding::Open
    }
}

/// The text that names a story without an id.
fn text_for_id(title: &str, at: usize) -> String {
    if title.is_empty() { format!("story {}", at + 1) } else { title.to_owned() }
}

/// The criteria: texts, or objects with a command.
fn criteria(
    document: &mut JsonDocument<'_>,
    list: &Node,
) -> Vec<(String, Option<String>, SourceSpan)> {
    let Value::List(items) = &list.value else {
        document.wrong(list, "a list");
        return Vec::new();
    };
    let mut found = Vec::new();
    for item in items {
        let span = document.span(&item.span);
        if matches!(item.value, Value::Table(_)) {
            let text =
                ["text", "criterion", "description"].iter().map(|key| document.prose(item, key));
            let text = text.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
            let test = ["testCommand", "test_command", "command"];
            let test = test.iter().find_map(|key| document.word(item, key)).map(|word| word.text);
            found.push((text, test, span));
        } else if let Some(word) = document.word_of(item) {
            found.push((word.text, None, span));
        }
    }
    found
}

/// The stories with their dependencies: as stated, or else a chain.
fn in_order(mut stories: Vec<UserStory>) -> Vec<ImportedTask> {
    if stories.iter().any(|story| story.states_needs) {
        return stories.into_iter().map(|story| story.task).collect();
    }
    stories.sort_by_key(|story| story.priority);
    let mut before: Option<(String, SourceSpan)> = None;
    let chained = stories.into_iter().map(|story| {
        let mut one = story.task;
        one.needs.extend(before.take());
        before = Some((one.task.draft.id.clone(), one.task.places.whole.clone()));
        one
    });
    chained.collect()
}

/// Reports stories that are done by their agent's word alone.
fn report_claims(drafted: &mut DraftPlan, found: &[ImportedTask]) {
    let claimed = found.iter().filter(|one| matches!(one.standing, TaskStanding::Done(_)));
    let claimed: Vec<&ImportedTask> = claimed.collect();
    let Some(first) = claimed.first() else { return };
    let named: Vec<&str> = claimed.iter().take(10).map(|one| one.task.draft.id.as_str()).collect();
    let more = if claimed.len() > named.len() { " and others" } else { "" };
    let message = format!(
        "done by the word of the agent that did it, not by proof: {}{more}",
        named.join(", ")
    );
    let span = first.task.places.whole.clone();
    let hint = "they are not done again, but their checks run at the end; write `\"passes\": false` to have one done";
    crate::box_lists::tasks::warn(drafted, &span, "unproven-done", message, hint);
}
