//! References of a plan that resolve to nothing, counted for its score (PL-22).

use std::collections::BTreeSet;

use afresh_core::estimate::DEFAULT_WINDOW;
use afresh_core::run::settings::ContextLimits;
use afresh_formats::lint;
use afresh_planner::discovery::RepositoryFiles;
use afresh_planner::ledger::Ledger;
use afresh_planner::review::{PlanSubject, ground_plan};

use crate::context::AppContext;
use crate::plan_source::FoundPlan;
use crate::planning::checkout::CheckoutFiles;

/// The finding of a file that a task changes and that does not exist.
const MISSING_FILE: &str = "missing-file";

/// Files and references that the repository does not have and that no task creates; none outside of a repository, and
/// for plans that are too large to resolve everything.
pub fn count_ungrounded(found: &FoundPlan, context: &AppContext) -> Option<usize> {
    let root = found.path.ancestors().find(|place| place.join(".git").exists())?;
    let files = CheckoutFiles::list(Some(&context.git().ok()?), root);
    let grounding = ground_plan(PlanSubject {
        reading: &found.reading,
        folder: found.folder.as_ref(),
        ledger: &Ledger { version: 1, statements: Vec::new() },
        repository: &files,
        window: DEFAULT_WINDOW,
        soft: ContextLimits::default().soft,
    })?;
    let listed: BTreeSet<String> = files.files().iter().map(|file| file.path.clone()).collect();
    let findings =
        lint::all_findings(found.folder.as_ref(), found.format, &found.reading, Some(&listed));
    let missing = findings.iter().filter(|finding| finding.code == MISSING_FILE).count();
    Some(missing + grounding.missing)
}
