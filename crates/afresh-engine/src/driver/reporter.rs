//! Reporters show what was recorded, on terminals, in logs and on pages. They change nothing.

use afresh_core::time::Timestamp;
use afresh_core::{Event, Run};

/// One event that is in the journal.
#[derive(Debug)]
pub struct RecordedEvent<'a> {
    pub seq: u64,
    pub wall_ms: i64,
    /// The same moment on the run's clock; none for events that another process recorded.
    pub at: Option<Timestamp>,
    pub event: &'a Event,
    /// The run after the whole turn that the event belongs to.
    pub run: &'a Run,
}

/// Shows what was recorded.
pub trait Reporter {
    fn event_recorded(&mut self, recorded: &RecordedEvent<'_>);

    /// Time has passed while the run is driven; called often, whether anything was recorded or not.
    fn time_passed(&mut self, _run: &Run, _now: Timestamp) {}

    /// Nothing can continue until a person answers; called once, when that begins.
    fn waiting_for_answers(&mut self, _run: &Run) {}

    /// The drive is over; `run` is its final state.
    fn drive_ended(&mut self, _run: &Run) {}

    /// A command from this terminal cannot be carried out.
    fn command_refused(&mut self, _why: &str) {}
}
