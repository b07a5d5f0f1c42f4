//! Sending a command to a run: through the inbox if a driver is running, else under the lock.

use std::time::{Duration, Instant};

use afresh_core::ids::RunId;
use afresh_engine::{ControlCommand, OpenError, RepoContext, Reporter, driver};
use afresh_store::{Inbox, InboxError, LockError};

use crate::context::{AppContext, user_name};
use crate::error::AppError;

/// How long a driver gets to answer; the command is on disk in any case.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Opens the reporters that record what a command changes.
pub type OpenReporters<'a> = &'a dyn Fn(&RepoContext) -> Vec<Box<dyn Reporter>>;

/// Sends a command to the last run, and returns that run's id once it is carried out or on disk.
pub fn send_command(
    context: &AppContext,
    open_reporters: OpenReporters<'_>,
    make: impl FnOnce(RunId) -> ControlCommand,
) -> Result<RunId, AppError> {
    let found = context.repository()?.find_run(|_| true)?.ok_or_else(no_run)?;
    send_to_run(context, open_reporters, make(found.run.id().clone()))
}

/// Sends a command to the run that it names. A driver of another run does not read it: then the lock's holder is
/// reported.
pub fn send_to_run(
    context: &AppContext,
    open_reporters: OpenReporters<'_>,
    command: ControlCommand,
) -> Result<RunId, AppError> {
    let repository = context.repository()?;
    refuse_other_driver(&repository, command.run())?;
    let command = command.without(&context.environment.secrets());
    let sender = CommandSender { context, repository, command, open_reporters };
    match sender.deliver()? {
        Some(refusal) => Err(AppError::incomplete("refused", refusal)),
        None => Ok(sender.command.run().clone()),
    }
}

/// Fails if a process drives another run: it does not read commands to this one.
pub(super) fn refuse_other_driver(repository: &RepoContext, run: &RunId) -> Result<(), AppError> {
    let driven = repository.find_run(|_| true)?;
    match repository.holder()?.filter(|_| driven.is_some_and(|last| last.run.id() != run)) {
        Some(holder) => Err(LockError::Held(Some(holder)).into()),
        None => Ok(()),
    }
}

/// Writes a command that only a driver can carry out to the inbox. It is durable when this returns.
pub(crate) fn queue_command(
    repository: &RepoContext,
    command: &ControlCommand,
) -> Result<i64, AppError> {
    let mut inbox = Inbox::open(&repository.layout.state).map_err(inbox_failed)?;
    let body = serde_json::to_string(command)
        .map_err(|error| AppError::bug("order", error.to_string()))?;
    inbox.send(&user_name(), &body).map_err(inbox_failed)
}

/// The driver's answer to a command in the inbox, if there is one.
pub(crate) fn read_answer(
    repository: &RepoContext,
    message: i64,
) -> Result<Option<String>, AppError> {
    let inbox = Inbox::open(&repository.layout.state).map_err(inbox_failed)?;
    inbox.read_answer(message).map_err(inbox_failed)
}

/// There is no run in this repository.
pub fn no_run() -> AppError {
    AppError::usage("no-run", "there is no run in this repository")
        .hint("`afresh run PLAN` starts one")
}

struct CommandSender<'a> {
    context: &'a AppContext,
    repository: RepoContext,
    command: ControlCommand,
    open_reporters: OpenReporters<'a>,
}

impl CommandSender<'_> {
    /// The reason, if the command was refused.
    fn deliver(&self) -> Result<Option<String>, AppError> {
        let mut sent = None;
        loop {
            match self.apply(sent) {
                Err(OpenError::Lock(LockError::Held(_))) => {
                    let message = if let Some(message) = sent { message } else { self.send()? };
                    sent = Some(message);
                    match self.await_answer(message)? {
                        Some(answer) => return Ok((answer != "ok").then_some(answer)),
                        // The driver ended before it read the command, so it is up to us.
                        None if self.repository.holder()?.is_none() => {}
                        // It is on disk; the next driver carries it out.
                        None => return Ok(None),
                    }
                }
                Err(error) => return Err(error.into()),
                Ok(refusal) => return Ok(refusal),
            }
        }
    }

    /// No driver is running: carries the command out here, under the lock.
    fn apply(&self, sent: Option<i64>) -> Result<Option<String>, OpenError> {
        let locked = self.repository.lock(&self.context.lock_holder())?;
        let Some(found) = locked.find_run(|run| run.id() == self.command.run())? else {
            return Ok(Some(format!("there is no run {}", self.command.run())));
        };
        let open = locked.open_run(found.run, found.last_at);
        let mut reporters = (self.open_reporters)(&self.repository);
        Ok(driver::control::apply_command(open, &self.command, sent, &mut reporters)?)
    }

    /// A driver is running: writes the command to the inbox. It is durable when this returns.
    fn send(&self) -> Result<i64, AppError> {
        queue_command(&self.repository, &self.command)
    }

    /// The driver's answer; none if there is none yet, or no driver to give it.
    fn await_answer(&self, message: i64) -> Result<Option<String>, AppError> {
        let until = Instant::now() + ANSWER_TIMEOUT;
        while Instant::now() < until {
            if let Some(answer) = read_answer(&self.repository, message)? {
                return Ok(Some(answer));
            }
            if self.repository.holder()?.is_none() {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(None)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` wants it")]
fn inbox_failed(error: InboxError) -> AppError {
    AppError::machine("inbox", error.to_string())
        .hint("check the permissions and the free space of the state directory")
}
