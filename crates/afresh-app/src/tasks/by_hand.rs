//! `afresh task start`, `complete` and `fail`: attempts by hand (ST-06).
//!
//! A person does the work, or an agent that they drive. The core decides as with any attempt: nothing here makes a task
//! done.

use std::path::PathBuf;

use afresh_core::ids::{AttemptId, CommitId, QuestionId, RunId, TaskId, WorkspaceSlot};
use afresh_core::input::ByHandStart;
use afresh_core::outcome::{CompletionClaim, Outcome, WorkerFailure};
use afresh_core::run::{DriveState, TaskStage};
use afresh_core::status::{RunStatus, TaskPhase};
use afresh_core::{Event, Run, decide};
use afresh_engine::bundle::rendered::{BUNDLE, PROMPT};
use afresh_engine::session::RecordedRun;
use afresh_engine::{ControlCommand, RepoContext, journal_records, mailbox};
use afresh_formats::result::{self, ResultContext};
use afresh_git::ref_names::salvage_ref;
use afresh_git::{WorkspaceId, WorkspacePool};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::{AppContext, user_name};
use crate::error::AppError;
use crate::session::by_hand::{Progress, StepDriver, StepEnd};
use crate::session::control::{self, OpenReporters};
use crate::session::runs::select;
use crate::text::time;

/// More workspaces than people of one repository have open at a time.
const MAX_SLOTS: u16 = 1_000;

/// What `afresh task start --json` prints.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct StartedAttempt {
    pub run: RunId,
    pub ok: bool,
    pub task: TaskId,
    /// Such as `T001.1`.
    pub attempt: String,
    /// The number of the attempt.
    pub number: u32,
    /// Who works on it.
    pub by_hand: String,
    /// The commit that the workspace started from.
    pub base: CommitId,
    /// The working directory: a private clone.
    pub workspace: PathBuf,
    pub bundle: PathBuf,
    pub prompt: PathBuf,
    /// Where a result may be written; `afresh task complete` reads it.
    pub result: PathBuf,
}

/// What `afresh task complete --json` and `afresh task fail --json` print.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct HandedInAttempt {
    pub run: RunId,
    pub ok: bool,
    pub task: TaskId,
    pub attempt: String,
    pub outcome: HandInOutcome,
    /// The state of the task now.
    pub state: Option<TaskPhase>,
    /// The commit that landed.
    pub commit: Option<CommitId>,
    /// Why it was rejected, or what it waits for.
    pub reason: Option<String>,
    /// The question that a person must answer.
    pub question: Option<String>,
    /// The ref that keeps the work.
    pub saved: String,
}

/// How far the work of an attempt by hand came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HandInOutcome {
    Merged,
    Rejected,
    /// A person must answer first.
    Waiting,
    /// The run is halted: it goes on when the halt is cleared.
    Halted,
    /// The budget is used up, and a review needs some.
    BudgetReached,
    /// Recorded; nothing was waited for.
    HandedIn,
}

/// A task of a run, as people name both.
#[derive(Debug, Clone, Copy)]
pub struct NamedTask<'a> {
    pub run: Option<&'a str>,
    pub task: &'a str,
}

/// How an attempt by hand ends.
#[derive(Debug, Clone)]
pub enum HandIn {
    /// The work is done, as far as the person knows.
    Complete {
        result: Option<String>,
        message: Option<String>,
    },
    Fail(WorkerFailure),
}

/// Whether to wait until it is known what became of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandInWait {
    ForOutcome,
    No,
}

/// Makes a workspace for a person, as for an agent's attempt.
pub fn start_task(
    context: &AppContext,
    open_reporters: OpenReporters<'_>,
    named: NamedTask<'_>,
) -> Result<StartedAttempt, AppError> {
    let repository = context.repository()?;
    let mut found = select::find_run(&repository, named.run)?;
    let task = select::find_task(&found.run, named.task)?;
    let (by, run) = (user_name(), found.run.id().clone());
    let start = ByHandStart { task: task.clone(), by, first_slot: free_slot(&repository)? };
    let command = ControlCommand::StartByHand { run: run.clone(), start };
    // The driver decides; what is plain already is refused without any trace.
    let needs_base = !found.run.is_base_measured() || found.run.is_probing();
    if !needs_base {
        refuse(&found, &command)?;
    }
    let steps = StepDriver::prepare(context, &found, open_reporters)?;
    if needs_base {
        steps.wait(&mut found, |found| Ok(base_progress(&found.run)))?;
        refuse(&found, &command)?;
    }
    let before = last_number(&found.run, &task);
    let message = control::queue_command(&repository, &command)?;
    let end = steps.wait(&mut found, |found| {
        match control::read_answer(&repository, message)?.as_deref() {
            None => Ok(Progress::Unread),
            Some("ok") => start_progress(found, &task, before),
            Some(refusal) => Err(refused(&found.run, refusal)),
        }
    })?;
    match end {
        StepEnd::Reached(Ok(attempt)) => describe_start(&repository, &found.run, &attempt),
        StepEnd::Reached(Err(why)) => Err(AppError::incomplete("start", why)
            .hint(format!("`afresh task show {task} --run {run}` shows the task"))),
        StepEnd::Stuck(_) => Err(AppError::incomplete("start", format!("{task} was not started"))
            .hint("`afresh questions` shows what the run waits for")),
    }
}

