//! Who wants to see what was recorded: terminals, logs, pages. They look, and change nothing.

use afresh_core::{Event, Run};

/// One event, on disk.
#[derive(Debug)]
pub struct RecordedEvent<'a> {
    pub seq: u64,
    pub wall_ms: i64,
    pub event: &'a Event,
    /// The run after the whole turn that the event belongs to.
    pub run: &'a Run,
}

pub trait Reporter {
    fn recorded(&mut self, seen: &RecordedEvent<'_>);

    /// Nothing goes on until somebody answers; told once, not at every look.
    fn waits(&mut self, _run: &Run) {}

    /// The drive is over; `run` is where it stands.
    fn ended(&mut self, _run: &Run) {}

    /// What somebody at this very terminal asked for cannot be done.
    fn refused(&mut self, _why: &str) {}
}
