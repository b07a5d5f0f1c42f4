//! What a change is for: the requirements and scenarios of its delta specs.
//!
//! The format has no link from a task to a requirement: a task serves those that it, or the heading of its
//! group, names.

use std::ops::Range;

use afresh_core::plan::{RequirementKind, RequirementScope};
use afresh_formats::text::markdown::{Heading, headings};

use crate::requirements::ledger::{LedgerBuilder, StatedRequirement};
use crate::requirements::{SourceDocument, slug};

/// A name that a task may mention.
struct NamedRequirement {
    id: String,
    name: String,
}

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    let mut named = Vec::new();
    for file in ledger.sources.files() {
        let directory = file.rfind('/').map_or("", |at| &file[..=at]);
        let front = format!("{directory}specs/");
        let specs: Vec<String> = ledger.folder.starting_with(&front).to_vec();
        for path in specs.iter().filter(|path| path.strip_suffix(".md").is_some()) {
            let capability = path[front.len()..].trim_end_matches(".md").trim_end_matches("/spec");
            if let Some(text) = ledger.text(path) {
                let document = SourceDocument::new(path, &text);
                add_delta(ledger, &document, capability, &mut named);
            }
        }
        cite_names(ledger, &file, &named);
    }
}

fn add_delta(
    ledger: &mut LedgerBuilder<'_>,
    document: &SourceDocument<'_>,
    capability: &str,
    named: &mut Vec<NamedRequirement>,
) {
    let mut delta = String::new();
    let mut parent: Option<String> = None;
    for heading in headings(document.text) {
        let lower = heading.text.to_lowercase();
        if heading.level <= 2 {
            lower.split_whitespace().next().unwrap_or_default().clone_into(&mut delta);
            parent = None;
        }
        let (kind, name) = if let Some(name) = label(&heading, "Requirement:") {
            parent = None;
            (RequirementKind::Requirement, name)
        } else if let Some(name) = label(&heading, "Scenario:") {
            (RequirementKind::Criterion, name)
        } else {
            continue;
        };
        let id = match &parent {
            Some(parent) => format!("{parent}/{}", slug(name)),
            None => format!("{capability}/{}", slug(name)),
        };
        let note = (delta == "removed").then(|| "the change removes it".to_owned());
        named.push(NamedRequirement { id: id.clone(), name: name.to_lowercase() });
        let stated = StatedRequirement {
            id: id.clone(),
            kind,
            title: name,
            whole: &document.text[heading.at.start..heading.body.end],
            at: heading.at.clone(),
            parent: parent.clone(),
            scope: RequirementScope::Active,
            note,
            family: "delta".to_owned(),
        };
        ledger.add(document, stated);
        if kind == RequirementKind::Requirement {
            parent = Some(id);
        }
    }
}

fn label<'t>(heading: &Heading<'t>, label: &str) -> Option<&'t str> {
    let front = heading.text.get(..label.len())?;
    let name = heading.text[label.len()..].trim();
    (front.eq_ignore_ascii_case(label) && !name.is_empty()).then_some(name)
}

/// The most names that are searched for in tasks.
const MAX_NAMES: usize = 500;

fn cite_names(ledger: &mut LedgerBuilder<'_>, file: &str, named: &[NamedRequirement]) {
    let text = ledger.sources.text(file);
    let groups: Vec<(Range<usize>, String)> = headings(&text)
        .into_iter()
        .map(|heading| (heading.own.clone(), heading.text.to_lowercase()))
        .collect();
    for task in ledger.sources.of_file(file).to_vec() {
        let place = ledger.sources.tasks[task].place.clone();
        let own = text[ledger.sources.own_range(task)].to_lowercase();
        let group = groups.partition_point(|(own, _)| own.start <= place.range.start);
        let group = group.checked_sub(1).map_or("", |at| groups[at].1.as_str());
        for one in named.iter().take(MAX_NAMES) {
            let is_name = |text: &str| text.contains(&one.name) || text.contains(&one.id);
            if one.name.len() > 3 && (is_name(&own) || group.contains(&one.name)) {
                ledger.cite(task, &one.id, place.clone());
            }
        }
    }
}
