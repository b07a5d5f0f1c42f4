//! `STATE.md` in the state directory: the progress of the run.
//!
//! Derived from the journal and never read back. It follows the run within seconds, and is current when
//! afresh exits.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use afresh_core::{Event, Run};
use afresh_engine::{RecordedEvent, Reporter};
use afresh_views::state_page;

/// So that a plan of ten thousand tasks is not rewritten for every event.
const PAUSE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct StatePageReporter {
    file: PathBuf,
    written: Option<Instant>,
}

impl StatePageReporter {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file, written: None }
    }

    fn write(&mut self, run: &Run) {
        self.written = Some(Instant::now());
        // The journal has everything, so a page that cannot be written is no error.
        let draft = self.file.with_extension("md.new");
        let _ = std::fs::write(&draft, state_page::render(run))
            .and_then(|()| std::fs::rename(&draft, &self.file));
    }
}

impl Reporter for StatePageReporter {
    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        let telling = matches!(
            seen.event,
            Event::Merged { .. }
                | Event::TaskFailed { .. }
                | Event::TaskSkipped { .. }
                | Event::QuestionAsked { .. }
                | Event::QuestionAnswered { .. }
                | Event::HaltRequested { .. }
        );
        if telling && self.written.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.write(seen.run);
        }
    }

    fn drive_ended(&mut self, run: &Run) {
        self.write(run);
    }
}
