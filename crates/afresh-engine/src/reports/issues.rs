//! `ISSUES.md`: what workers and people deferred, one line each.
//!
//! A projection of the journal: never read back.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use afresh_core::{Event, printable};

use crate::driver::reporter::{RecordedEvent, Reporter};

/// The event name that makes a worker's log line an issue.
pub const ISSUE: &str = "issue";

/// The deviation rule for problems that a worker leaves alone and notes.
const NOTE_IT: u8 = 5;

#[derive(Debug)]
pub struct IssueList {
    file: PathBuf,
    /// Formats a time; calendars are the command's responsibility.
    moment: fn(i64) -> String,
}

impl IssueList {
    pub fn new(file: PathBuf, moment: fn(i64) -> String) -> Self {
        Self { file, moment }
    }

    fn add(&self, wall_ms: i64, who: &str, text: &str) -> std::io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.file)?;
        if file.metadata()?.len() == 0 {
            file.write_all(b"# Issues\n\nWhat was noticed or put off, and not done.\n\n")?;
        }
        let (moment, text) = ((self.moment)(wall_ms), printable::line(text));
        file.write_all(format!("- {moment} {who}: {text}\n").as_bytes())
    }
}

impl Reporter for IssueList {
    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        for (who, text) in issues(seen) {
            // The list is a convenience; the journal has everything.
            let _ = self.add(seen.wall_ms, &who, &text);
        }
    }
}

/// What one event adds: who noticed it, and what.
fn issues(seen: &RecordedEvent<'_>) -> Vec<(String, String)> {
    match seen.event {
        Event::WorkerLogged { attempt, event, message, .. } if event == ISSUE => {
            vec![(attempt.to_string(), message.clone())]
        }
        Event::AttemptEnded { attempt, end } => {
            let declared = end.outcome.claim().into_iter().flat_map(|claim| &claim.deviations);
            declared
                .filter(|deviation| deviation.rule == NOTE_IT)
                .map(|deviation| (attempt.to_string(), deviation.description.clone()))
                .collect()
        }
        Event::TaskSkipped { task, reason } => {
            vec![(task.to_string(), format!("skipped: {reason}"))]
        }
        _ => Vec::new(),
    }
}
