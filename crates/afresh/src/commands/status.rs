//! `afresh status`: where it stands.

use afresh_core::Event;
use afresh_core::status::{RunState, Status};
use afresh_engine::open::Found;
use afresh_engine::records;
use serde_json::json;

use crate::cli::Common;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::moment;
use crate::output::{Output, Paint, safe};
use crate::{completing, the_run, workplace};

/// Show where the run stands
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Another run than the last one
    #[arg(long, value_name = "RUN", add = completing::runs())]
    run: Option<String>,
}

pub(crate) fn status(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let place = workplace::find(common)?;
    let found = match &args.run {
        Some(id) => Some(the_run::find(&place, Some(id))?),
        None => place.look(|_| true)?,
    };
    let Some(found) = found else {
        if output.json {
            output.document(&json!({"run": null}));
        } else {
            output.data("no run yet; `afresh run PLAN` starts one");
        }
        return Ok(Exit::Done);
    };
    let mut status = Status::of(&found.run);
    if let Some(halt) = &mut status.halt {
        halt.since = halted_since(&found);
    }
    let driver = place.holder().ok().flatten();
    if output.json {
        let mut document = serde_json::to_value(&status).unwrap_or_default();
        document["driver"] =
            json!(driver.map(|holder| json!({"pid": holder.pid, "host": holder.host})));
        output.document(&document);
    } else {
        print(&status, driver.map(|holder| holder.pid), output);
    }
    Ok(Exit::Done)
}

/// The moment of the last halt request.
fn halted_since(found: &Found) -> Option<String> {
    let halts = |record: &&afresh_store::Record| {
        matches!(records::to_event(record), Ok(Event::HaltRequested { .. }))
    };
    found.records.iter().rev().find(halts).map(|record| moment::iso(record.wall_ms))
}

fn print(status: &Status, driver: Option<u32>, output: &Output) {
    let state = status.state.word();
    match (driver, status.state) {
        (Some(pid), _) => {
            output.data(&format!("run {} is {state}, driven by process {pid}", status.run));
        }
        (None, RunState::Running) => {
            output.data(&format!("run {} was interrupted; `afresh run` goes on", status.run));
        }
        (None, _) => output.data(&format!("run {} is {state}", status.run)),
    }
    if let Some(halt) = &status.halt {
        let since = halt.since.as_deref().unwrap_or("?");
        output.data(&format!("halted by {} since {since}: {}", safe(&halt.by), safe(&halt.reason)));
    }
    let counts: Vec<String> =
        status.counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
    output.data(&format!(
        "branch {} at {}; {}",
        status.branch,
        &status.tip.as_str()[..10],
        counts.join(", ")
    ));
    for task in &status.tasks {
        let paint = match task.state {
            "done" => Paint::Green,
            "failed" => Paint::Red,
            "skipped" | "blocked" | "waiting" => Paint::Yellow,
            _ => Paint::Blue,
        };
        let word = output.paint(paint, &format!("{:>9}", task.state));
        let tries = if task.attempts > 1 {
            format!(" ({} attempts)", task.attempts)
        } else {
            String::new()
        };
        let error =
            task.error.as_ref().map(|error| format!(": {}", safe(error))).unwrap_or_default();
        output.data(&format!("{word}  {}  {}{tries}{error}", task.id, safe(&task.title)));
    }
    for question in &status.questions {
        output.data(&format!(
            "{} ({}) {}: {}",
            question.id,
            question.kind,
            question.task,
            safe(&question.text)
        ));
        for option in &question.options {
            output.data(&format!("     {}: {}", safe(&option.key), safe(&option.description)));
        }
    }
    if let Some(error) = &status.error {
        output.data(&format!("error: {}", safe(error)));
    }
}
