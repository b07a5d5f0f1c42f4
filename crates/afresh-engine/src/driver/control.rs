//! Commands from other terminals. They reach the driver through the inbox; if no driver is running, the
//! command applies itself under the lock.

use afresh_core::comment::CommentedPart;
use afresh_core::ids::{QuestionId, RunId, TaskId};
use afresh_core::input::ByHandStart;
use afresh_core::outcome::Outcome;
use afresh_core::run::RewindTarget;
use afresh_core::time::Timestamp;
use afresh_core::{Event, Input, Run, decide};
use afresh_secrets::{redact, redact_value};
use afresh_store::JournalError;
use serde::{Deserialize, Serialize};

use super::clock::RunClock;
use super::host::{CommandAnswer, DecidedTurn, JournalSink};
use super::local::LocalJournal;
use super::reporter::{RecordedEvent, Reporter};
use crate::executor::landing::rewind::RewindJob;
use crate::session::OpenRun;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case")]
pub enum ControlCommand {
    Halt {
        run: RunId,
        now: bool,
        reason: String,
        by: String,
    },
    ClearHalt {
        run: RunId,
    },
    Abort {
        run: RunId,
        reason: String,
        by: String,
    },
    Decide {
        run: RunId,
        question: u32,
        answer: String,
        by: String,
    },
    Retry {
        run: RunId,
        task: TaskId,
    },
    StartByHand {
        run: RunId,
        start: ByHandStart,
    },
    HandIn {
        run: RunId,
        task: TaskId,
        outcome: Box<Outcome>,
        duration_ms: u64,
    },
    Skip {
        run: RunId,
        task: TaskId,
        reason: String,
    },
    Ignore {
        run: RunId,
        task: TaskId,
    },
    Comment {
        run: RunId,
        task: TaskId,
        text: String,
        by: String,
        /// The part of an attempt's change that it is on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<CommentedPart>,
    },
    Rewind {
        run: RunId,
        target: RewindTarget,
        by: String,
    },
}

impl ControlCommand {
    /// The same command with secrets redacted in a person's text (B36).
    #[must_use]
    pub fn without(mut self, secrets: &[String]) -> Self {
        if let Self::Halt { reason: words, .. }
        | Self::Abort { reason: words, .. }
        | Self::Decide { answer: words, .. }
        | Self::Skip { reason: words, .. }
        | Self::Comment { text: words, .. } = &mut self
        {
            *words = redact(words, secrets);
        }
        if let Self::Comment { on: Some(on), .. } = &mut self {
            on.path = redact(&on.path, secrets);
            for line in &mut on.quoted {
                *line = redact(line, secrets);
            }
        }
        if let Self::HandIn { outcome, .. } = &mut self {
            **outcome = redact_value((**outcome).clone(), secrets);
        }
        self
    }

    pub fn run(&self) -> &RunId {
        match self {
            Self::Halt { run, .. }
            | Self::ClearHalt { run }
            | Self::Abort { run, .. }
            | Self::Decide { run, .. }
            | Self::Retry { run, .. }
            | Self::StartByHand { run, .. }
            | Self::HandIn { run, .. }
            | Self::Skip { run, .. }
            | Self::Ignore { run, .. }
            | Self::Comment { run, .. }
            | Self::Rewind { run, .. } => run,
        }
    }

    /// Whether only a driver can carry it out, so that it waits for one.
    fn needs_driver(&self) -> bool {
        matches!(self, Self::StartByHand { .. })
    }

    pub fn to_input(&self) -> Input {
        match self.clone() {
            Self::Halt { now, reason, by, .. } => Input::HaltAsked { now, reason, by },
            Self::ClearHalt { .. } => Input::HaltCleared,
            Self::Abort { reason, by, .. } => Input::AbortAsked { reason, by },
            Self::Decide { question, answer, by, .. } => {
                Input::Answered { question: QuestionId(question), answer, by }
            }
            Self::Retry { task, .. } => Input::RetryAsked(task),
            Self::StartByHand { start, .. } => Input::StartByHand(start),
            Self::HandIn { task, outcome, duration_ms, .. } => {
                Input::HandedIn { task, outcome, duration_ms }
            }
            Self::Skip { task, reason, .. } => Input::SkipAsked { task, reason },
            Self::Ignore { task, .. } => Input::IgnoreAsked(task),
            Self::Comment { task, text, by, on, .. } => Input::Commented { task, text, by, on },
            Self::Rewind { target, by, .. } => Input::RewindAsked { target, by },
        }
    }
}

