//! `afresh step done N`: a worker marks a step as finished, and learns whether it was accepted.

use afresh_core::outcome::Deviation;
use afresh_core::printable;
use afresh_core::step::StepAnswer;

use crate::exit::Exit;
use crate::in_attempt::worker;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Mark a step of the task as finished
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: StepAction,
}

#[derive(Debug, clap::Subcommand)]
enum StepAction {
    /// Step N is finished: it is checked, and kept whatever happens to this worker
    Done {
        /// The step's number, from 1
        n: u32,
        /// A file outside the task's list that had to change, and why: `PATH: REASON`
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

pub(crate) fn step(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let StepAction::Done { n, deviation } = &args.what;
    let mailbox = worker::mailbox("afresh step", &context.environment)?;
    let answer = worker::steps::done(&mailbox, *n, deviation.clone())?;
    worker::hand_on_notice(&mailbox, output);
    match answer {
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
            Err(AppError::incomplete("step-refused", message)
                .hint("fix it, then mark the step again"))
        }
    }
}
