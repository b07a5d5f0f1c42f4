//! The activity of a run, read from the journal: level, who, event, message.

use afresh_core::ids::RunId;
use afresh_engine::reports::activity::{ActivityLine, lines};
use afresh_engine::{RepoContext, journal_records};
use afresh_store::{Journal, Record};
use serde_json::{Value, json};

use crate::app::error::Failure;
use crate::app::logs::PAUSE;
use crate::app::text::moment;
use crate::terminal::output::Output;

/// Which lines are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Only the last ones.
    pub(crate) last: Option<usize>,
    /// Also those that only matter to people who look for a mistake of ours.
    pub(crate) debug: bool,
    /// Go on while somebody drives the run.
    pub(crate) follow: bool,
}

/// One line, and when.
struct Entry {
    seq: u64,
    wall_ms: i64,
    run: String,
    line: ActivityLine,
}

impl Entry {
    fn all_of(record: &Record) -> Result<Vec<Self>, Failure> {
        let event = journal_records::to_event(record)
            .map_err(|error| Failure::usage("journal", error.to_string()))?;
        let (seq, wall_ms, run) = (record.seq, record.wall_ms, &record.run);
        let entry = |line| Self { seq, wall_ms, run: run.clone(), line };
        Ok(lines(&event).into_iter().map(entry).collect())
    }

    fn to_json(&self) -> Value {
        let ActivityLine { level, who, event, message } = &self.line;
        json!({
            "seq": self.seq, "at": moment::iso(self.wall_ms), "run": self.run,
            "level": level, "who": who, "event": event, "message": message,
        })
    }
}

pub(crate) fn print(
    place: &RepoContext,
    run: &RunId,
    records: Vec<Record>,
    wanted: Wanted,
    output: &Output,
) -> Result<(), Failure> {
    let mut seen = records.last().map_or(0, |record| record.seq);
    let mut entries = entries(records, run, wanted)?;
    if let Some(last) = wanted.last {
        entries.drain(..entries.len().saturating_sub(last));
    }
    if output.json && !wanted.follow {
        let list: Vec<Value> = entries.iter().map(Entry::to_json).collect();
        output.document(&list);
        return Ok(());
    }
    let mut reads = show(&entries, output);
    while wanted.follow && reads {
        // Asked before reading: what the driver recorded before it left is read after.
        let driven = place.holder()?.is_some();
        let Some(reader) = Journal::open_read_only(&place.layout.state)? else { break };
        let fresh = reader.after(seen)?;
        seen = fresh.last().map_or(seen, |record| record.seq);
        reads = show(&self::entries(fresh, run, wanted)?, output);
        if !driven {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

fn entries(records: Vec<Record>, run: &RunId, wanted: Wanted) -> Result<Vec<Entry>, Failure> {
    let own = records.into_iter().filter(|record| record.run == run.as_str());
    let entries: Vec<Vec<Entry>> =
        own.map(|record| Entry::all_of(&record)).collect::<Result<_, _>>()?;
    Ok(entries.into_iter().flatten().filter(|e| wanted.debug || e.line.level != "DEBUG").collect())
}

/// False once nobody reads.
fn show(entries: &[Entry], output: &Output) -> bool {
    entries.iter().all(|entry| {
        let text = if output.json {
            entry.to_json().to_string()
        } else {
            entry.line.render(&moment::iso(entry.wall_ms))
        };
        output.line(&text)
    })
}
