//! Giving an order to a run: through the inbox if somebody drives it, else under the lock.

use std::time::{Duration, Instant};

use afresh_core::ids::RunId;
use afresh_engine::reports::activity::ActivityLog;
use afresh_engine::{ControlCommand, OpenError, RepoContext, Reporter, driver};
use afresh_store::{Inbox, InboxError, LockError};
use serde_json::json;

use crate::app::environment;
use crate::app::error::Failure;
use crate::app::session::watching::pages;
use crate::app::session::workplace;
use crate::app::text::moment;
use crate::cli::Common;
use crate::exit::Exit;
use crate::terminal::output::Output;

/// How long a driver gets to answer; the order is on disk in any case.
const PATIENCE: Duration = Duration::from_secs(5);

/// Gives the order to the last run and says how it went.
pub(crate) fn give(
    common: &Common,
    output: &Output,
    done: &str,
    make: impl FnOnce(RunId) -> ControlCommand,
) -> Result<Exit, Failure> {
    let place = workplace::find(common)?;
    let found = place.find_run(|_| true)?.ok_or_else(no_run)?;
    let order = make(found.run.id().clone()).without(&environment::secrets());
    let mut sent = None;
    let refusal = loop {
        match apply(&place, &order, sent) {
            Err(OpenError::Lock(LockError::Held(_))) => {
                let message =
                    if let Some(message) = sent { message } else { send(&place, &order)? };
                sent = Some(message);
                let answer = await_answer(&place, message)?;
                match answer {
                    Some(answer) => break (answer != "ok").then_some(answer),
                    // The driver ended before it read the order, and left it to us.
                    None if place.holder()?.is_none() => {}
                    // It is on disk; whoever drives the run next carries it out.
                    None => break None,
                }
            }
            Err(error) => return Err(error.into()),
            Ok(refusal) => break refusal,
        }
    };
    if let Some(why) = refusal {
        Err(Failure::new(Exit::Incomplete, "refused", why))
    } else {
        if output.json {
            output.document(&json!({"run": order.run(), "ok": true}));
        } else {
            output.note(done);
        }
        Ok(Exit::Done)
    }
}

pub(crate) fn no_run() -> Failure {
    Failure::usage("no-run", "there is no run here").help("`afresh run PLAN` starts one")
}

/// Nobody drives: the order is carried out here, under the lock.
fn apply(
    place: &RepoContext,
    order: &ControlCommand,
    sent: Option<i64>,
) -> Result<Option<String>, OpenError> {
    let taken = place.lock(&workplace::holder())?;
    let Some(found) = taken.find_run(|run| run.id() == order.run())? else {
        return Ok(Some(format!("there is no run {}", order.run())));
    };
    let open = taken.open_run(found.run, found.last_at);
    // The log is a convenience: without it the order is carried out all the same.
    let log = ActivityLog::open(&place.layout.activity_log(), moment::iso).ok();
    let mut watchers: Vec<Box<dyn Reporter>> = pages(place).into();
    if let Some(log) = log {
        watchers.push(Box::new(log));
    }
    Ok(driver::control::apply_command(open, order, sent, &mut watchers)?)
}

/// Somebody drives: the order goes to the inbox, and is durable when this returns.
fn send(place: &RepoContext, order: &ControlCommand) -> Result<i64, Failure> {
    let mut inbox = Inbox::open(&place.layout.state).map_err(failed)?;
    let body = serde_json::to_string(order)
        .map_err(|error| Failure::new(Exit::Bug, "order", error.to_string()))?;
    inbox.send(&workplace::person(), &body).map_err(failed)
}

/// The driver's answer; none if there is none yet, or nobody to give it.
fn await_answer(place: &RepoContext, message: i64) -> Result<Option<String>, Failure> {
    let inbox = Inbox::open(&place.layout.state).map_err(failed)?;
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if let Some(answer) = inbox.answer_of(message).map_err(failed)? {
            return Ok(Some(answer));
        }
        if place.holder()?.is_none() {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(None)
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` wants it")]
fn failed(error: InboxError) -> Failure {
    Failure::usage("inbox", error.to_string())
}
