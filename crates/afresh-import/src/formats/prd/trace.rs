//! What stories are for: each is a requirement, with its acceptance criteria.

use afresh_core::plan::{RequirementKind, RequirementScope};

use crate::requirements::SourceDocument;
use crate::requirements::ledger::{LedgerBuilder, StatedRequirement};
use crate::requirements::objects::{parse_object, texts};

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    for file in ledger.sources.files() {
        let text = ledger.sources.text(&file);
        let document = SourceDocument::new(&file, &text);
        for task in ledger.sources.of_file(&file).to_vec() {
            let at = ledger.sources.object_range(task);
            let Some(node) = parse_object(&file, &text, &at) else { continue };
            let (id, title) = {
                let task = &ledger.sources.tasks[task];
                (task.id.to_string(), task.title.clone())
            };
            let story = StatedRequirement {
                id: id.clone(),
                kind: RequirementKind::Requirement,
                title: &title,
                whole: &title,
                at: at.clone(),
                parent: None,
                scope: RequirementScope::Active,
                note: None,
                family: id.clone(),
            };
            ledger.add_to_tasks(&document, story, &[task]);
            let keys = ["acceptanceCriteria", "acceptance_criteria", "steps"];
            let criteria = keys.iter().flat_map(|key| texts(&node, key));
            for (number, criterion) in criteria.enumerate() {
                let own = format!("{id}.{}", number + 1);
                let stated = StatedRequirement::criterion(own, &criterion.text, criterion.at);
                let stated = StatedRequirement { parent: Some(id.clone()), ..stated };
                ledger.add_to_tasks(&document, stated, &[task]);
            }
        }
    }
}