/// Hands in the work of an attempt by hand, or gives it up.
pub fn hand_in(
    context: &AppContext,
    open_reporters: OpenReporters<'_>,
    named: NamedTask<'_>,
    end: HandIn,
    wait: HandInWait,
) -> Result<HandedInAttempt, AppError> {
    let repository = context.repository()?;
    let mut found = select::find_run(&repository, named.run)?;
    let task = select::find_task(&found.run, named.task)?;
    let attempt = open_attempt(&found.run, &task)?;
    let steps = match wait {
        HandInWait::ForOutcome => Some(StepDriver::prepare(context, &found, open_reporters)?),
        HandInWait::No => None,
    };
    let outcome = match end {
        HandIn::Complete { result, message } => {
            read_result(&repository, &found.run, &attempt, result, message)?
        }
        HandIn::Fail(failure) => Outcome::Failed(failure),
    };
    let command = ControlCommand::HandIn {
        run: found.run.id().clone(),
        task: task.clone(),
        outcome: Box::new(outcome),
        duration_ms: worked_ms(&found, &attempt)?,
    };
    control::send_to_run(context, open_reporters, command)?;
    let end = if let Some(steps) = &steps {
        steps.wait(&mut found, |found| verdict_progress(found, &attempt))?
    } else {
        found.catch_up(&repository)?;
        StepEnd::Stuck(DriveState::Busy)
    };
    Ok(describe_end(&found.run, &attempt, end))
}

/// The first workspace for work by hand that holds nothing which is not saved.
fn free_slot(repository: &RepoContext) -> Result<WorkspaceSlot, AppError> {
    let first = WorkspaceSlot::FIRST_BY_HAND;
    let pool = WorkspacePool::find(repository.git.clone(), &repository.layout.cache);
    let Some(pool) = pool.map_err(|error| AppError::machine("workspace", error.to_string()))?
    else {
        return Ok(first);
    };
    let mut slots = (first.0..first.0 + MAX_SLOTS).map(WorkspaceSlot);
    slots.find(|slot| pool.unsaved(WorkspaceId::Work(*slot)).is_none()).ok_or_else(|| {
        AppError::incomplete("start", format!("{MAX_SLOTS} workspaces hold work by hand"))
            .hint("`afresh task complete` hands work in, `afresh task fail` gives it up")
    })
}

/// What the core would refuse, said before anything is written.
fn refuse(found: &RecordedRun, command: &ControlCommand) -> Result<(), AppError> {
    let reaction = decide(&mut found.run.clone(), found.last_at, &command.to_input());
    reaction.refusal.map_or(Ok(()), |why| Err(refused(&found.run, &why)))
}

fn refused(run: &Run, why: &str) -> AppError {
    let id = run.id();
    let refused = AppError::incomplete("refused", why.to_owned());
    if run.halt().is_some() {
        return refused.hint(format!("`afresh resume {id} --clear-only` clears the halt"));
    }
    if run.questions().next().is_some() {
        return refused.hint("`afresh questions` lists open questions and their answers");
    }
    refused.hint("`afresh task ready` lists the tasks that could start now")
}

fn base_progress(run: &Run) -> Progress<()> {
    let is_settled = run.is_base_measured() && !run.is_probing();
    if is_settled || run.halt().is_some() || run.aborted().is_some() {
        Progress::Reached(())
    } else {
        Progress::Underway
    }
}

fn last_number(run: &Run, task: &TaskId) -> u32 {
    run.state_of(task).map_or(0, |state| state.retries.last_number)
}

