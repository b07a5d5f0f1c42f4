//! Driving a prepared run in this terminal: reporters, signals, questions. Also commands to a run.

use std::time::Instant;

use afresh_core::ids::RunId;
use afresh_core::input::ResumeMode;
use afresh_core::status::{RunState, run_state};
use afresh_core::{Event, Run};
use afresh_engine::driver::local::LocalHost;
use afresh_engine::reports::activity::ActivityLog;
use afresh_engine::reports::issues::IssueList;
use afresh_engine::{ControlCommand, Driver, RecordedEvent, RepoContext, Reporter, StateLayout};
use serde_json::json;

use crate::exit::Exit;
use crate::reporters::json_events::JsonEventReporter;
use crate::reporters::live::LiveReporter;
use crate::reporters::progress::{ProgressReporter, QuestionDisplay};
use crate::reporters::state_page::StatePageReporter;
use crate::reporters::summary::EndedRun;
use crate::reporters::worker_files::WorkerFilesReporter;
use crate::terminal::attention::{AttentionReporter, TaskbarProgress};
use crate::terminal::live::tty_mode;
use crate::terminal::output::{Output, Paint, count};
use crate::terminal::plan_watch::PlanWatch;
use crate::terminal::prompt::UserPrompt;
use crate::terminal::questions::{TerminalRole, TerminalUser};
use crate::terminal::signals;
use afresh_app::config::TerminalNotify;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::git::ref_names;
use afresh_app::logs::readers::AgentReaders;
use afresh_app::logs::watched_run::WatchedRun;
use afresh_app::logs::worker_actions::WorkerActions;
use afresh_app::notice::Notice;
use afresh_app::session::interruption::{InterruptedWave, RESUME_CHOICES};
use afresh_app::session::open::{OpenedRun, RunRequest};
use afresh_app::session::runs::select;
use afresh_app::session::{PreparedRun, control};
use afresh_app::text::time;
use afresh_views::plan::forecast_text::describe_forecast;

/// Whether the user at this terminal may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interaction {
    Ask,
    NoInput,
}

impl Interaction {
    pub(crate) fn from_no_input(no_input: bool) -> Self {
        if no_input { Self::NoInput } else { Self::Ask }
    }
}

/// Drives a run until nothing more can happen by itself.
pub(crate) fn drive(
    prepared: PreparedRun,
    request: &RunRequest,
    interaction: Interaction,
    context: &AppContext,
    output: &Output,
) -> Result<EndedRun, AppError> {
    let watch = PlanWatch::new(&prepared.file);
    let term = context.environment.text("TERM");
    let notify = prepared.notify;
    let attention = AttentionReporter::at_terminal(notify, output, term);
    let ask = |wave: &InterruptedWave| ask_how_to_resume(wave, interaction, output);
    let opened = output.with_notices(|notices| prepared.open(request, context, &ask, notices))?;
    if opened.is_new {
        announce(&opened, output);
    }
    let done_before = Some(opened.run()).filter(|_| !opened.is_new);
    let done_before = done_before.filter(|run| run_state(run) == RunState::Done).cloned();
    let started = Instant::now();
    let person = TerminalUser::at_terminal(output, TerminalRole::Driver)
        .filter(|_| interaction == Interaction::Ask);
    let layout = opened.repository.layout.clone();
    let repository = opened.repository.git.clone();
    let live = start_live_region(notify, &opened, context, output)?;
    let mut reporters = reporters(&opened.repository, person.as_ref(), output)?;
    reporters.extend(live.map(|live| Box::new(live) as Box<dyn Reporter>));
    reporters.extend(attention.map(|attention| Box::new(attention) as Box<dyn Reporter>));
    let (mut driver, opening) = opened.into_driver(reporters)?;
    signals::listen(driver.input_sender())
        .map_err(|error| AppError::bug("signals", error.to_string()))?;
    if let Some(person) = person {
        driver.wait_for_answers(person.presence());
        person.listen(driver.input_sender());
    }
    watch.start(output.clone());
    let standing = driver.drive(opening);
    // Also after an error: it is printed where the region was.
    output.region().finish();
    tty_mode::restore();
    let standing = standing?;
    let run = driver.run().clone();
    finish_hooks(&mut driver, &run, &layout, output);
    let landed_on = repository.branch_with(run.tip()).ok().flatten();
    let branch = repository.read_ref(&ref_names::run_branch_ref(run.id().as_str()));
    let has_branch = branch.is_ok_and(|found| found.is_some());
    let is_same = |before: &Run| {
        let is_tree_same = before.plan() == run.plan() && before.tip() == run.tip();
        is_tree_same && before.final_checks() == run.final_checks()
    };
    let was_done = done_before.as_ref().is_some_and(is_same) && run_state(&run) == RunState::Done;
    let took = started.elapsed();
    Ok(EndedRun { run, standing, took, layout, landed_on, has_branch, was_done })
}

