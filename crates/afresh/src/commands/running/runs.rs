//! `afresh runs`: every run of this repository.

use crate::exit::Exit;
use crate::terminal::output::{Output, safe};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::runs::{self, RunEntry};
use afresh_app::text::time;

/// List every run of this repository: state, plan, branch, age, cost
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn runs(_args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let listed = runs::list_runs(&context.repository()?)?;
    if output.json {
        output.document(&listed);
    } else if listed.is_empty() {
        output.note("no run yet; `afresh run PLAN` starts one");
    } else {
        print(&listed, output);
    }
    Ok(Exit::Done)
}

fn print(listed: &[RunEntry], output: &Output) {
    let width = listed.iter().map(|entry| entry.run.len()).max().unwrap_or(0);
    for entry in listed {
        let cost = entry.cost_usd.map(|cost| format!(" · ${cost:.2}")).unwrap_or_default();
        let state = match entry {
            RunEntry { aborted: Some(_), .. } => "ended",
            RunEntry { interrupted: true, .. } => "interrupted",
            RunEntry { driver_pid: None, state: "running", .. } => "unfinished",
            RunEntry { landed_on: Some(_), state: "done", .. } => "landed",
            _ => entry.state,
        };
        let mark = if entry.last && listed.len() > 1 { "*" } else { " " };
        output.prose(&format!(
            "{mark} {:width$}  {state:<11}  {}/{} done · {} ago{cost} · {}",
            entry.run,
            entry.done,
            entry.tasks,
            time::format_age(entry.age),
            safe(&entry.plan)
        ));
    }
    if listed.len() > 1 {
        output.note("* the run that was driven last: commands without a name use it");
    }
    if let Some(open) = listed.iter().find(|entry| !entry.ended) {
        let run = &open.run;
        output.note(&format!("`afresh resume {run}` continues it, `afresh abort {run}` ends it"));
    }
}
