//! The attempt that we are called from, for commands that workers use.

use afresh_engine::mailbox::Mailbox;

use crate::environment;
use crate::failure::Failure;

/// The mailbox of the attempt around us.
pub(crate) fn mailbox(command: &str) -> Result<Mailbox, Failure> {
    let attempt = environment::attempt_directory().ok_or_else(|| {
        Failure::usage("no-attempt", format!("`{command}` is for workers, inside an attempt"))
            .help("AFRESH_RESULT is not set")
    })?;
    Ok(Mailbox::of(attempt))
}

pub(crate) fn cannot_leave(error: &std::io::Error) -> Failure {
    Failure::usage("mailbox", "cannot use the mailbox of this attempt").cause(error.to_string())
}
