//! Waiting until a run needs a person, has ended, or a time is over.
//!
//! Reads what is recorded, and nothing else: no lock is held, and no driver is asked.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use afresh_core::ids::RunId;
use afresh_core::status::{HaltStatus, QuestionStatus, RunStatus, TaskPhase, is_over};
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;
use serde::Serialize;

use super::runs::LastDriver;
use super::runs::select;
use crate::context::AppContext;
use crate::error::AppError;

const PAUSE: Duration = Duration::from_millis(200);

/// Which run to wait for, and until when.
pub struct RunWait<'a> {
    /// The run; by default, the last one.
    pub run: Option<&'a str>,
    pub until: Instant,
    /// Asked again and again; true ends the waiting.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

impl fmt::Debug for RunWait<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunWait").field("run", &self.run).finish_non_exhaustive()
    }
}

/// Why the waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitEnd {
    /// Questions are open.
    NeedsPerson,
    /// Finished, or ended for good.
    Ended,
    Halted,
    /// It has tasks left, and no process drives it.
    NotDriven,
    /// It works on.
    TimeOver,
    Cancelled,
}

/// How a run stands once the waiting has ended.
#[derive(Debug, Serialize)]
pub struct WaitReport {
    pub run: RunId,
    pub ended_by: WaitEnd,
    pub state: &'static str,
    /// Whether a process drives it.
    pub driven: bool,
    pub done: usize,
    pub active: usize,
    pub failed: usize,
    pub tasks: usize,
    pub questions: Vec<QuestionStatus>,
    pub halt: Option<HaltStatus>,
    /// What is wrong with the run as a whole.
    pub error: Option<String>,
}

impl RunWait<'_> {
    /// Returns at once if there is nothing to wait for.
    pub fn wait(&self, context: &AppContext) -> Result<WaitReport, AppError> {
        let repository = context.repository()?;
        let mut found = select::find_run(&repository, self.run)?;
        let mut watch = DriverWatch::default();
        loop {
            // Asked before reading: what the driver recorded before it ended is read afterwards.
            let driven = watch.is_driven(&repository, &found)?;
            found.catch_up(&repository)?;
            if let Some(end) = self.end(&found, driven) {
                return Ok(WaitReport::new(&found, driven, end));
            }
            thread::sleep(PAUSE);
        }
    }

    fn end(&self, found: &RecordedRun, driven: bool) -> Option<WaitEnd> {
        let run = &found.run;
        // The process still writes its last files after the last event.
        let is_quiet = !driven;
        match () {
            () if is_over(run) && is_quiet => Some(WaitEnd::Ended),
            () if !is_over(run) && run.questions().next().is_some() => Some(WaitEnd::NeedsPerson),
            () if run.halt().is_some() && is_quiet => Some(WaitEnd::Halted),
            () if is_quiet => Some(WaitEnd::NotDriven),
            () if (self.is_cancelled)() => Some(WaitEnd::Cancelled),
            () if Instant::now() >= self.until => Some(WaitEnd::TimeOver),
            () => None,
        }
    }
}

/// The process that holds the lock, and whether it drives the run that is waited for: which run a process drives never
/// changes, and finding that out reads the whole journal.
#[derive(Default)]
struct DriverWatch {
    known: Option<(u32, bool)>,
}

impl DriverWatch {
    fn is_driven(
        &mut self,
        repository: &RepoContext,
        found: &RecordedRun,
    ) -> Result<bool, AppError> {
        let Some(holder) = repository.holder()? else { return Ok(false) };
        if let Some((_, drives_it)) = self.known.filter(|(pid, _)| *pid == holder.pid) {
            return Ok(drives_it);
        }
        let drives_it = LastDriver::find(repository)?.holder_of(found.run.id()).is_some();
        self.known = Some((holder.pid, drives_it));
        Ok(drives_it)
    }
}

impl WaitReport {
    fn new(found: &RecordedRun, driven: bool, ended_by: WaitEnd) -> Self {
        let status = RunStatus::from_run(&found.run);
        let count = |wanted: &[TaskPhase]| {
            wanted.iter().filter_map(|phase| status.counts.get(phase)).sum::<usize>()
        };
        Self {
            run: found.run.id().clone(),
            ended_by,
            state: status.state.word(),
            driven,
            done: count(&[TaskPhase::Done]),
            active: count(&[TaskPhase::Running, TaskPhase::Checking, TaskPhase::Merging]),
            failed: count(&[TaskPhase::Failed]),
            tasks: status.tasks.len(),
            questions: status.questions,
            halt: status.halt,
            error: status.error,
        }
    }
}
