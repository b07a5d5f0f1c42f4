//! `run --json`: every event of the journal, one per line.

use afresh_engine::{RecordedEvent, Reporter};
use serde_json::Value;

use crate::terminal::output::Output;
use afresh_app::text::time;

#[derive(Debug)]
pub(crate) struct JsonEventReporter {
    pub(crate) output: Output,
}

impl Reporter for JsonEventReporter {
    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        let mut line = serde_json::to_value(seen.event).unwrap_or_default();
        if let Value::Object(fields) = &mut line {
            fields.insert("seq".to_owned(), seen.seq.into());
            fields.insert("at".to_owned(), time::format_utc(seen.wall_ms).into());
            fields.insert("run".to_owned(), seen.run.id().to_string().into());
        }
        self.output.data(&line.to_string());
    }
}
