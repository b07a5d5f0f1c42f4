//! `afresh issue TEXT`: a worker notes what is not its task to mend.

use afresh_core::event::LogLevel;
use afresh_engine::issues::ISSUE;
use afresh_engine::mailbox::Note;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::own_attempt;

/// Note something for people in ISSUES.md (called by a worker, inside its attempt)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    text: String,
}

pub(crate) fn issue(args: &Args) -> Result<Exit, Failure> {
    let mailbox = own_attempt::mailbox("afresh issue")?;
    let message = args.text.chars().take(2_000).collect();
    let note = Note::Log { level: LogLevel::Info, event: ISSUE.to_owned(), message };
    mailbox.leave(&note).map_err(|error| own_attempt::cannot_leave(&error))?;
    Ok(Exit::Done)
}
