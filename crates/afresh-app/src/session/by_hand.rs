//! Driving a run without agents, for one step that a person takes (ST-06).
//!
//! If a driver is running, it carries the step out. If none is, this process drives the run until nothing more happens
//! by itself: checks, reviews and merges run, and no agent starts a task.

use std::thread;
use std::time::Duration;

use afresh_core::ids::RunId;
use afresh_core::input::{Dispatch, RunOpening};
use afresh_core::run::DriveState;
use afresh_core::status::{RunState, run_state};
use afresh_engine::session::RecordedRun;
use afresh_engine::{Driver, ExecutionConfig, OpenError, RepoContext};
use afresh_store::LockError;

use super::control::{self, OpenReporters};
use super::runs::select;
use super::{RunOptions, Session};
use crate::config;
use crate::context::AppContext;
use crate::error::AppError;

const PAUSE: Duration = Duration::from_millis(50);
/// How often in a row another run may be found to be driven: other commands hold the lock for a moment only.
const MAX_POLLS_OF_OTHERS: u32 = 60;

/// A run that a person drives one step at a time.
pub struct StepDriver<'a> {
    context: &'a AppContext,
    repository: RepoContext,
    run: RunId,
    execution: ExecutionConfig,
    open_reporters: OpenReporters<'a>,
}

/// What is awaited, or how the run stands if that cannot come by itself.
#[derive(Debug)]
pub enum StepEnd<T> {
    Reached(T),
    Stuck(DriveState),
}

/// What a look at the run shows.
#[derive(Debug)]
pub enum Progress<T> {
    Reached(T),
    /// No driver has read the command yet.
    Unread,
    Underway,
}

impl<'a> StepDriver<'a> {
    /// Everything that can be wrong with the configuration is found before anything is touched.
    pub fn prepare(
        context: &'a AppContext,
        found: &RecordedRun,
        open_reporters: OpenReporters<'a>,
    ) -> Result<Self, AppError> {
        let repository = context.repository()?;
        control::refuse_other_driver(&repository, found.run.id())?;
        let config = config::load(&context.directory()?, context.config_file.as_deref())?;
        let options = RunOptions::default().or_flags(&found.run.settings().flags);
        let session = Session { context, options: &options };
        let file = select::pinned_plan(&found.run);
        let prepared = session.prepare_to_end(repository.clone(), file, config)?;
        let (run, execution) = (found.run.id().clone(), prepared.execution);
        Ok(Self { context, repository, run, execution, open_reporters })
    }

    pub fn repository(&self) -> &RepoContext {
        &self.repository
    }

    /// Waits for what `look` finds, and drives the run wherever no other process does.
    pub fn wait<T>(
        &self,
        found: &mut RecordedRun,
        mut look: impl FnMut(&RecordedRun) -> Result<Progress<T>, AppError>,
    ) -> Result<StepEnd<T>, AppError> {
        let mut polls_of_others = 0;
        loop {
            // Asked before reading: what a driver recorded before it ended is read afterwards.
            let holder = self.repository.holder()?;
            found.catch_up(&self.repository)?;
            let is_read = match look(found)? {
                Progress::Reached(reached) => return Ok(StepEnd::Reached(reached)),
                Progress::Unread => false,
                Progress::Underway => true,
            };
            let Some(holder) = holder else {
                let Some(ended) = self.drive()? else { continue };
                found.catch_up(&self.repository)?;
                return Ok(match look(found)? {
                    Progress::Reached(reached) => StepEnd::Reached(reached),
                    Progress::Unread | Progress::Underway => StepEnd::Stuck(ended),
                });
            };
            // A driver whose person is present waits for an answer, as long as that takes.
            let state = found.run.drive_state(found.last_at);
            if is_read && state == DriveState::Waiting {
                return Ok(StepEnd::Stuck(state));
            }
            let last = self.repository.find_run(|_| true)?;
            let is_ours = last.is_none_or(|last| *last.run.id() == self.run);
            polls_of_others = if is_ours { 0 } else { polls_of_others + 1 };
            if polls_of_others > MAX_POLLS_OF_OTHERS {
                return Err(LockError::Held(Some(holder)).into());
            }
            thread::sleep(PAUSE);
        }
    }

    /// Drives the run until nothing more happens by itself; none if another process drives it meanwhile.
    fn drive(&self) -> Result<Option<DriveState>, AppError> {
        let locked = match self.repository.lock(&self.context.lock_holder()) {
            Err(OpenError::Lock(LockError::Held(_))) => return Ok(None),
            locked => locked?,
        };
        let found = locked.find_run(|run| *run.id() == self.run)?.ok_or_else(control::no_run)?;
        let mut open = locked.open_run(found.run, found.last_at);
        open.keep_branch()?;
        open.check_branch_in_place()?;
        let reporters = (self.open_reporters)(&self.repository);
        let mut driver = Driver::local(open, self.execution.clone(), reporters)?;
        let opening = RunOpening { dispatch: Dispatch::ByHand, ..RunOpening::default() };
        let ended = driver.drive(opening)?;
        let run = driver.run().clone();
        match run_state(&run) {
            // Its hooks of the end run once, with its last step.
            state @ (RunState::Done | RunState::Failed) => {
                driver.host_mut().finish_hooks(&run, state.word());
            }
            _ => driver.host_mut().wait_for_question_hooks(),
        }
        Ok(Some(ended))
    }
}

impl std::fmt::Debug for StepDriver<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepDriver").field("run", &self.run).finish_non_exhaustive()
    }
}
