//! The activity of a run, read from the journal: level, source, event, message.

use afresh_core::ids::RunId;
use afresh_engine::journal_records;
use afresh_engine::reports::activity::{ActivityLine, lines};
use afresh_store::JournalRecord;
use serde_json::{Value, json};

use crate::error::AppError;
use crate::text::time;

/// Which entries are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActivityFilter {
    /// Without those that matter only for finding a bug in afresh.
    Usual,
    WithDebug,
}

/// One line of the activity log, and when it was recorded.
#[derive(Debug)]
pub struct ActivityEntry {
    pub seq: u64,
    pub wall_ms: i64,
    pub run: String,
    pub line: ActivityLine,
}

impl ActivityEntry {
    fn from_record(record: &JournalRecord) -> Result<Vec<Self>, AppError> {
        let event = journal_records::to_event(record).map_err(AppError::journal)?;
        let (seq, wall_ms, run) = (record.seq, record.wall_ms, &record.run);
        let entry = |line| Self { seq, wall_ms, run: run.clone(), line };
        Ok(lines(&event).into_iter().map(entry).collect())
    }

    pub fn to_json(&self) -> Value {
        let ActivityLine { level, who, event, message } = &self.line;
        json!({
            "seq": self.seq, "at": time::format_utc(self.wall_ms), "run": self.run,
            "level": level, "who": who, "event": event, "message": message,
        })
    }
}

/// The entries of a run.
pub fn entries(
    records: Vec<JournalRecord>,
    run: &RunId,
    filter: ActivityFilter,
) -> Result<Vec<ActivityEntry>, AppError> {
    let own = records.into_iter().filter(|record| record.run == run.as_str());
    let entries: Vec<Vec<ActivityEntry>> =
        own.map(|record| ActivityEntry::from_record(&record)).collect::<Result<_, _>>()?;
    let is_wanted =
        |entry: &ActivityEntry| filter == ActivityFilter::WithDebug || entry.line.level != "DEBUG";
    Ok(entries.into_iter().flatten().filter(is_wanted).collect())
}