/// The attempt once its workspace is ready, or why it is not.
fn start_progress(
    found: &RecordedRun,
    task: &TaskId,
    before: u32,
) -> Result<Progress<Result<AttemptId, String>>, AppError> {
    for record in found.records.iter().rev() {
        match journal_records::to_event(record).map_err(AppError::journal)? {
            Event::AttemptSpawned { attempt } if is_after(&attempt, task, before) => {
                return Ok(Progress::Reached(Ok(attempt)));
            }
            Event::SpawnFailed { attempt, failure, .. } if is_after(&attempt, task, before) => {
                return Ok(Progress::Reached(Err(failure.message)));
            }
            Event::HookFailed { failure }
                if failure.attempt.as_ref().is_some_and(|it| is_after(it, task, before)) =>
            {
                return Ok(Progress::Reached(Err(failure.describe())));
            }
            Event::AttemptStarting { attempt, .. } if is_after(&attempt, task, before) => break,
            _ => {}
        }
    }
    Ok(Progress::Underway)
}

fn is_after(attempt: &AttemptId, task: &TaskId, before: u32) -> bool {
    attempt.task == *task && attempt.number > before
}

fn describe_start(
    repository: &RepoContext,
    run: &Run,
    attempt: &AttemptId,
) -> Result<StartedAttempt, AppError> {
    let state = run.state_of(&attempt.task);
    let work = state.and_then(|state| state.stage.open_by_hand());
    let work = work.filter(|work| work.attempt == *attempt).ok_or_else(|| {
        AppError::incomplete("start", format!("{attempt} was ended meanwhile"))
            .hint("`afresh status` shows why")
    })?;
    let pool = WorkspacePool::find(repository.git.clone(), &repository.layout.cache);
    let pool = pool.map_err(|error| AppError::machine("workspace", error.to_string()))?;
    let pool = pool.ok_or_else(|| {
        AppError::machine("workspace", "the workspaces are gone")
            .hint(format!("`afresh task fail {}` gives the attempt up", attempt.task))
    })?;
    let files = repository.layout.attempt(run.id(), attempt);
    Ok(StartedAttempt {
        run: run.id().clone(),
        ok: true,
        task: attempt.task.clone(),
        attempt: attempt.to_string(),
        number: attempt.number,
        by_hand: work.by_hand.clone().unwrap_or_default(),
        base: work.ground.base.clone(),
        workspace: pool.tree(WorkspaceId::Work(work.slot)),
        bundle: files.join(BUNDLE),
        prompt: files.join(PROMPT),
        result: repository.layout.worker(run.id(), attempt).join("result"),
    })
}

/// The attempt of the task that a person has open.
fn open_attempt(run: &Run, task: &TaskId) -> Result<AttemptId, AppError> {
    let stage = run.state_of(task).map(|state| &state.stage);
    if let Some(work) = stage.and_then(|stage| stage.open_by_hand()) {
        return Ok(work.attempt.clone());
    }
    let open: Vec<String> = run.open_by_hand().map(|work| work.attempt.to_string()).collect();
    let message = format!("no attempt by hand of {task} is open");
    let refused = AppError::incomplete("refused", message);
    Err(if open.is_empty() {
        refused.hint(format!("`afresh task start {task}` starts one"))
    } else {
        refused.hint(format!("these are open: {}", open.join(", ")))
    })
}

/// What the person or their agent reports: the given result, else the attempt's result file, else nothing but the work.
fn read_result(
    repository: &RepoContext,
    run: &Run,
    attempt: &AttemptId,
    given: Option<String>,
    message: Option<String>,
) -> Result<Outcome, AppError> {
    let files = repository.layout.attempt(run.id(), attempt);
    let written = match given {
        Some(text) => text,
        None => mailbox::written_result(&files),
    };
    if written.trim().is_empty() {
        let claim = CompletionClaim { notes: message, ..CompletionClaim::default() };
        return Ok(Outcome::Done(claim));
    }
    let prompt = std::fs::read_to_string(files.join(PROMPT)).unwrap_or_default();
    let at = run.plan().index_of(&attempt.task);
    let planned = at.map(|at| run.plan().task(at));
    let names = planned.into_iter().flat_map(|task| {
        let steps = task.steps.iter().map(|step| step.name.as_str());
        std::iter::once(task.title.as_str()).chain(steps)
    });
    let asked =
        ResultContext { task: attempt.task.as_str(), names: names.collect(), prompt: &prompt };
    let mut outcome = result::read_file(&written, "", &asked);
    if let Outcome::Unintelligible { reason, .. } = &outcome {
        return Err(AppError::usage("result", format!("cannot read the result: {reason}"))
            .hint("the minimum is {\"status\": \"COMPLETED\"}; the attempt is still open"));
    }
    if let (Outcome::Done(claim), Some(message)) = (&mut outcome, message) {
        claim.notes = Some(message);
    }
    Ok(outcome)
}

