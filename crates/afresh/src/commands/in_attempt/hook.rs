//! `afresh hook`: what an agent program runs at a certain moment of its own, because we asked it to.
//!
//! The program tells by JSON on standard input what happens, and reads by JSON on standard output what
//! to do about it. Nothing said means: go on as you were. A hook never stands in anybody's way.

use std::io::{Read, stdin};

use serde_json::{Value, json};

use crate::exit::Exit;
use crate::in_attempt::worker::{mailbox, no_attempt, stopping};
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

const COMMAND: &str = "afresh hook";
/// More than this of what a program tells is not read.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Called by an agent program at a moment of its own, inside an attempt
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    moment: Moment,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Moment {
    /// It is about to stop
    Stop,
    /// It has used a tool
    Tool,
}

pub(crate) fn hook(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    // Outside of an attempt nobody is going to tell anything.
    let result = context.environment.result_file().ok_or_else(|| no_attempt(COMMAND))?;
    let told = told();
    let answer = match args.moment {
        Moment::Tool => mailbox(COMMAND, &context.environment)?.take_notice().map(|notice| {
            json!({"hookSpecificOutput": {
                "hookEventName": "PostToolUse", "additionalContext": notice,
            }})
        }),
        Moment::Stop => {
            let words = told["last_assistant_message"].as_str().unwrap_or_default();
            stopping::sent_back_with(&result, words, &context.environment)
                .map(|reason| json!({"decision": "block", "reason": reason}))
        }
    };
    if let Some(answer) = answer {
        output.data(&answer.to_string());
    }
    Ok(Exit::Done)
}

/// What the program says about the moment; nothing where it makes no sense.
fn told() -> Value {
    let mut bytes = Vec::new();
    let _ = stdin().lock().take(MAX_BYTES).read_to_end(&mut bytes);
    serde_json::from_slice(&bytes).unwrap_or_default()
}
