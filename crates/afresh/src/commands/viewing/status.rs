//! `afresh status`: the progress of a run.

use afresh_core::Event;
use afresh_core::estimate::ContextEstimate;
use afresh_core::estimate::forecast::RunForecast;
use afresh_core::plan::Task;
use afresh_core::run::TaskState;
use afresh_core::status::{ContextStatus, RunState, RunStatus, TaskPhase, TaskStatus, UsageStatus};
use afresh_engine::journal_records;
use afresh_engine::session::{RecordedRun, RepoContext};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::commands::running::questions;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::{Output, Paint, count, join_lines, safe};
use afresh_app::agents::agent_backoff::{WaitingAgent, parked};
use afresh_app::context::AppContext;
use afresh_app::dashboard::data::needs_you::sort_questions;
use afresh_app::error::AppError;
use afresh_app::git::ref_names::run_branch_ref;
use afresh_app::plan_source::estimates::ContextEstimates;
use afresh_app::session::runs::select;
use afresh_app::session::runs::{self, LastDriver};
use afresh_app::text::time;
use afresh_views::plan::json::share;
use afresh_views::plan::text::NOTABLE_PROMPT;

/// Show the progress of the run
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

pub(crate) fn status(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let found = match &args.run {
        Some(id) => Some(select::find_run(&place, Some(id))?),
        None => place.find_run(|_| true)?,
    };
    let Some(found) = found else {
        if output.json {
            output.document(&json!({"run": null}));
        } else {
            output.prose("no run yet; `afresh run PLAN` starts one");
        }
        return Ok(Exit::Done);
    };
    let mut status = RunStatus::from_run(&found.run);
    sort_questions(&found.run, &mut status.questions);
    if let Some(halt) = &mut status.halt {
        halt.since = halted_since(&found);
    }
    let last = LastDriver::find(&place)?;
    let (driver, interrupted) = (last.holder_of(found.run.id()), last.left(&found.run));
    let branch = place.git.read_ref(&run_branch_ref(found.run.id().as_str()));
    let has_branch = branch.is_ok_and(|found| found.is_some());
    let landed_on = runs::find_landing(&place, &found.run);
    let (parked, estimated) = (parked(&found), estimated(&found, &place));
    if output.json {
        let mut document = serde_json::to_value(&status).unwrap_or_default();
        document["parked"] = json!(parked);
        document["interrupted"] = json!(interrupted);
        add_estimates(&mut document, &estimated);
        document["driver"] =
            json!(driver.map(|holder| json!({"pid": holder.pid, "host": holder.host})));
        document["has_branch"] = json!(has_branch);
        document["landed_on"] = json!(landed_on);
        output.document(&document);
    } else {
        let driver = driver.map(|holder| holder.pid);
        let names_run = questions::run_option(&found.run, &place)?;
        let around = RunSurroundings { driver, interrupted, has_branch, landed_on, names_run };
        print(&status, &around, output);
        print_workers(&status, &estimated, output);
        print_use(&status, output);
        print_parked(&parked, output);
    }
    Ok(Exit::Done)
}

/// How much of a context window each task was expected to fill, for tasks whose workers reported how
/// much it was: as it was estimated before the run, else from the files as they are now.
fn estimated(found: &RecordedRun, repository: &RepoContext) -> Vec<Option<u64>> {
    let reported = |state: &TaskState| !state.records.contexts.is_empty();
    let plan = found.run.plan();
    let root =
        repository.git.root().filter(|_| found.run.tasks().any(|(_, state)| reported(state)));
    let Some(root) = root else { return vec![None; plan.len()] };
    let estimates = ContextEstimates::new(plan, root);
    let forecast = found.run.forecast().map(RunForecast::by_task).unwrap_or_default();
    let percent = |task: &Task| match forecast.get(&task.id) {
        Some(it) => ContextEstimate { tokens: it.raw_tokens, window: it.window }.percent(),
        None => estimates.percent(task),
    };
    found.run.tasks().map(|(task, state)| reported(state).then(|| percent(task))).collect()
}

