//! Log lines and issues.

use afresh_core::event::LogLevel;
use afresh_engine::mailbox::{Mailbox, WorkerMessage};
use afresh_engine::reports::issues::ISSUE;

use super::cannot_leave;
use afresh_app::error::AppError;

const MAX_EVENT_CHARS: usize = 100;
const MAX_MESSAGE_CHARS: usize = 2_000;

pub(crate) fn log(
    mailbox: &Mailbox,
    level: LogLevel,
    event: &str,
    message: &str,
) -> Result<(), AppError> {
    let short = |text: &str, most: usize| text.chars().take(most).collect();
    let (event, message) = (short(event, MAX_EVENT_CHARS), short(message, MAX_MESSAGE_CHARS));
    leave(mailbox, &WorkerMessage::Log { level, event, message })
}

/// A problem outside the task.
pub(crate) fn issue(mailbox: &Mailbox, text: &str) -> Result<(), AppError> {
    log(mailbox, LogLevel::Info, ISSUE, text)
}

fn leave(mailbox: &Mailbox, note: &WorkerMessage) -> Result<(), AppError> {
    mailbox.send(note).map(drop).map_err(|error| cannot_leave(&error))
}
