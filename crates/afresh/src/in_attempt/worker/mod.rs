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
use afresh_app::context::environment::Environment;
use afresh_app::error::{AppError, ErrorClass};

/// The mailbox of this attempt.
pub(crate) fn mailbox(command: &str, environment: &Environment) -> Result<Mailbox, AppError> {
    let attempt = environment.attempt_directory().ok_or_else(|| no_attempt(command))?;
    Ok(Mailbox::for_attempt(attempt).without(environment.secrets()))
}

/// Prints what waits for the worker: a warning, comments of people.
pub(crate) fn hand_on_notice(mailbox: &Mailbox, output: &Output) {
    hand_on_comments(mailbox, output);
    if let Some(notice) = mailbox.take_notice() {
        output.note(&notice);
    }
}

/// Prints the comments that wait for the worker, also if it asked for less output.
pub(crate) fn hand_on_comments(mailbox: &Mailbox, output: &Output) {
    for comment in mailbox.take_comments() {
        output.message(&comment);
    }
}

pub(crate) fn no_attempt(command: &str) -> AppError {
    AppError::usage("no-attempt", format!("`{command}` is called by workers, inside an attempt"))
        .hint("it needs AFRESH_RESULT, which afresh sets for every worker")
}

pub(crate) fn cannot_leave(error: &std::io::Error) -> AppError {
    // Our own refusals, such as of a message that is too long, have no error number.
    let class = match error.raw_os_error() {
        Some(_) => ErrorClass::Machine,
        None => ErrorClass::Usage,
    };
    AppError::new(class, "mailbox", "cannot use the mailbox of this attempt")
        .cause(error.to_string())
        .hint("the attempt may have ended")
}
