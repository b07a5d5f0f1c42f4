//! The loop: decide, record, perform, wait for the next input or deadline.
//!
//! The loop knows neither threads nor files: its [host](DriverHost) stores, performs and waits.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`host`] | the traits of everything outside: journal, executor, inputs |
//! | [`local`] | the host of a real run, on this machine |
//! | [`control`] | commands from other terminals |
//! | [`reporter`] | observers of recorded events |
//! | `clock` | the run's monotonic clock |
//! | `redact_input` | redacts secrets in inputs before anything is decided |

pub(crate) mod clock;
pub mod control;
pub mod host;
pub mod local;
pub(crate) mod redact_input;
pub mod reporter;
mod stop_files;

use std::io;

use afresh_core::input::RunOpening;
use afresh_core::run::DriveState;
use afresh_core::time::Timestamp;
use afresh_core::{Input, Run, decide};
use afresh_git::PoolError;
use afresh_store::JournalError;

use host::{CommandAnswer, DecidedTurn, DriverHost, QueuedInput, StoredTurn};
use reporter::{RecordedEvent, Reporter};

#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// Nothing that is not stored was acknowledged; the next driver continues from there.
    #[error(
        "the journal could not be written, so everything was stopped; the next start finds out \
         whether its last records are on disk"
    )]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("cannot prepare {0}")]
    Directory(String, #[source] io::Error),
    /// The host ended the drive for a reason of its own; a simulated crash, for example.
    #[error("the drive was ended: {0}")]
    Ended(String),
}

/// Drives one run until nothing more can happen by itself.
pub struct Driver<H> {
    host: H,
    run: Run,
    reporters: Vec<Box<dyn Reporter>>,
    /// The time of the last decisions.
    decided_at: Timestamp,
}

impl<H: DriverHost> Driver<H> {
    pub fn new(host: H, run: Run, reporters: Vec<Box<dyn Reporter>>) -> Self {
        let decided_at = host.now();
        Self { host, run, reporters, decided_at }
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    pub fn host(&self) -> &H {
        &self.host
    }

    pub fn host_mut(&mut self) -> &mut H {
        &mut self.host
    }

    /// Ends the driver and returns the host and the run in its current state.
    pub fn into_parts(self) -> (H, Run) {
        (self.host, self.run)
    }

    /// Opens the run and drives it until nothing more can happen by itself.
    pub fn drive(&mut self, opening: RunOpening) -> Result<DriveState, DriveError> {
        self.open(opening)?;
        let mut announced = false;
        loop {
            // `decided_at`, not the current time: a deadline that passed while we wrote to the disk
            // still has to wake us.
            match self.run.drive_state(self.decided_at) {
                DriveState::Busy => announced = false,
                DriveState::Waiting if self.host.is_person_present() => {
                    if !std::mem::replace(&mut announced, true) {
                        self.reporters.iter_mut().for_each(|it| it.waiting_for_answers(&self.run));
                    }
                }
                ended => {
                    self.reporters.iter_mut().for_each(|it| it.drive_ended(&self.run));
                    return Ok(ended);
                }
            }
            let deadline = self.run.wake_at(self.decided_at);
            let mut inputs = match self.host.wait_for_inputs(&self.run, deadline) {
                Ok(inputs) => inputs,
                Err(error) => {
                    // The journal is gone or unreadable: nothing may continue without it.
                    self.host.cancel_all();
                    return Err(error);
                }
            };
            let now = self.host.now();
            self.reporters.iter_mut().for_each(|it| it.time_passed(&self.run, now));
            if deadline.is_some_and(|at| at <= self.host.now()) {
                inputs.push(Input::Woke.into());
            }
            if !inputs.is_empty() {
                self.take_turn(inputs)?;
                self.host.acknowledge_inputs();
            }
        }
    }

    fn open(&mut self, opening: RunOpening) -> Result<(), DriveError> {
        let (mut inputs, later): (Vec<QueuedInput>, Vec<QueuedInput>) = self
            .host
            .waiting_inputs(&self.run)?
            .into_iter()
            // A halt that is already waiting must be handled before anything starts.
            .partition(|queued| matches!(queued.input, Input::HaltAsked { .. }));
        inputs.push(Input::Opened(Box::new(opening)).into());
        inputs.extend(later);
        self.take_turn(inputs)
    }

    /// Decides on every input, stores all resulting events in one write, and only then performs the effects.
    fn take_turn(&mut self, inputs: Vec<QueuedInput>) -> Result<(), DriveError> {
        let turn = self.decide_on(inputs);
        if !turn.is_empty() {
            match self.host.store(&self.run, &turn) {
                Ok(stored) => self.report(&turn, stored),
                Err(error) => {
                    // Work that the journal does not know about must not continue.
                    self.host.cancel_all();
                    return Err(error.into());
                }
            }
        }
        for effect in turn.effects {
            self.host.perform(effect, &self.run);
        }
        Ok(())
    }

    fn decide_on(&mut self, inputs: Vec<QueuedInput>) -> DecidedTurn {
        let mut turn = DecidedTurn::default();
        self.decided_at = self.host.now();
        for QueuedInput { input, message } in inputs {
            let reaction = decide(&mut self.run, self.decided_at, &input);
            turn.events.extend(reaction.events);
            turn.effects.extend(reaction.effects);
            match (message, reaction.refusal) {
                (Some(message), refusal) => turn.answers.push(CommandAnswer::new(message, refusal)),
                (None, Some(why)) => {
                    self.reporters.iter_mut().for_each(|it| it.command_refused(&why));
                }
                (None, None) => {}
            }
        }
        turn
    }

    fn report(&mut self, turn: &DecidedTurn, stored: StoredTurn) {
        for (seq, event) in (stored.first_seq..).zip(&turn.events) {
            for reporter in &mut self.reporters {
                let (wall_ms, at, run) = (stored.wall_ms, Some(self.decided_at), &self.run);
                reporter.event_recorded(&RecordedEvent { seq, wall_ms, at, event, run });
            }
        }
    }
}

impl<H> std::fmt::Debug for Driver<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("run", self.run.id()).finish_non_exhaustive()
    }
}
