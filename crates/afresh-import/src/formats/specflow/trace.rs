//! What the groups of a spec serve: its requirements and acceptance criteria.

use crate::requirements::RequirementFamilies;
use crate::requirements::ledger::LedgerBuilder;

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    let files = ledger.sources.files();
    for file in &files {
        if files.len() > 1 {
            let name = file.rsplit('/').next().unwrap_or(file);
            ledger.prefix_ids(file, format!("{}/", name.strip_suffix(".md").unwrap_or(name)));
        }
        ledger.add_file(file, RequirementFamilies::Letters);
    }
    ledger.cite_mentions();
}
