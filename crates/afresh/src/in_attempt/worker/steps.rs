//! A worker marks a step as finished, and waits for the verdict.

use afresh_core::outcome::Deviation;
use afresh_core::step::StepAnswer;
use afresh_engine::mailbox::{Mailbox, SentMessage, WorkerMessage};
use std::thread;
use std::time::{Duration, Instant};

use super::cannot_leave;
use afresh_app::error::AppError;

/// A running driver reads the mailbox several times a second.
const READ_WITHIN: Duration = Duration::from_secs(60);
/// Checks have limits of their own, far below this.
const ANSWER_WITHIN: Duration = Duration::from_secs(4 * 60 * 60);
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until the step is checked.
pub(crate) fn done(
    mailbox: &Mailbox,
    step: u32,
    deviations: Vec<Deviation>,
) -> Result<StepAnswer, AppError> {
    let failed = |error| cannot_leave(&error);
    mailbox.expect_answer(step).map_err(failed)?;
    let sent = mailbox.send(&WorkerMessage::Step { step, deviations }).map_err(failed)?;
    wait(mailbox, sent, step)
}

fn wait(mailbox: &Mailbox, sent: SentMessage, step: u32) -> Result<StepAnswer, AppError> {
    let started = Instant::now();
    loop {
        if let Some(answer) = mailbox.answer(step) {
            return Ok(answer);
        }
        let waited = started.elapsed();
        if sent.is_waiting() && waited > READ_WITHIN || waited > ANSWER_WITHIN {
            sent.withdraw();
            return Err(AppError::usage("no-driver", "no answer: the run is not active")
                .hint("`afresh status` shows the state of the run"));
        }
        thread::sleep(PAUSE);
    }
}