/// Since its workspace was ready.
fn worked_ms(found: &RecordedRun, attempt: &AttemptId) -> Result<u64, AppError> {
    for record in found.records.iter().rev() {
        let event = journal_records::to_event(record).map_err(AppError::journal)?;
        if matches!(&event, Event::AttemptSpawned { attempt: spawned } if spawned == attempt) {
            let now = i64::try_from(time::now_seconds()).unwrap_or(0).saturating_mul(1_000);
            return Ok(u64::try_from(now.saturating_sub(record.wall_ms)).unwrap_or(0));
        }
    }
    Ok(0)
}

/// What became of an attempt.
#[derive(Debug)]
enum HandInVerdict {
    Merged(CommitId),
    Rejected(String),
    Asked(QuestionId),
}

fn verdict_progress(
    found: &RecordedRun,
    attempt: &AttemptId,
) -> Result<Progress<HandInVerdict>, AppError> {
    let stage = found.run.state_of(&attempt.task).map(|state| &state.stage);
    if stage.is_some_and(|stage| stage.open_by_hand().is_some_and(|it| it.attempt == *attempt)) {
        return Ok(Progress::Unread);
    }
    // A worker's question ends its attempt too.
    if let Some(question) = stage.and_then(afresh_core::run::TaskStage::question)
        && last_number(&found.run, &attempt.task) == attempt.number
        && !is_failed(&found.run, attempt)
    {
        return Ok(Progress::Reached(HandInVerdict::Asked(question)));
    }
    for record in found.records.iter().rev() {
        match journal_records::to_event(record).map_err(AppError::journal)? {
            Event::Merged { attempt: merged, commit } if merged == *attempt => {
                return Ok(Progress::Reached(HandInVerdict::Merged(commit)));
            }
            Event::AttemptRejected { attempt: rejected, reason, .. } if rejected == *attempt => {
                return Ok(Progress::Reached(HandInVerdict::Rejected(reason.describe())));
            }
            Event::LeavingsSaved { attempt: saved } if saved == *attempt => {
                let why = "the plan changed; the work is saved, and not used".to_owned();
                return Ok(Progress::Reached(HandInVerdict::Rejected(why)));
            }
            Event::AttemptEnded { attempt: ended, .. } if ended == *attempt => break,
            _ => {}
        }
    }
    Ok(Progress::Underway)
}

/// Whether the task's question is about its failure, so that the work itself was rejected.
fn is_failed(run: &Run, attempt: &AttemptId) -> bool {
    matches!(run.state_of(&attempt.task).map(|state| &state.stage), Some(TaskStage::Failed { .. }))
}

fn describe_end(run: &Run, attempt: &AttemptId, end: StepEnd<HandInVerdict>) -> HandedInAttempt {
    let status = RunStatus::from_run(run);
    let state = status.tasks.iter().find(|task| task.id == attempt.task).map(|task| task.state);
    let mut told = HandedInAttempt {
        run: run.id().clone(),
        ok: true,
        task: attempt.task.clone(),
        attempt: attempt.to_string(),
        outcome: HandInOutcome::HandedIn,
        state,
        commit: None,
        reason: None,
        question: None,
        saved: salvage_ref(run.id().as_str(), &attempt.to_string()),
    };
    match end {
        StepEnd::Reached(HandInVerdict::Merged(commit)) => {
            told.outcome = HandInOutcome::Merged;
            told.commit = Some(commit);
        }
        StepEnd::Reached(HandInVerdict::Rejected(why)) => {
            (told.ok, told.outcome) = (false, HandInOutcome::Rejected);
            told.reason = Some(why);
        }
        StepEnd::Reached(HandInVerdict::Asked(question)) => {
            (told.ok, told.outcome) = (false, HandInOutcome::Waiting);
            told.reason = run.question(question).map(|question| question.text.clone());
            told.question = Some(question.to_string());
        }
        StepEnd::Stuck(DriveState::Waiting) => {
            (told.ok, told.outcome) = (false, HandInOutcome::Waiting);
            let first = run.questions().next();
            told.reason = first.map(|question| question.text.clone());
            told.question = first.map(|question| question.id.to_string());
        }
        StepEnd::Stuck(DriveState::Halted) => {
            (told.ok, told.outcome) = (false, HandInOutcome::Halted);
            told.reason = run.halt().map(|halt| halt.reason.clone());
        }
        StepEnd::Stuck(DriveState::BudgetReached) => {
            (told.ok, told.outcome) = (false, HandInOutcome::BudgetReached);
        }
        StepEnd::Stuck(DriveState::Finished { .. }) => {
            (told.ok, told.outcome) = (false, HandInOutcome::Rejected);
            told.reason = run.aborted().map(str::to_owned);
        }
        StepEnd::Stuck(DriveState::Busy) => {}
    }
    told
}
