//! What waits for a person, of every run of a repository (HU-06).

use afresh_core::status::is_over;
use afresh_dashboard::RunHistory;
use afresh_dashboard::data::needs_you::NeedsYou;
use afresh_engine::{RepoContext, journal_records};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::AppError;

/// One thing that waits, and the run that it belongs to.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct RunNeeds {
    pub run: String,
    /// The file or directory that the plan was read from.
    pub plan: String,
    pub item: NeedsYou,
}

/// Everything that waits, the newest run first; what blocks most comes first within a run.
pub fn list_needs(repository: &RepoContext) -> Result<Vec<RunNeeds>, AppError> {
    let mut needs = Vec::new();
    for found in repository.all_runs()?.iter().rev().filter(|found| !is_over(&found.run)) {
        let mut history = RunHistory::default();
        for record in &found.records {
            let event = journal_records::to_event(record).map_err(AppError::journal)?;
            history.record(record.wall_ms, &event, &found.run);
        }
        let run = &found.run;
        needs.extend(NeedsYou::list(run, &history).into_iter().map(|item| RunNeeds {
            run: run.id().to_string(),
            plan: run.settings().source.clone(),
            item,
        }));
    }
    Ok(needs)
}
