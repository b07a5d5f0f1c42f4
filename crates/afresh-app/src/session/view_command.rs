//! What a person does in a view: answers, retries, skips, halts. The same commands that other terminals send.

use afresh_core::Run;
use afresh_core::ids::RunId;
use afresh_core::question::AnswerRefusal;
use afresh_engine::ControlCommand;
use schemars::JsonSchema;
use serde::Serialize;

use super::control::{self, OpenReporters};
use super::runs::select;
use crate::context::{AppContext, user_name};
use crate::error::AppError;

/// What is asked of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewCommand {
    /// An answer to a question such as `Q3`.
    Answer {
        question: String,
        answer: String,
    },
    Retry {
        task: String,
    },
    /// The reason is for people, and may be empty.
    Skip {
        task: String,
        reason: String,
    },
    /// `now` ends running attempts, instead of letting them finish.
    Halt {
        now: bool,
        reason: String,
    },
    ClearHalt,
}

/// The command is carried out, or on disk for the driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AcceptedCommand {
    pub run: RunId,
    pub ok: bool,
    /// Whether a process drives the run; else nothing happens until `afresh resume`.
    pub driven: bool,
}

/// A view that people act in, such as `in the browser`.
#[derive(Clone, Copy)]
pub struct ActingView<'a> {
    pub context: &'a AppContext,
    pub open_reporters: OpenReporters<'a>,
    pub place: &'a str,
}

impl std::fmt::Debug for ActingView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ActingView").field("place", &self.place).finish_non_exhaustive()
    }
}

impl ActingView<'_> {
    /// Checks the command against the run as it is now, and sends it.
    pub fn send(&self, run: &str, command: ViewCommand) -> Result<AcceptedCommand, AppError> {
        let repository = self.context.repository()?;
        let found = select::find_run(&repository, Some(run))?;
        let command = self.control_command(&found.run, command)?;
        let run = control::send_to_run(self.context, self.open_reporters, command)?;
        let driven = repository.holder().map_err(AppError::from)?.is_some();
        Ok(AcceptedCommand { run, ok: true, driven })
    }

    fn control_command(&self, run: &Run, command: ViewCommand) -> Result<ControlCommand, AppError> {
        let id = run.id().clone();
        let by = format!("{} {}", user_name(), self.place);
        let or = |reason: String, usual: String| {
            if reason.trim().is_empty() { usual } else { reason }
        };
        Ok(match command {
            ViewCommand::Answer { question, answer } => {
                let question = check_answer(run, &question, &answer)?;
                ControlCommand::Decide { run: id, question, answer, by }
            }
            ViewCommand::Retry { task } => {
                ControlCommand::Retry { run: id, task: select::find_task(run, &task)? }
            }
            ViewCommand::Skip { task, reason } => {
                let task = select::find_task(run, &task)?;
                ControlCommand::Skip {
                    run: id,
                    task,
                    reason: or(reason, format!("skipped by {by}")),
                }
            }
            ViewCommand::Halt { now, reason } => {
                let reason = or(reason, format!("halted {}", self.place));
                ControlCommand::Halt { run: id, now, reason, by }
            }
            ViewCommand::ClearHalt => ControlCommand::ClearHalt { run: id },
        })
    }
}

/// The number of the open question, if this is an answer to it.
fn check_answer(run: &Run, named: &str, answer: &str) -> Result<u32, AppError> {
    let number = named.trim_start_matches(['Q', 'q']).parse::<u32>().ok();
    let question = run.questions().find(|question| Some(question.id.0) == number);
    let Some(question) = question else {
        return Err(AppError::incomplete("question", format!("there is no open question {named}")));
    };
    let refused = |error: AnswerRefusal| AppError::usage("answer", error.to_string());
    question.interpret(answer).map_err(refused)?;
    Ok(question.id.0)
}
