//! `afresh step done N`: a worker marks a step as finished, and hears what became of it.

use std::thread;
use std::time::{Duration, Instant};

use afresh_core::outcome::Deviation;
use afresh_core::printable;
use afresh_core::step::StepAnswer;
use afresh_engine::mailbox::{Mailbox, Note, Sent};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::own_attempt;

/// A driver that lives reads its mail several times a second.
const READ_WITHIN: Duration = Duration::from_secs(60);
/// Checks have limits of their own, far below this.
const ANSWER_WITHIN: Duration = Duration::from_secs(4 * 60 * 60);
const PAUSE: Duration = Duration::from_millis(20);

/// Mark a step of the task as finished (called by a worker, inside its attempt)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Step N is finished: it is checked and kept, whatever becomes of this worker
    Done {
        /// The step's number, from 1
        n: u32,
        /// A file beyond the task's list that had to change, and why: `PATH: REASON`
        #[arg(long, value_name = "PATH: REASON", value_parser = parse_deviation)]
        deviation: Vec<Deviation>,
    },
}

fn parse_deviation(text: &str) -> Result<Deviation, String> {
    let (path, reason) = text.split_once(": ").ok_or("write it as `PATH: REASON`")?;
    let (path, reason) = (path.trim().to_owned(), reason.trim().to_owned());
    if path.is_empty() || reason.is_empty() {
        return Err("write it as `PATH: REASON`".to_owned());
    }
    Ok(Deviation { rule: 3, description: reason, files: vec![path] })
}

pub(crate) fn step(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let What::Done { n, deviation } = &args.what;
    let mailbox = own_attempt::mailbox("afresh step")?;
    let failed = |error| own_attempt::cannot_leave(&error);
    mailbox.expect_answer(*n).map_err(failed)?;
    let note = Note::Step { step: *n, deviations: deviation.clone() };
    let sent = mailbox.leave(&note).map_err(failed)?;
    match wait(&mailbox, sent, *n)? {
        StepAnswer::Accepted => {
            if output.json {
                output.document(&serde_json::json!({ "step": n, "done": true }));
            } else {
                output.data(&format!("step {n} is done"));
            }
            Ok(Exit::Done)
        }
        StepAnswer::Refused(why) => {
            let message = format!("step {n} is not done: {}", printable::lines(why.trim_end()));
            Err(Failure::new(Exit::Incomplete, "step-refused", message)
                .help("mend it, then mark the step again"))
        }
    }
}

fn wait(mailbox: &Mailbox, sent: Sent, step: u32) -> Result<StepAnswer, Failure> {
    let started = Instant::now();
    loop {
        if let Some(answer) = mailbox.answer(step) {
            return Ok(answer);
        }
        let waited = started.elapsed();
        if sent.is_waiting() && waited > READ_WITHIN || waited > ANSWER_WITHIN {
            sent.take_back();
            return Err(Failure::usage("no-driver", "nobody answers: this run is not driven")
                .help("`afresh status` tells where the run stands"));
        }
        thread::sleep(PAUSE);
    }
}
