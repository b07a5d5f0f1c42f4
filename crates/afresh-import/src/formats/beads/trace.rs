//! What issues are for: their acceptance criteria.

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
            let id = ledger.sources.tasks[task].id.to_string();
            for (number, criterion) in texts(&node, "acceptance_criteria").iter().enumerate() {
                let own = format!("{id}/{}", number + 1);
                let at = criterion.at.clone();
                let stated = StatedRequirement::criterion(own, &criterion.text, at);
                ledger.add_to_tasks(&document, stated, &[task]);
            }
        }
    }
}
