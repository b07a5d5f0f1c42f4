//! What tasks of GSD 2 serve: `.gsd/REQUIREMENTS.md` by owning slice, and the must-haves of slices and
//! tasks.

use std::collections::BTreeMap;

use afresh_core::plan::RequirementScope;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::{headings, lines_from};

use crate::requirements::document::labelled_criteria;
use crate::requirements::ledger::{LedgerBuilder, StatedRequirement};
use crate::requirements::{RequirementFamilies, SourceDocument, leading_id};

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    let files = ledger.sources.files();
    let root = files.iter().find_map(|file| Some(file[..file.find("milestones/")?].to_owned()));
    if let Some(root) = root {
        let file = format!("{root}REQUIREMENTS.md");
        ledger.add_file(&file, RequirementFamilies::Document);
        cite_owners(ledger, &file);
    }
    for file in files {
        add_must_haves(ledger, &file);
    }
    ledger.cite_mentions();
}

/// `- Primary owning slice: M001/S02`
fn cite_owners(ledger: &mut LedgerBuilder<'_>, file: &str) {
    let text = ledger.text(file).unwrap_or_default();
    let mut by_slice: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, task) in ledger.sources.tasks.iter().enumerate() {
        let parts: Vec<&str> = task.place.file.rsplit('/').collect();
        if let [_, slice, "slices", milestone, ..] = parts.as_slice() {
            by_slice.entry(format!("{milestone}/{slice}")).or_default().push(at);
        }
    }
    let mut put_off: BTreeMap<String, String> = BTreeMap::new();
    for heading in headings(&text) {
        let Some(end) = leading_id(heading.text) else { continue };
        let (mut owners, mut has_task) = (Vec::new(), false);
        for line in lines_from(&text[heading.own.clone()], heading.own.start) {
            if !line.text.to_lowercase().contains("slice") {
                continue;
            }
            for slice in line.text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '/')) {
                let span = SourceSpan::new(file, line.range());
                for task in by_slice.get(slice).into_iter().flatten() {
                    ledger.cite(*task, &heading.text[..end], span.clone());
                    has_task = true;
                }
                owners.extend(is_slice(slice).then(|| slice.to_owned()));
            }
        }
        if let Some(owner) = owners.first().filter(|_| !has_task) {
            put_off.insert(heading.text[..end].to_uppercase(), owner.clone());
        }
    }
    for requirement in ledger.entries_mut() {
        let owner = put_off.get(&requirement.id.as_str().to_uppercase());
        if let Some(owner) = owner.filter(|_| requirement.scope == RequirementScope::Active) {
            requirement.scope = RequirementScope::Deferred;
            requirement.note = Some(format!("{owner} is not part of this plan"));
        }
    }
}

/// `M001/S02`
fn is_slice(word: &str) -> bool {
    let part = |part: &str, letter: char| {
        let number = part.strip_prefix(letter).unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    word.split_once('/').is_some_and(|(milestone, slice)| part(milestone, 'M') && part(slice, 'S'))
}

/// Must-haves of a slice belong to all its tasks, those of a task's own plan to that task.
fn add_must_haves(ledger: &mut LedgerBuilder<'_>, file: &str) {
    let tasks = ledger.sources.of_file(file).to_vec();
    let name = file.rsplit('/').next().unwrap_or(file);
    let slice = name.split('-').next().unwrap_or(name);
    let text = ledger.sources.text(file);
    add_criteria(ledger, &SourceDocument::new(file, &text), slice, &tasks);
    let directory = file.rfind('/').map_or("", |at| &file[..=at]);
    for task in tasks {
        let place = ledger.sources.tasks[task].place.range.clone();
        let line = text.get(place).unwrap_or_default();
        let id: String = line.chars().take_while(char::is_ascii_alphanumeric).collect();
        let path = format!("{directory}tasks/{id}-PLAN.md");
        if let Some(own) = ledger.text(&path) {
            let name = ledger.sources.tasks[task].id.to_string();
            add_criteria(ledger, &SourceDocument::new(&path, &own), &name, &[task]);
        }
    }
}

fn add_criteria(
    ledger: &mut LedgerBuilder<'_>,
    document: &SourceDocument<'_>,
    name: &str,
    tasks: &[usize],
) {
    for (number, item) in
        labelled_criteria(document.text, 0..document.text.len()).iter().enumerate()
    {
        let id = format!("{name}/{}", number + 1);
        let stated = StatedRequirement::criterion(id, item.text.text, item.text.range());
        ledger.add_to_tasks(document, stated, tasks);
    }
}
