//! `afresh runs`: every run of this repository, or of all repositories of the user.

use std::path::Path;

use crate::exit::Exit;
use crate::terminal::output::{Output, safe};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::runs::repositories;
use afresh_app::session::runs::{self, RunEntry};
use afresh_app::text::time;

/// List every run of this repository: state, progress, age, cost, branch, plan
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// List the runs of all your repositories
    #[arg(long, short)]
    all: bool,
}

pub(crate) fn runs(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let listed = if args.all {
        output.with_notices(|notices| repositories::list_all_runs(context, notices))?
    } else {
        runs::list_runs(&context.repository()?)?
    };
    if output.json {
        output.document(&listed);
    } else if listed.is_empty() {
        output.note("no run yet; `afresh run PLAN` starts one");
    } else if args.all {
        for of_one in listed.chunk_by(|a, b| a.repository == b.repository) {
            output.prose(&safe(&of_one[0].repository));
            print(of_one, output);
        }
        output.note("`afresh -C DIRECTORY status --run RUN` shows one of them");
    } else {
        print(&listed, output);
        print_hints(&listed, output);
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
            "{mark} {:width$}  {state:<11}  {}/{} done · {} ago{cost} · {} · {}",
            entry.run,
            entry.done,
            entry.tasks,
            time::format_age(entry.age),
            safe(&entry.branch),
            safe(&relative_plan(entry))
        ));
    }
}

/// The plan as seen from its repository.
fn relative_plan(entry: &RunEntry) -> String {
    let plan = Path::new(&entry.plan);
    plan.strip_prefix(&entry.repository).unwrap_or(plan).display().to_string()
}

fn print_hints(listed: &[RunEntry], output: &Output) {
    if listed.len() > 1 {
        output.note("* the run that was driven last: commands without a name use it");
    }
    if let Some(open) = listed.iter().find(|entry| !entry.ended) {
        let run = &open.run;
        output.note(&format!("`afresh resume {run}` continues it, `afresh abort {run}` ends it"));
    }
}
