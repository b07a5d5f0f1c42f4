//! Every run of a repository, for people and scripts (HU-08).

use afresh_core::run::DriveState;
use afresh_core::status::RunStatus;
use afresh_core::time::Timestamp;
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::AppError;
use crate::text::time;

/// One run in the list of runs.
#[derive(Debug, JsonSchema, Serialize)]
pub struct RunEntry {
    pub run: String,
    pub state: &'static str,
    /// The file or directory that the plan was read from.
    pub plan: String,
    pub branch: String,
    pub started_at: String,
    pub cost_usd: Option<f64>,
    /// Merged tasks, and all of them.
    pub done: usize,
    pub tasks: usize,
    /// Whether the run is over: finished, or ended by `afresh abort`.
    pub ended: bool,
    /// Why it was ended, if it was.
    pub aborted: Option<String>,
    #[serde(skip)]
    pub age: Duration,
}

/// All runs, newest first.
pub fn list_runs(repository: &RepoContext) -> Result<Vec<RunEntry>, AppError> {
    let runs = repository.all_runs()?;
    Ok(runs.iter().rev().map(entry).collect())
}

fn entry(found: &RecordedRun) -> RunEntry {
    let (run, status) = (&found.run, RunStatus::from_run(&found.run));
    let started_ms = found.records.first().map_or(0, |record| record.wall_ms);
    RunEntry {
        run: run.id().to_string(),
        state: status.state.word(),
        plan: run.settings().source.clone(),
        branch: run.branch().to_owned(),
        started_at: time::format_utc(started_ms),
        cost_usd: status.usage.cost_usd,
        done: run.tasks().filter(|(_, state)| state.is_done()).count(),
        tasks: run.plan().len(),
        ended: matches!(run.drive_state(Timestamp::default()), DriveState::Finished { .. }),
        aborted: run.aborted().map(str::to_owned),
        age: since(started_ms),
    }
}

fn since(started_ms: i64) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let started = Duration::from_millis(u64::try_from(started_ms).unwrap_or_default());
    now.saturating_sub(started)
}
