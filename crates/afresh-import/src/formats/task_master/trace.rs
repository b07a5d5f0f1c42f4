//! What tasks are for: their test strategy and criteria, and the ids of requirements documents that they
//! name.

use crate::requirements::ledger::{LedgerBuilder, StatedRequirement};
use crate::requirements::objects::{parse_object, texts};
use crate::requirements::{RequirementFamilies, SourceDocument};

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    for file in ledger.sources.files() {
        let text = ledger.sources.text(&file);
        let document = SourceDocument::new(&file, &text);
        for task in ledger.sources.of_file(&file).to_vec() {
            let at = ledger.sources.object_range(task);
            let Some(node) = parse_object(&file, &text, &at) else { continue };
            let id = ledger.sources.tasks[task].id.to_string();
            for (number, criterion) in texts(&node, "acceptanceCriteria").iter().enumerate() {
                let own = format!("{id}/{}", number + 1);
                let at = criterion.at.clone();
                let stated = StatedRequirement::criterion(own, &criterion.text, at);
                ledger.add_to_tasks(&document, stated, &[task]);
            }
            let strategy = texts(&node, "testStrategy");
            let whole: Vec<&str> = strategy.iter().map(|line| line.text.as_str()).collect();
            if let Some(first) = strategy.first() {
                let (own, whole) = (format!("{id}/test"), whole.join(" "));
                let stated = StatedRequirement::criterion(own, &whole, first.at.clone());
                ledger.add_to_tasks(&document, stated, &[task]);
            }
        }
        let root = file.strip_suffix("tasks/tasks.json").unwrap_or_default();
        let front = format!("{root}docs/");
        let documents: Vec<String> = ledger.folder.starting_with(&front).to_vec();
        for path in documents.iter().filter(|path| path.strip_suffix(".md").is_some()) {
            ledger.add_file(path, RequirementFamilies::Letters);
        }
    }
    ledger.cite_mentions();
}
