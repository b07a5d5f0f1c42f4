//! Events as records of the journal, and back.

use afresh_core::ids::RunId;
use afresh_core::run::IllegalEvent;
use afresh_core::time::Timestamp;
use afresh_core::{Event, Run};
use afresh_store::{JournalRecord, NewRecord};

/// A record that this version cannot use.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("record {seq} of the journal cannot be read as an event: {source}")]
    Unreadable {
        seq: u64,
        #[source]
        source: serde_json::Error,
    },
    #[error("record {seq} of the journal cannot follow the records before it: {source}")]
    Illegal {
        seq: u64,
        #[source]
        source: IllegalEvent,
    },
}

pub(crate) fn to_record(
    run: &RunId,
    epoch: u32,
    at: Timestamp,
    wall_ms: i64,
    event: &Event,
) -> NewRecord {
    let body = serde_json::to_value(event).expect("events are plain data");
    let kind = body.get("type").and_then(serde_json::Value::as_str).unwrap_or("event").to_owned();
    NewRecord {
        run: run.to_string(),
        epoch: u64::from(epoch),
        at_ms: at.0,
        wall_ms,
        kind,
        body: body.to_string(),
    }
}

pub fn to_event(record: &JournalRecord) -> Result<Event, RecordError> {
    serde_json::from_str(&record.body)
        .map_err(|source| RecordError::Unreadable { seq: record.seq, source })
}

/// The run that the records add up to, and the time of the last one.
pub fn replay(records: &[JournalRecord]) -> Result<Option<(Run, Timestamp)>, RecordError> {
    let mut run = None;
    let mut last = Timestamp::default();
    for record in records {
        let event = to_event(record)?;
        last = last.max(Timestamp(record.at_ms));
        start_or_apply(&mut run, record.seq, &event)?;
    }
    Ok(run.map(|run| (run, last)))
}

/// Starts the run with its first event, and applies every later one.
pub fn start_or_apply(run: &mut Option<Run>, seq: u64, event: &Event) -> Result<(), RecordError> {
    match run {
        None => *run = Run::start(event),
        Some(run) => apply(run, seq, event)?,
    }
    Ok(())
}

/// Applies the event of one record.
pub(crate) fn apply(run: &mut Run, seq: u64, event: &Event) -> Result<(), RecordError> {
    run.apply(event).map_err(|source| RecordError::Illegal { seq, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(seq: u64, record: NewRecord) -> JournalRecord {
        let NewRecord { run, epoch, at_ms, wall_ms, kind, body } = record;
        JournalRecord { seq, run, epoch, at_ms, wall_ms, kind, body }
    }

    fn record(event: &Event) -> NewRecord {
        to_record(&RunId::new("r1").expect("an id"), 3, Timestamp(7), 9, event)
    }

    #[test]
    fn a_record_holds_the_event_its_kind_and_its_moments() {
        let record = record(&Event::Opened { epoch: 3 });
        assert_eq!((record.run.as_str(), record.epoch), ("r1", 3));
        assert_eq!((record.at_ms, record.wall_ms), (7, 9));
        assert_eq!(record.kind, "opened");
        assert_eq!(record.body, r#"{"epoch":3,"type":"opened"}"#);
    }

    #[test]
    fn a_record_reads_back_as_its_event() {
        let event =
            Event::Aborted { reason: "two\nlines and \"quotes\"".to_owned(), for_good: false };
        assert_eq!(to_event(&stored(1, record(&event))).expect("an event"), event);
    }

    /// A journal whose first record starts nothing is no run.
    #[test]
    fn records_without_a_start_are_no_run() {
        let records = [stored(1, record(&Event::HaltCleared))];
        assert!(replay(&records).expect("legal").is_none());
    }
}