fn add_estimates(document: &mut Value, estimated: &[Option<u64>]) {
    let tasks = document["tasks"].as_array_mut().into_iter().flatten();
    for (task, percent) in tasks.zip(estimated) {
        if let Some(percent) = percent {
            task["est_context"] = json!(share(*percent));
        }
    }
}

/// What the last worker of each task reported about itself.
fn print_workers(status: &RunStatus, estimated: &[Option<u64>], output: &Output) {
    for (task, estimated) in status.tasks.iter().zip(estimated) {
        let Some(worker) = task.workers.last() else { continue };
        let mut words: Vec<String> = Vec::new();
        words.extend(worker.model.as_deref().map(safe));
        words.extend(worker.resumes.map(|of| format!("resumed from attempt {of}")));
        // A small prompt is no news.
        let notable = worker.prompt.filter(|prompt| prompt.percent() >= NOTABLE_PROMPT);
        words.extend(notable.map(describe_prompt));
        words.extend(worker.context.map(|context| format!("{} % context", context.percent())));
        words.extend(worker.warned.then(|| "warned".to_owned()));
        words.extend(estimated.map(|percent| format!("estimated {percent} %")));
        words.extend(worker.session.as_deref().map(|session| format!("session {}", safe(session))));
        if !words.is_empty() {
            output.prose(&format!("{}.{}: {}", task.id, worker.attempt, words.join(", ")));
        }
    }
}

fn describe_prompt(prompt: ContextStatus) -> String {
    format!("prompt {} tokens ({} %)", prompt.used, prompt.percent())
}

/// Tokens and cost so far, if any were reported.
fn print_use(status: &RunStatus, output: &Output) {
    let UsageStatus { input, output: reported, cache_read, cache_write, cost_usd } = status.usage;
    if input + reported + cache_read + cache_write == 0 && cost_usd.is_none() {
        return;
    }
    let unknown = match status.without_price {
        0 => String::new(),
        attempts => format!("{} of unknown price", count(attempts, "attempt")),
    };
    let cost = match (cost_usd, unknown.is_empty()) {
        (Some(cost), true) => format!("${cost:.4}"),
        (Some(cost), false) => format!("${cost:.4} and {unknown}"),
        (None, _) => "cost unknown".to_owned(),
    };
    output.prose(&format!(
        "used {input} input, {reported} output, {cache_read} cache read, {cache_write} cache write; {cost}"
    ));
}

fn print_parked(parked: &[WaitingAgent], output: &Output) {
    for WaitingAgent { agent, tier, until, why } in parked {
        let agent = agent.as_deref().map_or_else(|| "the run's agent".to_owned(), safe);
        output.prose(&format!("{agent} with its {tier} model waits until {until}: {}", safe(why)));
    }
}

/// The moment of the last halt request.
fn halted_since(found: &RecordedRun) -> Option<String> {
    let halts = |record: &&afresh_app::store::JournalRecord| {
        matches!(journal_records::to_event(record), Ok(Event::HaltRequested { .. }))
    };
    found.records.iter().rev().find(halts).map(|record| time::format_utc(record.wall_ms))
}

/// What the journal does not say about a run.
struct RunSurroundings {
    /// The process that drives it.
    driver: Option<u32>,
    /// Its last driver was cut off.
    interrupted: bool,
    has_branch: bool,
    /// The current branch, if it contains all of the run's work.
    landed_on: Option<String>,
    /// For commands about it, if it is not the last run.
    names_run: String,
}

