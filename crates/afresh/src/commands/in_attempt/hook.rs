//! `afresh hook`: called by agent programs that afresh configured to do so.
//!
//! The program writes JSON to standard input: what happened. It reads JSON from standard output: what to
//! do. No output means: continue. A hook never makes the program fail.

use std::io::{Read, stdin};

use serde_json::{Value, json};

use crate::exit::Exit;
use crate::in_attempt::worker::{mailbox, no_attempt, stopping};
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

const COMMAND: &str = "afresh hook";
/// How much of a program's input is read.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Called by agent programs, inside an attempt
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    moment: AgentHook,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum AgentHook {
    /// The agent is about to stop
    Stop,
    /// The agent used a tool
    Tool,
}

pub(crate) fn hook(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    // Outside of an attempt there is nothing to answer.
    let result = context.environment.result_file().ok_or_else(|| no_attempt(COMMAND))?;
    let reported = read_input();
    let answer = match args.moment {
        AgentHook::Tool => {
            let mailbox = mailbox(COMMAND, &context.environment)?;
            let notices: Vec<String> =
                mailbox.take_notice().into_iter().chain(mailbox.take_comments()).collect();
            (!notices.is_empty()).then(|| {
                json!({"hookSpecificOutput": {
                    "hookEventName": "PostToolUse", "additionalContext": notices.join("\n\n"),
                }})
            })
        }
        AgentHook::Stop => {
            let words = reported["last_assistant_message"].as_str().unwrap_or_default();
            // A comment that arrived meanwhile is worth another turn.
            let comments = mailbox(COMMAND, &context.environment)?.take_comments();
            let reason = if comments.is_empty() {
                stopping::sent_back_with(&result, words, &context.environment)
            } else {
                Some(comments.join("\n\n"))
            };
            reason.map(|reason| json!({"decision": "block", "reason": reason}))
        }
    };
    if let Some(answer) = answer {
        output.data(&answer.to_string());
    }
    Ok(Exit::Done)
}

/// The program's input; nothing where it is not JSON.
fn read_input() -> Value {
    let mut bytes = Vec::new();
    let _ = stdin().lock().take(MAX_BYTES).read_to_end(&mut bytes);
    serde_json::from_slice(&bytes).unwrap_or_default()
}
