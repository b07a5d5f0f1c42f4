//! What tasks are for: the behaviours of the capability map, and the criteria of each task.

use afresh_core::plan::{RequirementKind, RequirementScope};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::{get, list_words, word};

use crate::requirements::ledger::{LedgerBuilder, StatedRequirement};
use crate::requirements::objects::{parse_object, texts};
use crate::requirements::{SourceDocument, slug};

const FAMILY: &str = "behaviours";

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    let files = ledger.sources.files();
    let root = files.first().and_then(|file| Some(file[..file.rfind("tasks/")?].to_owned()));
    let map = format!("{}artifacts/capability-map.json", root.unwrap_or_default());
    if let Some(text) = ledger.text(&map) {
        add_map(ledger, &SourceDocument::new(&map, &text));
    }
    for file in files {
        let text = ledger.sources.text(&file);
        let document = SourceDocument::new(&file, &text);
        for task in ledger.sources.of_file(&file).to_vec() {
            add_task(ledger, &document, task);
        }
    }
}

fn items<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    match get(node, key).map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

fn add_map(ledger: &mut LedgerBuilder<'_>, document: &SourceDocument<'_>) {
    let Some(root) = parse_object(document.file, document.text, &(0..document.text.len())) else {
        return;
    };
    for capability in items(&root, "domains").iter().flat_map(|it| items(it, "capabilities")) {
        state(ledger, document, capability, None);
        let parent = get(capability, "id").and_then(word);
        for behaviour in items(capability, "behaviors") {
            state(ledger, document, behaviour, parent.as_deref());
        }
    }
    let later = get(&root, "phase_filtering");
    for phase in later.into_iter().flat_map(|node| items(node, "excluded_phases")) {
        let part = |key: &str| get(phase, key).and_then(word).unwrap_or_default();
        let (heading, summary) = (part("heading"), part("summary"));
        let title = if summary.is_empty() { heading.clone() } else { summary };
        let stated = StatedRequirement {
            id: format!("phase-{}/{}", part("phase"), slug(&heading)),
            kind: RequirementKind::Requirement,
            title: &title,
            whole: &title,
            at: phase.span.clone(),
            parent: None,
            scope: RequirementScope::Deferred,
            note: Some(format!("phase {} is not planned", part("phase"))),
            family: "excluded".to_owned(),
        };
        ledger.add(document, stated);
    }
}

/// A capability, or one of its behaviours.
fn state(
    ledger: &mut LedgerBuilder<'_>,
    document: &SourceDocument<'_>,
    node: &Node,
    parent: Option<&str>,
) {
    let part = |key: &str| get(node, key).and_then(word).unwrap_or_default();
    let (name, about) = (part("name"), part("description"));
    let title = if about.is_empty() { name } else { format!("{name}: {about}") };
    let stated = StatedRequirement {
        id: part("id"),
        kind: match parent {
            Some(_) => RequirementKind::Criterion,
            None => RequirementKind::Requirement,
        },
        title: &title,
        whole: &title,
        at: get(node, "id").unwrap_or(node).span.clone(),
        parent: parent.map(str::to_owned),
        scope: RequirementScope::Active,
        note: None,
        family: FAMILY.to_owned(),
    };
    ledger.add(document, stated);
}

fn add_task(ledger: &mut LedgerBuilder<'_>, document: &SourceDocument<'_>, task: usize) {
    let whole = 0..document.text.len();
    let Some(node) = parse_object(document.file, document.text, &whole) else { return };
    for word in get(&node, "behaviors").map(list_words).unwrap_or_default() {
        ledger.cite(task, &word.text, SourceSpan::new(document.file, word.at));
    }
    let id = ledger.sources.tasks[task].id.to_string();
    for (number, criterion) in texts(&node, "acceptance_criteria").iter().enumerate() {
        let own = format!("{id}/{}", number + 1);
        let stated = StatedRequirement::criterion(own, &criterion.text, criterion.at.clone());
        ledger.add_to_tasks(document, stated, &[task]);
    }
}
