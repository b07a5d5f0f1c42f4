//! What the driver needs from outside: a journal, an executor, and inputs.
//!
//! [`LocalHost`](super::local::LocalHost) provides them on this machine. The simulator provides them
//! from a seed, so that crashes between any two steps are crashes of the real loop.

use afresh_core::time::Timestamp;
use afresh_core::{Effect, Event, Input, Run};

use super::DriveError;

/// Everything outside of the loop.
pub trait DriverHost: JournalSink + Executor + InputSource {}

impl<T: JournalSink + Executor + InputSource> DriverHost for T {}

/// Stores what was decided.
pub trait JournalSink {
    type Error: Into<DriveError>;

    /// Stores events and answers in one write. Once this returns, they survive a crash; if it fails, no effect of
    /// the turn may be performed. `run` already includes the events.
    fn store(&mut self, run: &Run, turn: &DecidedTurn) -> Result<StoredTurn, Self::Error>;
}

/// Carries out effects.
pub trait Executor {
    /// Starts carrying out an effect; the answer comes back as an input.
    fn perform(&mut self, effect: Effect, run: &Run);

    /// Ends everything that is running, at once.
    fn cancel_all(&mut self);
}

/// Where inputs come from.
pub trait InputSource {
    /// The run's own time, which never goes backwards.
    fn now(&self) -> Timestamp;

    /// Inputs that arrived before the run was opened.
    fn waiting_inputs(&mut self, run: &Run) -> Result<Vec<QueuedInput>, DriveError>;

    /// Waits until an input arrives or `deadline` passes. May return early with nothing, so that the
    /// driver can check whether a person is present.
    fn wait_for_inputs(
        &mut self,
        run: &Run,
        deadline: Option<Timestamp>,
    ) -> Result<Vec<QueuedInput>, DriveError>;

    /// Everything decided from the last inputs is stored: the host may forget them.
    fn acknowledge_inputs(&mut self);

    /// Whether a person is present to answer questions. If not, the drive ends when only answers are missing.
    fn is_person_present(&self) -> bool;
}

/// An input, and the inbox message that it came from, which gets an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct QueuedInput {
    pub input: Input,
    pub message: Option<i64>,
}

impl From<Input> for QueuedInput {
    fn from(input: Input) -> Self {
        Self { input, message: None }
    }
}

/// What one turn of the driver decided: stored first, then performed.
#[derive(Debug, Default)]
pub struct DecidedTurn {
    pub events: Vec<Event>,
    pub effects: Vec<Effect>,
    pub answers: Vec<CommandAnswer>,
}

impl DecidedTurn {
    /// Whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.answers.is_empty()
    }
}

/// The answer to a message of the inbox: `ok`, or why the command was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandAnswer {
    pub message: i64,
    pub text: String,
}

impl CommandAnswer {
    pub(crate) fn new(message: i64, refusal: Option<String>) -> Self {
        Self { message, text: refusal.unwrap_or_else(|| "ok".to_owned()) }
    }
}

/// Where a stored turn begins in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredTurn {
    /// The sequence number of its first event.
    pub first_seq: u64,
    pub wall_ms: i64,
}
