//! The activity of a run as lines, and what is added while a driver runs.

use afresh_app::store::{Journal, JournalRecord};
use afresh_core::ids::RunId;
use afresh_engine::RepoContext;
use serde_json::Value;

use crate::terminal::output::Output;
use afresh_app::error::AppError;
use afresh_app::logs::FOLLOW_INTERVAL;
use afresh_app::logs::activity::{ActivityEntry, ActivityFilter, entries};
use afresh_app::text::time;

/// Which lines are printed, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActivityOptions {
    /// Only the last ones.
    pub(crate) last: Option<usize>,
    pub(crate) filter: ActivityFilter,
    /// Continue while a driver runs.
    pub(crate) follow: bool,
}

pub(crate) fn print(
    repository: &RepoContext,
    run: &RunId,
    records: Vec<JournalRecord>,
    options: ActivityOptions,
    output: &Output,
) -> Result<(), AppError> {
    let mut seen = records.last().map_or(0, |record| record.seq);
    let mut listed = entries(records, run, options.filter)?;
    if let Some(last) = options.last {
        listed.drain(..listed.len().saturating_sub(last));
    }
    if output.json && !options.follow {
        let list: Vec<Value> = listed.iter().map(ActivityEntry::to_json).collect();
        output.document(&list);
        return Ok(());
    }
    let mut has_reader = print_entries(&listed, output);
    while options.follow && has_reader {
        // Asked before reading: what the driver recorded before it ended is read afterwards.
        let driven = repository.holder()?.is_some();
        let Some(reader) = Journal::open_read_only(&repository.layout.state)? else { break };
        let fresh = reader.read_after(seen)?;
        seen = fresh.last().map_or(seen, |record| record.seq);
        has_reader = print_entries(&entries(fresh, run, options.filter)?, output);
        if !driven {
            break;
        }
        std::thread::sleep(FOLLOW_INTERVAL);
    }
    Ok(())
}

/// False once standard output is closed.
fn print_entries(entries: &[ActivityEntry], output: &Output) -> bool {
    entries.iter().all(|entry| {
        let text = if output.json {
            entry.to_json().to_string()
        } else {
            entry.line.render(&time::format_utc(entry.wall_ms))
        };
        output.line(&text)
    })
}
