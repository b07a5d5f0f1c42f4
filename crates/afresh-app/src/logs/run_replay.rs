//! A recorded run again, record by record (BE-03).

use afresh_core::Run;
use afresh_dashboard::{Dashboard, LiveFacts, RunHistory};
use afresh_engine::journal_records;
use afresh_engine::session::RecordedRun;
use afresh_store::JournalRecord;

use crate::error::AppError;

/// Going back starts from one of at most this many kept states.
const MAX_KEPT: usize = 32;
/// Fewer records are folded again faster than a state is copied.
const MIN_DISTANCE: usize = 256;

/// The states that a run went through.
#[derive(Debug)]
pub struct RunReplay {
    records: Vec<JournalRecord>,
    /// After how many records it stands.
    position: usize,
    now: ReplayState,
    kept: Vec<(usize, ReplayState)>,
}

#[derive(Debug, Clone, Default)]
struct ReplayState {
    run: Option<Run>,
    history: RunHistory,
}

/// One record, as it follows the records before it.
#[derive(Debug)]
pub struct ReplayStep<'a> {
    pub record: &'a JournalRecord,
    pub event: afresh_core::Event,
    /// The run after it.
    pub run: &'a Run,
}

impl RunReplay {
    pub fn new(found: &RecordedRun) -> Self {
        let (now, kept) = (ReplayState::default(), Vec::new());
        Self { records: found.records.clone(), position: 0, now, kept }
    }

    pub fn records(&self) -> &[JournalRecord] {
        &self.records
    }

    /// After how many records it stands.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The record that comes next.
    pub fn next_record(&self) -> Option<&JournalRecord> {
        self.records.get(self.position)
    }

    pub fn run(&self) -> Option<&Run> {
        self.now.run.as_ref()
    }

    pub fn history(&self) -> &RunHistory {
        &self.now.history
    }

    /// Applies the next record; none at the end.
    pub fn step(&mut self) -> Result<Option<ReplayStep<'_>>, AppError> {
        let Some(record) = self.records.get(self.position) else { return Ok(None) };
        let event = journal_records::to_event(record).map_err(AppError::journal)?;
        journal_records::start_or_apply(&mut self.now.run, record.seq, &event)
            .map_err(AppError::journal)?;
        self.position += 1;
        if let Some(run) = &self.now.run {
            self.now.history.record(record.wall_ms, &event, run);
        }
        self.keep();
        let record = &self.records[self.position - 1];
        let Some(run) = &self.now.run else {
            let message = format!("record {} starts no run", record.seq);
            return Err(AppError::incomplete("journal", message));
        };
        Ok(Some(ReplayStep { record, event, run }))
    }

    /// Goes to where this many records are applied, forward or back.
    pub fn go_to(&mut self, position: usize) -> Result<(), AppError> {
        let position = position.min(self.records.len());
        if position < self.position {
            let nearest = self.kept.iter().rev().find(|(at, _)| *at <= position);
            (self.position, self.now) = nearest.cloned().unwrap_or_default();
        }
        while self.position < position {
            self.step()?;
        }
        Ok(())
    }

    /// Goes to the last record whose number is at most this one.
    pub fn go_to_seq(&mut self, seq: u64) -> Result<(), AppError> {
        self.go_to(self.records.partition_point(|record| record.seq <= seq))
    }

    /// What people saw then; none before the first record.
    pub fn dashboard(&self) -> Option<Dashboard> {
        let run = self.now.run.as_ref()?;
        Some(Dashboard::new(run, &self.now.history, &self.facts()))
    }

    /// The moment of the last record that is applied.
    pub fn facts(&self) -> LiveFacts {
        let is_driven = self.position < self.records.len();
        LiveFacts { now_ms: self.now.history.last_ms(), is_driven, ..LiveFacts::default() }
    }

    fn keep(&mut self) {
        let distance = (self.records.len() / MAX_KEPT).max(MIN_DISTANCE);
        let is_new = self.kept.last().is_none_or(|(at, _)| *at < self.position);
        if self.position.is_multiple_of(distance) && is_new {
            self.kept.push((self.position, self.now.clone()));
        }
    }
}
