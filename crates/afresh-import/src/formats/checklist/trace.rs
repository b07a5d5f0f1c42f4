//! What the boxes of a checklist serve: requirements and criteria that the same file states.

use crate::requirements::RequirementFamilies;
use crate::requirements::ledger::LedgerBuilder;

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    for file in ledger.sources.files() {
        ledger.add_file(&file, RequirementFamilies::Letters);
    }
    ledger.add_task_criteria();
    ledger.cite_mentions();
}
