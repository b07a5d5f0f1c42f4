//! A recorded run as views see it: the run, its history and what its workers do, kept up to date from the journal.

use afresh_core::ids::RunId;
use afresh_dashboard::text::live::LiveOverview;
use afresh_dashboard::{Dashboard, LiveFacts, RunHistory};
use afresh_engine::session::RecordedRun;
use afresh_engine::{RepoContext, journal_records};

use super::journal_marks::JournalWatch;
use super::readers::AgentReaders;
use super::worker_actions::WorkerActions;
use crate::context::AppContext;
use crate::error::AppError;
use crate::session::runs::LastDriver;
use crate::session::runs::select;
use crate::text::time;

/// A run that this process watches, whoever drives it.
#[derive(Debug)]
pub struct WatchedRun {
    pub repository: RepoContext,
    pub found: RecordedRun,
    pub history: RunHistory,
    actions: WorkerActions,
    /// The process that had the lock when it was last looked up, and whether it drives this run.
    driver: Option<(u32, bool)>,
    journal_watch: JournalWatch,
}

impl WatchedRun {
    /// The named run, else the last one.
    pub fn open(context: &AppContext, named: Option<&str>) -> Result<Self, AppError> {
        let repository = context.repository()?;
        let found = select::find_run(&repository, named)?;
        let readers = AgentReaders::load(&found.run, context);
        Self::new(repository, found, readers)
    }

    pub fn new(
        repository: RepoContext,
        found: RecordedRun,
        readers: AgentReaders,
    ) -> Result<Self, AppError> {
        let journal_watch = JournalWatch::start(&repository.layout.state);
        let mut watched = Self {
            repository,
            found,
            history: RunHistory::default(),
            actions: WorkerActions::new(readers),
            driver: None,
            journal_watch,
        };
        watched.fold_from(0)?;
        Ok(watched)
    }

    pub fn id(&self) -> &RunId {
        self.found.run.id()
    }

    /// The sequence number of the last record.
    pub fn last_seq(&self) -> u64 {
        self.found.records.last().map_or(0, |record| record.seq)
    }

    /// Reads what was recorded since; returns whether there was anything new.
    pub fn catch_up(&mut self) -> Result<bool, AppError> {
        // Most of the time nothing has changed, and two calls of the file system show it.
        if !self.journal_watch.is_due(&self.repository.layout.state) {
            return Ok(false);
        }
        let known = self.found.records.len();
        if !self.found.catch_up(&self.repository)? {
            return Ok(false);
        }
        self.fold_from(known)?;
        Ok(true)
    }

    fn fold_from(&mut self, first: usize) -> Result<(), AppError> {
        for record in &self.found.records[first..] {
            let event = journal_records::to_event(record).map_err(AppError::journal)?;
            self.history.record(record.wall_ms, &event, &self.found.run);
        }
        Ok(())
    }

    /// Whether a process drives it now.
    pub fn is_driven(&mut self) -> Result<bool, AppError> {
        let Some(holder) = self.repository.holder()? else {
            self.driver = None;
            return Ok(false);
        };
        // Which run a process drives takes the whole journal to know, and it drives no other.
        match self.driver {
            Some((pid, is_ours)) if pid == holder.pid => Ok(is_ours),
            _ => {
                let driver = LastDriver::find(&self.repository)?;
                let is_ours = driver.holder_of(self.found.run.id()).is_some();
                self.driver = Some((holder.pid, is_ours));
                Ok(is_ours)
            }
        }
    }

    /// What is known now besides the journal.
    pub fn facts(&mut self) -> Result<LiveFacts, AppError> {
        let is_driven = self.is_driven()?;
        let actions = if is_driven {
            self.actions.poll(&self.repository.layout, &self.found.run).clone()
        } else {
            std::collections::BTreeMap::new()
        };
        Ok(LiveFacts { now_ms: time::now_ms(), is_driven, actions })
    }

    pub fn dashboard(&mut self) -> Result<Dashboard, AppError> {
        let facts = self.facts()?;
        Ok(Dashboard::new(&self.found.run, &self.history, &facts))
    }

    pub fn overview(&mut self) -> Result<LiveOverview, AppError> {
        let facts = self.facts()?;
        Ok(LiveOverview::new(&self.found.run, &self.history, &facts))
    }
}
