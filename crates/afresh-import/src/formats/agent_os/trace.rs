//! What task groups serve: spec.md, planning/requirements.md, and the criteria of each group.

use crate::requirements::RequirementFamilies;
use crate::requirements::ledger::LedgerBuilder;

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    for file in ledger.sources.files() {
        let directory = file.rfind('/').map_or("", |at| &file[..=at]);
        for name in ["spec.md", "planning/requirements.md"] {
            ledger.add_file(&format!("{directory}{name}"), RequirementFamilies::Letters);
        }
    }
    ledger.add_task_criteria();
    ledger.cite_mentions();
}