/// Applies a command to a run that has no driver, after those that already wait in the inbox. `sent` is the
/// command's own message there, if it was sent. Returns the reason if the command is refused.
pub fn apply_command(
    open: OpenRun,
    command: &ControlCommand,
    sent: Option<i64>,
    reporters: &mut [Box<dyn Reporter>],
) -> Result<Option<String>, JournalError> {
    let OpenRun { repo, mut run, last_at, .. } = open;
    let mut journal = LocalJournal { repo, clock: RunClock::after(last_at) };
    let waiting = journal.pending_commands(&run)?.into_iter();
    let mut commands: Vec<PendingCommand> = waiting
        .map(|(message, command)| PendingCommand { message: Some(message), command })
        .collect();
    if !commands.iter().any(|pending| sent.is_some() && pending.message == sent) {
        commands.push(PendingCommand { message: None, command: command.clone() });
    }
    let now = journal.clock.now();
    let applied = apply_without_driver(&mut journal, &mut run, now, commands, reporters)?;
    let own = applied.into_iter().find(|applied| applied.message == sent);
    let stuck = complete_rewind(&mut journal, &mut run, now, reporters)?;
    Ok(own.and_then(|applied| applied.refusal).or(stuck))
}

/// Moves the branch back if that is all that a rewind waits for. Returns why it could not be moved.
fn complete_rewind(
    journal: &mut LocalJournal,
    run: &mut Run,
    now: Timestamp,
    reporters: &mut [Box<dyn Reporter>],
) -> Result<Option<String>, JournalError> {
    let Some((from, to)) = run.pending_rewind().map(|(from, to)| (from.clone(), to.clone())) else {
        return Ok(None);
    };
    let job = RewindJob { branch: run.branch().to_owned(), from, to };
    let moved = job.carry_out(run.id(), &journal.repo.context.git);
    let mut turn = DecidedTurn::default();
    decide_without_driver(run, now, &moved, &mut turn);
    store_and_report(journal, run, now, &turn, reporters)?;
    Ok(run.halt().filter(|_| run.tip() != &job.to).map(|halt| halt.reason.clone()))
}

/// A command, and its message if it waits in the inbox.
#[derive(Debug, Clone)]
pub struct PendingCommand {
    pub message: Option<i64>,
    pub command: ControlCommand,
}

/// The result of a command.
#[derive(Debug, Clone)]
pub struct AppliedCommand {
    pub message: Option<i64>,
    pub refusal: Option<String>,
}

/// Applies commands to a run that has no driver, in one write. Effects are not performed: the next driver
/// asks for them again when it opens the run. What only a driver can carry out waits for it.
pub fn apply_without_driver<J: JournalSink>(
    journal: &mut J,
    run: &mut Run,
    now: Timestamp,
    commands: Vec<PendingCommand>,
    reporters: &mut [Box<dyn Reporter>],
) -> Result<Vec<AppliedCommand>, J::Error> {
    let (mut turn, mut applied) = (DecidedTurn::default(), Vec::new());
    for PendingCommand { message, command } in commands {
        if command.needs_driver() {
            continue;
        }
        let refusal = decide_without_driver(run, now, &command.to_input(), &mut turn);
        if let Some(message) = message {
            turn.answers.push(CommandAnswer::new(message, refusal.clone()));
        }
        applied.push(AppliedCommand { message, refusal });
    }
    store_and_report(journal, run, now, &turn, reporters)?;
    Ok(applied)
}

/// Adds what follows from the input to the turn. Events that start something are dropped, and the next input is
/// decided without them.
fn decide_without_driver(
    run: &mut Run,
    now: Timestamp,
    input: &Input,
    turn: &mut DecidedTurn,
) -> Option<String> {
    let reaction = decide(&mut run.clone(), now, input);
    for event in reaction.events.into_iter().filter(|event| !starts_something(event)) {
        run.apply(&event).expect("events that start something are of other tasks");
        turn.events.push(event);
    }
    reaction.refusal
}

fn store_and_report<J: JournalSink>(
    journal: &mut J,
    run: &Run,
    now: Timestamp,
    turn: &DecidedTurn,
    reporters: &mut [Box<dyn Reporter>],
) -> Result<(), J::Error> {
    if !turn.is_empty() {
        let stored = journal.store(run, turn)?;
        for (seq, event) in (stored.first_seq..).zip(&turn.events) {
            let recorded =
                RecordedEvent { seq, wall_ms: stored.wall_ms, at: Some(now), event, run };
            for reporter in &mut *reporters {
                reporter.event_recorded(&recorded);
            }
        }
        for reporter in reporters {
            reporter.drive_ended(run);
        }
    }
    Ok(())
}

/// Without a driver nothing starts; opening the run starts what is ready.
fn starts_something(event: &Event) -> bool {
    matches!(
        event,
        Event::AttemptStarting { .. }
            | Event::FinalChecksStarted { .. }
            | Event::ProbeStarted { .. }
    )
}
