//! What a worker reports from inside its attempt, by command or by tool: log lines, finished steps, its
//! result.
//!
//! Everything goes through the mailbox and the result file of the attempt; nothing else is reachable from
//! inside the sandbox.

pub(crate) mod notes;
pub(crate) mod result;
pub(crate) mod steps;
pub(crate) mod stopping;

use afresh_engine::mailbox::Mailbox;

use crate::terminal::output::Output;
use afresh_app::environment::Environment;
use afresh_app::error::AppError;

/// The mailbox of this attempt.
pub(crate) fn mailbox(command: &str, environment: &Environment) -> Result<Mailbox, AppError> {
    let attempt = environment.attempt_directory().ok_or_else(|| no_attempt(command))?;
    Ok(Mailbox::of(attempt).without(environment.secrets()))
}

/// Prints a notice that waits for the worker.
pub(crate) fn hand_on_notice(mailbox: &Mailbox, output: &Output) {
    if let Some(notice) = mailbox.take_notice() {
        output.note(&notice);
    }
}

pub(crate) fn no_attempt(command: &str) -> AppError {
    AppError::usage("no-attempt", format!("`{command}` is called by workers, inside an attempt"))
        .hint("it needs AFRESH_RESULT, which afresh sets for every worker")
}

pub(crate) fn cannot_leave(error: &std::io::Error) -> AppError {
    AppError::usage("mailbox", "cannot use the mailbox of this attempt").cause(error.to_string())
}