fn print(status: &RunStatus, around: &RunSurroundings, output: &Output) {
    let driver = around.driver;
    output.prose(&describe_state(status, around));
    if let Some(halt) = &status.halt {
        let since = halt.since.as_deref().unwrap_or("?");
        output.prose(&format!(
            "halted by {} since {since}: {}",
            safe(&halt.by),
            safe(&halt.reason)
        ));
        if around.driver.is_none() && !status.is_ended {
            output.prose(&format!("  → afresh resume {}", status.run));
        }
    }
    // Nothing waits for the answers of a run that was ended, and why it was is in the first line.
    if !status.is_ended {
        for question in &status.questions {
            questions::print(question, &around.names_run, output);
        }
        if let Some(error) = &status.error {
            output.prose(&format!("error: {}", safe(error)));
        }
    }
    // Without a driver, no attempt is alive.
    let shown = |task: &TaskStatus| match task.state {
        // A person needs no driver.
        TaskPhase::Running if task.by_hand.is_some() => task.state.word(),
        TaskPhase::Running | TaskPhase::Checking | TaskPhase::Merging if driver.is_none() => {
            "interrupted"
        }
        _ => task.state.word(),
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for task in &status.tasks {
        *counts.entry(shown(task)).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let (branch, tip) = (&status.branch, &status.tip.as_str()[..10]);
    let branch = if around.has_branch {
        format!("branch {branch} at {tip}")
    } else {
        format!("branch {branch} was removed; its last commit is {tip}")
    };
    output.prose(&format!("{branch}; {}", counts.join(", ")));
    if let Some(sandbox) = &status.sandbox {
        output.prose(&format!("sandbox: {}", safe(sandbox)));
    }
    if let Some(limits) = &status.limits {
        output.prose(&format!("limits: {}", safe(limits)));
    }
    for task in &status.tasks {
        let paint = match task.state {
            TaskPhase::Done => Paint::Green,
            TaskPhase::Failed => Paint::Red,
            TaskPhase::Skipped | TaskPhase::Blocked | TaskPhase::Waiting => Paint::Yellow,
            _ => Paint::Cyan,
        };
        let word = output.paint(paint, &format!("{:>11}", shown(task)));
        let tries = if task.attempts > 1 {
            format!(" ({} attempts)", task.attempts)
        } else {
            String::new()
        };
        let by_hand = task.by_hand.as_deref().map(|by| format!("; by hand ({})", safe(by)));
        let by_hand = by_hand.unwrap_or_default();
        let error =
            task.error.as_ref().map(|error| format!(": {}", join_lines(error))).unwrap_or_default();
        let unread = unread_comments(task);
        output.prose(&format!(
            "{word}  {}  {}{by_hand}{tries}{error}{unread}",
            task.id,
            safe(&task.title)
        ));
    }
}

/// Comments that no worker has yet.
fn unread_comments(task: &TaskStatus) -> String {
    let unread = task.comments.iter().filter(|kept| kept.read_by.is_empty()).count();
    match unread {
        0 => String::new(),
        unread => format!("; no worker has read {} yet", count(unread, "comment")),
    }
}

fn describe_state(status: &RunStatus, around: &RunSurroundings) -> String {
    let (run, state) = (&status.run, status.state.word());
    let landed = around.landed_on.as_deref().map(safe);
    let landed_too = landed.as_ref().map(|on| format!("; what it did is in {on}"));
    let landed_too = landed_too.unwrap_or_default();
    match (around.driver, status.state) {
        (Some(pid), _) => format!("run {run} is {state} in process {pid}"),
        (None, _) if around.interrupted => {
            format!("run {run} was interrupted; `afresh resume {run}` continues it")
        }
        (None, _) if status.is_ended => {
            let why = status.error.as_deref().map_or_else(|| "ended".to_owned(), safe);
            format!("run {run} was {why}{landed_too}")
        }
        (None, RunState::Running) => {
            format!("run {run} has tasks left; `afresh resume {run}` continues it")
        }
        (None, RunState::Done) => match landed {
            Some(on) => format!("run {run} is done, and has landed on {on}"),
            None => format!("run {run} is done"),
        },
        (None, _) => format!("run {run} is {state}{landed_too}"),
    }
}
