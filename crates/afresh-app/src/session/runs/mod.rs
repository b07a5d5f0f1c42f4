//! Every run of a repository, for people and scripts (HU-08).
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`glance`] | the state of the last run at a glance |
//! | [`repositories`] | the repositories in which the user has runs |
//! | [`select`] | the run that a command is about |

pub mod glance;
pub mod repositories;
pub mod select;

use afresh_core::Run;
use afresh_core::ids::RunId;
use afresh_core::run::DriveState;
use afresh_core::status::{RunState, RunStatus, is_over, run_state};
use afresh_core::time::Timestamp;
use afresh_engine::RepoContext;
use afresh_engine::reports::run_report::ReportContext;
use afresh_engine::session::RecordedRun;
use afresh_store::LockHolder;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::AppError;
use crate::notice::Notice;
use crate::text::time;

/// One run in the list of runs.
#[derive(Debug, JsonSchema, Serialize)]
pub struct RunEntry {
    pub run: String,
    /// The repository's directory.
    pub repository: String,
    pub state: &'static str,
    /// The file or directory that the plan was read from.
    pub plan: String,
    pub branch: String,
    pub started_at: String,
    pub cost_usd: Option<f64>,
    /// Tasks that are done, and all of them.
    pub done: usize,
    pub tasks: usize,
    /// Whether the run is over: finished, or ended by `afresh abort`.
    pub ended: bool,
    /// Why it was ended, if it was.
    pub aborted: Option<String>,
    /// It was running when its driver ended, and nothing drives it now.
    pub interrupted: bool,
    /// It is the run that was driven last, which commands without a name use.
    pub last: bool,
    /// The current branch, if it contains all of the run's work.
    pub landed_on: Option<String>,
    #[serde(skip)]
    pub age: Duration,
    /// The process that drives it now.
    #[serde(skip)]
    pub driver_pid: Option<u32>,
}

/// All runs, newest first.
pub fn list_runs(repository: &RepoContext) -> Result<Vec<RunEntry>, AppError> {
    let runs = repository.all_runs()?;
    let driver = LastDriver::find(repository)?;
    Ok(runs.iter().rev().map(|found| entry(found, &driver, repository)).collect())
}

/// The current branch, if it contains all of the run's work; none for a run that changed nothing.
pub fn find_landing(repository: &RepoContext, run: &Run) -> Option<String> {
    if run.tip() == run.base() {
        return None;
    }
    repository.git.branch_with(run.tip()).ok().flatten()
}

/// What a report needs besides the journal.
pub fn report_context(repository: &RepoContext, run: &Run) -> Result<ReportContext, AppError> {
    let driver = LastDriver::find(repository)?;
    Ok(ReportContext {
        is_driven: driver.holder_of(run.id()).is_some(),
        is_last: driver.run.as_ref() == Some(run.id()),
        landed_on: find_landing(repository, run),
        moment: time::format_utc,
    })
}

/// The run that was driven last, and the process that drives it now.
///
/// The lock is that of the repository, so its holder drives this run and no other.
#[derive(Debug)]
pub struct LastDriver {
    run: Option<RunId>,
    holder: Option<LockHolder>,
}

impl LastDriver {
    pub fn find(repository: &RepoContext) -> Result<Self, AppError> {
        let run = repository.find_run(|_| true)?.map(|found| found.run.id().clone());
        Ok(Self { run, holder: repository.holder().ok().flatten() })
    }

    /// The process that drives this run.
    pub fn holder_of(&self, run: &RunId) -> Option<&LockHolder> {
        self.holder.as_ref().filter(|_| self.run.as_ref() == Some(run))
    }

    /// Whether its driver ended while it was running.
    pub fn left(&self, run: &Run) -> bool {
        // A run of one task (`--task`) has reached its end, although other tasks are left.
        run.drive_state(Timestamp::default()) == DriveState::Busy
            && run_state(run) == RunState::Running
            && self.holder_of(run.id()).is_none()
    }
}

/// Runs that are neither finished nor ended, and how to continue or end each.
pub fn note_unfinished(repository: &RepoContext) -> Result<Option<Notice>, AppError> {
    const MAX_NAMES: usize = 3;
    let runs = repository.all_runs()?;
    let open: Vec<&str> = runs
        .iter()
        .rev()
        .filter(|found| !is_over(&found.run))
        .map(|found| found.run.id().as_str())
        .take(MAX_NAMES)
        .collect();
    let Some(newest) = open.first() else { return Ok(None) };
    let are = if open.len() == 1 { "is" } else { "are" };
    Ok(Some(Notice::note(format!(
        "{} {are} unfinished; `afresh resume {newest}` continues it later, `afresh abort {newest}` ends it",
        open.join(", ")
    ))))
}

fn entry(found: &RecordedRun, driver: &LastDriver, repository: &RepoContext) -> RunEntry {
    let (run, status) = (&found.run, RunStatus::from_run(&found.run));
    let started_ms = found.records.first().map_or(0, |record| record.wall_ms);
    RunEntry {
        run: run.id().to_string(),
        repository: repository.directory().display().to_string(),
        state: status.state.word(),
        plan: run.settings().source.clone(),
        branch: run.branch().to_owned(),
        started_at: time::format_utc(started_ms),
        cost_usd: status.usage.cost_usd,
        done: run.tasks().filter(|(_, state)| state.is_done()).count(),
        tasks: run.plan().len(),
        ended: is_over(run),
        aborted: run.aborted().map(str::to_owned),
        interrupted: driver.left(run),
        last: driver.run.as_ref() == Some(run.id()),
        landed_on: find_landing(repository, run),
        age: since(started_ms),
        driver_pid: driver.holder_of(run.id()).map(|holder| holder.pid),
    }
}

fn since(started_ms: i64) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let started = Duration::from_millis(u64::try_from(started_ms).unwrap_or_default());
    now.saturating_sub(started)
}