/// The live region, where this terminal can show one and the user wants it.
fn start_live_region(
    notify: TerminalNotify,
    opened: &OpenedRun,
    context: &AppContext,
    output: &Output,
) -> Result<Option<LiveReporter>, AppError> {
    let term = context.environment.text("TERM");
    if !output.shows_live_region(term) {
        return Ok(None);
    }
    let repository = opened.repository.clone();
    let layout = repository.layout.clone();
    let found = select::find_run(&repository, Some(opened.run().id().as_str()))?;
    let readers = AgentReaders::load(&found.run, context);
    let actions = WorkerActions::new(readers);
    let history = WatchedRun::new(repository, found, AgentReaders::default())?.history;
    let taskbar = TaskbarProgress::at_terminal(notify, output, term);
    let region = output.region().clone();
    signals::leave_terminal_when_stopped(region.clone())
        .map_err(|error| AppError::bug("signals", error.to_string()))?;
    region.start(output.is_colored());
    Ok(Some(LiveReporter::new(region, history, layout, actions, taskbar)))
}

/// Runs the hooks of the end. What fails is reported, and changes nothing.
fn finish_hooks(driver: &mut Driver<LocalHost>, run: &Run, layout: &StateLayout, output: &Output) {
    let state = run_state(run).word();
    let mut log = ActivityLog::open(&layout.activity_log(), time::format_utc).ok();
    for failure in driver.host_mut().finish_hooks(run, state) {
        output.notices([Notice::warning(failure.describe())]);
        let wall_ms = i64::try_from(time::now_seconds()).unwrap_or(0) * 1_000;
        let event = Event::HookFailed { failure };
        let recorded = RecordedEvent { seq: 0, wall_ms, at: None, event: &event, run };
        if let Some(log) = &mut log {
            log.event_recorded(&recorded);
        }
    }
}

/// Offers the ways to continue an interrupted wave.
fn ask_how_to_resume(
    wave: &InterruptedWave,
    interaction: Interaction,
    output: &Output,
) -> Option<ResumeMode> {
    let asker = UserPrompt::there(output).filter(|_| interaction == Interaction::Ask)?;
    let descriptions = RESUME_CHOICES.map(|(_, description)| description);
    let chosen = asker.choose(&wave.question(), &descriptions, output)?;
    Some(RESUME_CHOICES[chosen].0)
}

fn announce(opened: &OpenedRun, output: &Output) {
    let run = opened.run();
    let mark = output.paint(Paint::Cyan, "run");
    output.note(&format!(
        "{mark} {}: {} in {} on {}",
        run.id(),
        count(run.plan().len(), "task"),
        count(run.plan().waves().len(), "wave"),
        run.branch()
    ));
    if let Some(forecast) = opened.forecast() {
        output.note(&format!("forecast: {}", describe_forecast(Some(forecast))));
    }
}

fn reporters(
    repository: &RepoContext,
    person: Option<&TerminalUser>,
    output: &Output,
) -> Result<Vec<Box<dyn Reporter>>, AppError> {
    let path = repository.layout.activity_log();
    let log = ActivityLog::open(&path, time::format_utc)
        .map_err(|error| AppError::cannot_write("log", &path, error))?;
    let view: Box<dyn Reporter> = if output.json {
        Box::new(JsonEventReporter { output: output.clone() })
    } else {
        let asked = person.map_or(QuestionDisplay::ShownHere, |_| QuestionDisplay::AskedElsewhere);
        Box::new(ProgressReporter::new(output.clone(), asked))
    };
    let mut reporters: Vec<Box<dyn Reporter>> = vec![Box::new(log)];
    reporters.extend(pages(repository));
    reporters.push(view);
    reporters.extend(person.map(|person| Box::new(person.clone()) as Box<dyn Reporter>));
    Ok(reporters)
}

/// Reporters that keep the files that people open current.
fn pages(repository: &RepoContext) -> [Box<dyn Reporter>; 3] {
    let issues = IssueList::new(repository.layout.issues(), time::format_utc);
    let page = StatePageReporter::new(repository.layout.state_page());
    let workers = WorkerFilesReporter::new(repository.layout.writeback());
    [Box::new(issues), Box::new(page), Box::new(workers)]
}

/// Sends a command to the last run, and prints `done` if it was accepted.
pub(crate) fn send_command(
    context: &AppContext,
    output: &Output,
    done: &str,
    make: impl FnOnce(RunId) -> ControlCommand,
) -> Result<Exit, AppError> {
    let run = control::send_command(context, &open_file_reporters, make)?;
    Ok(confirm(&run, done, output))
}

/// The same for the run that the command names.
pub(crate) fn send_to_run(
    context: &AppContext,
    output: &Output,
    done: &str,
    command: ControlCommand,
) -> Result<Exit, AppError> {
    let run = control::send_to_run(context, &open_file_reporters, command)?;
    Ok(confirm(&run, done, output))
}

fn confirm(run: &RunId, done: &str, output: &Output) -> Exit {
    if output.json {
        output.document(&json!({"run": run, "ok": true}));
    } else {
        output.note(done);
    }
    Exit::Done
}

/// The activity log and the pages.
pub(crate) fn open_file_reporters(repository: &RepoContext) -> Vec<Box<dyn Reporter>> {
    let mut reporters: Vec<Box<dyn Reporter>> = pages(repository).into();
    // Without the log, which repeats the journal, the command is carried out all the same.
    let log = ActivityLog::open(&repository.layout.activity_log(), time::format_utc).ok();
    reporters.extend(log.map(|log| Box::new(log) as Box<dyn Reporter>));
    reporters
}
