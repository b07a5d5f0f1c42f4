//! What the tasks of a feature serve: user stories, `FR-001` and `SC-001` of spec.md.

use afresh_formats::text::markdown::headings;

use crate::requirements::ledger::LedgerBuilder;
use crate::requirements::{RequirementFamilies, mentions};

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    for file in ledger.sources.files() {
        let directory = file.rfind('/').map_or("", |at| &file[..=at]);
        ledger.add_file(&format!("{directory}spec.md"), RequirementFamilies::Letters);
        cite_phases(ledger, &file);
    }
    ledger.cite_mentions();
}

/// Tasks below `## Phase 3: User Story 1` serve that story.
fn cite_phases(ledger: &mut LedgerBuilder<'_>, file: &str) {
    let text = ledger.sources.text(file);
    let all = headings(&text);
    for task in ledger.sources.of_file(file).to_vec() {
        let place = ledger.sources.tasks[task].place.clone();
        let above = all.partition_point(|heading| heading.at.start <= place.range.start);
        // A phase may have sections: tests, implementation.
        let phase = all[..above].iter().rev().find(|heading| heading.level <= 2);
        let Some(phase) = phase else { continue };
        let lower = phase.text.to_lowercase();
        let story = lower.split_once("user story ").map(|(_, rest)| rest);
        let number: String =
            story.unwrap_or_default().chars().take_while(char::is_ascii_digit).collect();
        let named = mentions(phase.text, 0).into_iter().map(|found| found.id);
        for id in named.chain((!number.is_empty()).then(|| format!("US{number}"))) {
            if ledger.knows(&id) {
                ledger.cite(task, &id, place.clone());
            }
        }
    }
}
