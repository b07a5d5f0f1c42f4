//! The worker tools: each does the same as the command of that name.

use afresh_agents::worker_tools;
use afresh_core::event::LogLevel;
use afresh_core::outcome::{Deviation, Outcome};
use afresh_core::printable;
use afresh_core::step::StepAnswer;
use afresh_engine::mailbox::Mailbox;
use serde_json::{Value, json};

use crate::in_attempt::worker;
use crate::in_attempt::worker::result::AttemptRole;
use afresh_app::context::environment::Environment;
use afresh_app::error::AppError;

const COMMAND: &str = "afresh mcp --attempt";

pub(crate) struct WorkerTools {
    mailbox: Mailbox,
    environment: Environment,
}

/// The answer for the worker: success, or what is wrong.
type ToolAnswer = Result<String, String>;

impl WorkerTools {
    pub(crate) fn new(mailbox: Mailbox, environment: Environment) -> Self {
        Self { mailbox, environment }
    }

    /// The tools of this worker, or of this reviewer.
    pub(super) fn list(&self) -> Value {
        match worker::result::role(&self.environment) {
            AttemptRole::Worker => worker_tools::list(),
            AttemptRole::Reviewer => worker_tools::list_for_reviewer(),
        }
    }

    /// None where there is no such tool.
    pub(super) fn call(&self, name: &str, arguments: &Value) -> Option<ToolAnswer> {
        let said = self.answer(name, arguments)?;
        // A worker that asked is about to end: the next one gets its answer, and all comments. A reviewer gets neither.
        if matches!(name, "report_review" | "ask") {
            return Some(said);
        }
        // One that has reported needs no warning, but may change its work and report again.
        let notice = if name == "report_result" { None } else { self.mailbox.take_notice() };
        let added: Vec<String> = notice.into_iter().chain(self.mailbox.take_comments()).collect();
        let add = |text: String| match added.as_slice() {
            [] => text,
            added => format!("{text}\n\n{}", added.join("\n\n")),
        };
        Some(said.map(add).map_err(add))
    }

    fn answer(&self, name: &str, arguments: &Value) -> Option<ToolAnswer> {
        Some(match name {
            "report_result" => report(arguments, &self.environment),
            "report_review" => report_review(arguments, &self.environment),
            "step_done" => self.step_done(arguments),
            "log" => self.log(arguments),
            "ask" => ask(arguments, &self.environment),
            "issue" => self.issue(arguments),
            _ => return None,
        })
    }

    fn step_done(&self, arguments: &Value) -> ToolAnswer {
        let step = arguments.get("step").and_then(Value::as_u64);
        let step =
            step.and_then(|step| u32::try_from(step).ok()).ok_or("`step` must be a number")?;
        let deviations = deviations(arguments);
        match worker::steps::done(&self.mailbox, step, deviations)
            .map_err(|why| error_text(&why))?
        {
            StepAnswer::Accepted => Ok(format!("step {step} is done")),
            StepAnswer::Refused(why) => {
                let why = printable::lines(why.trim_end());
                Err(format!("step {step} is not done: {why}\nFix it, then mark the step again."))
            }
        }
    }

    fn log(&self, arguments: &Value) -> ToolAnswer {
        let level = match arguments.get("level").and_then(Value::as_str).unwrap_or("INFO") {
            "DEBUG" => LogLevel::Debug,
            "WARN" => LogLevel::Warn,
            "ERROR" => LogLevel::Error,
            _ => LogLevel::Info,
        };
        let event = arguments.get("event").and_then(Value::as_str).unwrap_or("note");
        let message = text(arguments, "message")?;
        worker::notes::log(&self.mailbox, level, event, message).map_err(|why| error_text(&why))?;
        Ok("noted".to_owned())
    }

    fn issue(&self, arguments: &Value) -> ToolAnswer {
        let message = text(arguments, "text")?;
        worker::notes::issue(&self.mailbox, message).map_err(|why| error_text(&why))?;
        Ok("noted".to_owned())
    }
}

fn report(arguments: &Value, environment: &Environment) -> ToolAnswer {
    let outcome = worker::result::report(COMMAND, &arguments.to_string(), environment)
        .map_err(|why| error_text(&why))?;
    Ok(match outcome {
        Outcome::Done(_) => "recorded; you are finished. The checks decide.",
        _ => "recorded; you are finished.",
    }
    .to_owned())
}

fn report_review(arguments: &Value, environment: &Environment) -> ToolAnswer {
    worker::result::report_review(COMMAND, &arguments.to_string(), environment)
        .map_err(|why| error_text(&why))?;
    Ok("recorded; you are finished.".to_owned())
}

/// A question for a person is a result: the answer goes to a fresh worker.
fn ask(arguments: &Value, environment: &Environment) -> ToolAnswer {
    let question = text(arguments, "question")?;
    let field = |name: &str| arguments.get(name).cloned().unwrap_or(Value::Null);
    let result = json!({
        "status": "NEEDS_DECISION", "decision_needed": question, "options": field("options"),
        "context": field("context").as_str().unwrap_or_default(),
    });
    worker::result::report(COMMAND, &result.to_string(), environment)
        .map_err(|why| error_text(&why))?;
    Ok("asked. End now: the next worker of this task gets the answer.".to_owned())
}

fn deviations(arguments: &Value) -> Vec<Deviation> {
    let listed = arguments.get("deviations").and_then(Value::as_array).into_iter().flatten();
    let one = |deviation: &Value| {
        let file = deviation.get("path").and_then(Value::as_str)?.to_owned();
        let reason = deviation.get("reason").and_then(Value::as_str).unwrap_or_default();
        Some(Deviation { rule: 3, description: reason.to_owned(), files: vec![file] })
    };
    listed.filter_map(one).collect()
}

fn text<'v>(arguments: &'v Value, name: &str) -> Result<&'v str, String> {
    let given = arguments.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    given.ok_or_else(|| format!("`{name}` is missing"))
}

fn error_text(why: &AppError) -> String {
    crate::error::to_text(why, usize::MAX).trim_end().to_owned()
}
