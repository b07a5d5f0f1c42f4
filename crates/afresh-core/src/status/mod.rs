//! The state of a run as a table, for people and scripts.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`forecast`] | what a plan is expected to take, and how wrong that was |
//! | [`score`] | how good a plan is before it runs |
//! | `spending` | what was used |
//! | [`trace`] | which requirement is proved by what |
//! | `workers` | what workers report about themselves |

pub mod forecast;
pub mod score;
mod spending;
pub mod trace;
mod workers;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::check::{CheckEnd, CheckExcuse, MutationTally, Receipt};
use crate::comment::KeptComment;
use crate::ids::{CommitId, QuestionId, RunId, TaskId, TreeId};
use crate::outcome::{CriterionReport, DecisionOption, Deviation, Outcome};
use crate::plan::Task;
use crate::rejection::Rejection;
use crate::review::ReviewReceipt;
use crate::run::{BlockCause, DriveState, ReviewActivity, ReviewStage, Run, TaskStage, TaskState};
use crate::time::Timestamp;

pub use spending::{UsageStatus, WaveStatus};
pub use workers::{ContextStatus, WorkerStatus};

/// What `afresh status --json` prints.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct RunStatus {
    pub run: RunId,
    pub state: RunState,
    pub branch: String,
    pub base: CommitId,
    pub tip: CommitId,
    pub counts: BTreeMap<TaskPhase, usize>,
    pub tasks: Vec<TaskStatus>,
    pub questions: Vec<QuestionStatus>,
    pub usage: UsageStatus,
    /// Attempts that used tokens, and whose price is unknown.
    pub without_price: usize,
    /// The same by wave.
    pub waves: Vec<WaveStatus>,
    /// How workers and checks were sandboxed when the run was last opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// The resource limits of each worker and check, and what enforced them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<String>,
    pub halt: Option<HaltStatus>,
    /// A person ended it for good.
    #[serde(skip)]
    pub is_ended: bool,
    /// Why the final checks failed, if they did.
    pub error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    Planning,
    Running,
    Halted,
    Waiting,
    Done,
    Failed,
}

/// What people and scripts see of a task's stage, in the order of the alphabet, as JSON lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskPhase {
    Blocked,
    Checking,
    Done,
    Failed,
    Merging,
    Pending,
    Ready,
    Running,
    Skipped,
    Waiting,
}

impl TaskPhase {
    pub fn word(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Checking => "checking",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Merging => "merging",
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Skipped => "skipped",
            Self::Waiting => "waiting",
        }
    }
}

impl std::fmt::Display for TaskPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}

impl RunState {
    /// The word that scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Running => "running",
            Self::Halted => "halted",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct TaskStatus {
    pub id: TaskId,
    pub title: String,
    pub state: TaskPhase,
    pub attempts: u32,
    /// The agent of its next worker, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Who works on it by hand, or did the work that is being checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    /// The workers of its attempts, as far as their programs reported about themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerStatus>,
    /// For a task that has steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<StepsStatus>,
    pub commits: Vec<CommitId>,
    pub usage: UsageStatus,
    /// What reviewers used of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_usage: Option<UsageStatus>,
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<TaskId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<String>,
    /// The category of the last worker's error, as reported by the worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_category: Option<String>,
    /// What the last worker reports about its work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<Deviation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Comments of people, and which attempts have read them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<KeptComment>,
    /// The proof, for a task that is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<ReceiptStatus>,
}

/// How many of its own steps a task has finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct StepsStatus {
    pub done: u32,
    pub of: u32,
}

/// What was run on which tree, and what the task changed (EX-05).
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct ReceiptStatus {
    /// The tree that the checks ran on.
    pub tree: TreeId,
    /// The last commit of its batch, whose tree that is; none if it is that of its own commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_by: Option<CommitId>,
    pub checks: Vec<CheckStatus>,
    pub created: Vec<String>,
    pub modified: Vec<String>,
    pub deleted: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<Deviation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Test files that the work created or changed, and that no check executed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unexecuted_tests: Vec<String>,
    /// Who approved or accepted the work, where reviews are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewReceipt>,
}

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct CheckStatus {
    pub name: String,
    pub command: String,
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    pub output_digest: String,
    pub reused: bool,
    /// It failed on the same tree before it passed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// Why its failure does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excuse: Option<CheckExcuse>,
    /// How many tests were executed, where a test runner was recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed_tests: Option<u64>,
    /// How many mutants of the change were noticed, where they were tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutants: Option<String>,
}

impl From<&Receipt> for ReceiptStatus {
    fn from(receipt: &Receipt) -> Self {
        let checks = receipt.checks.iter().map(|check| CheckStatus {
            name: check.name.clone(),
            command: check.command.clone(),
            exit_code: match check.end {
                CheckEnd::Exited(code) => Some(code),
                _ => None,
            },
            duration_ms: check.duration_ms,
            output_digest: check.output_digest.clone(),
            reused: check.reused,
            flaky: check.is_flaky(),
            excuse: check.excuse.clone(),
            executed_tests: check.tests.as_ref().map(|tests| tests.executed),
            mutants: check.mutants.as_ref().map(MutationTally::describe),
        });
        Self {
            tree: receipt.tree.clone(),
            covered_by: receipt.covered_by.clone(),
            checks: checks.collect(),
            created: receipt.created.clone(),
            modified: receipt.modified.clone(),
            deleted: receipt.deleted.clone(),
            criteria: receipt.criteria.clone(),
            deviations: receipt.deviations.clone(),
            notes: receipt.notes.clone(),
            unexecuted_tests: receipt.unexecuted_tests.clone(),
            review: receipt.review.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct QuestionStatus {
    pub id: String,
    #[serde(skip)]
    pub number: QuestionId,
    pub task: TaskId,
    pub kind: &'static str,
    pub text: String,
    pub options: Vec<DecisionOption>,
}

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct HaltStatus {
    pub now: bool,
    pub reason: String,
    pub by: String,
    /// The caller fills this in, because it knows the calendar.
    pub since: Option<String>,
}

impl RunStatus {
    pub fn from_run(run: &Run) -> Self {
        let blocked = run.blocked();
        let mut tasks: Vec<TaskStatus> = run
            .indexed_tasks()
            .map(|(at, task, state)| {
                let mut told = task_status(task, state, blocked.get(&at), run.is_ready(at));
                told.agent = run.agent_at_work(at).map(str::to_owned);
                told.blocked_by.extend(run.held_up_by(at).cloned());
                told
            })
            .collect();
        for mark in run.refuted_marks() {
            let marked = tasks.iter_mut().find(|told| told.id == mark.task.id);
            if let Some(told) = marked {
                let result = mark.result.describe();
                told.error =
                    Some(format!("marked done in the plan, but its check fails: {result}"));
            }
        }
        Self {
            run: run.id().clone(),
            state: run_state(run),
            branch: run.branch().to_owned(),
            base: run.base().clone(),
            tip: run.tip().clone(),
            counts: count_phases(run),
            tasks,
            questions: run.questions().map(question_status).collect(),
            usage: UsageStatus::from(&run.usage()),
            without_price: count_unpriced(run),
            waves: spending::waves(run),
            halt: run.halt().map(|halt| HaltStatus {
                now: halt.now,
                reason: halt.reason.clone(),
                by: halt.by.clone(),
                since: None,
            }),
            sandbox: Some(run.settings().sandbox.clone()).filter(|words| !words.is_empty()),
            limits: Some(run.settings().limits.clone()).filter(|words| !words.is_empty()),
            error: final_error(run),
            is_ended: run.is_ended_for_good(),
        }
    }
}

/// How many tasks are in each phase.
pub fn count_phases(run: &Run) -> BTreeMap<TaskPhase, usize> {
    let blocked = run.blocked();
    let mut counts = BTreeMap::new();
    for (at, _, state) in run.indexed_tasks() {
        let phase = task_phase(&state.stage, blocked.contains_key(&at), run.is_ready(at));
        *counts.entry(phase).or_insert(0) += 1;
    }
    counts
}

/// Attempts of a run that used tokens, and whose price is unknown.
pub fn count_unpriced(run: &Run) -> usize {
    run.tasks().map(|(_, state)| spending::without_price(state)).sum()
}

/// What a run's driver is doing.
pub fn run_state(run: &Run) -> RunState {
    if run.halt().is_some() && !run.is_ended_for_good() {
        return RunState::Halted;
    }
    match run.drive_state(Timestamp::default()) {
        DriveState::Busy => RunState::Running,
        DriveState::Halted => RunState::Halted,
        DriveState::Waiting => RunState::Waiting,
        DriveState::BudgetReached | DriveState::Finished { ok: false } => RunState::Failed,
        DriveState::Finished { ok: true } => {
            let all = run.tasks().all(|(_, state)| state.is_done());
            if all { RunState::Done } else { RunState::Running }
        }
    }
}

/// Whether nothing continues the run by itself any more: it is finished, or it was ended. A run of one task
/// (`--task`) is not over while other tasks are left.
pub fn is_over(run: &Run) -> bool {
    let is_finished = matches!(run.drive_state(Timestamp::default()), DriveState::Finished { .. });
    is_finished && run_state(run) != RunState::Running
}

/// What is wrong with the run as a whole, besides its tasks.
fn final_error(run: &Run) -> Option<String> {
    if let Some(reason) = run.aborted() {
        return Some(reason.to_owned());
    }
    let failures = run.final_failures();
    let more = failures.len().saturating_sub(1);
    let first = failures.into_iter().next()?;
    Some(if more == 0 { first } else { format!("{first} (and {more} more)") })
}

fn task_status(
    task: &Task,
    state: &TaskState,
    causes: Option<&Vec<BlockCause>>,
    ready: bool,
) -> TaskStatus {
    let commits = match &state.stage {
        TaskStage::Done { commit, .. } => vec![commit.clone()],
        _ => Vec::new(),
    };
    let claim = state.last.outcome.as_ref().and_then(Outcome::claim).cloned().unwrap_or_default();
    TaskStatus {
        id: task.id.clone(),
        title: task.title.clone(),
        state: task_phase(&state.stage, causes.is_some(), ready),
        attempts: state.retries.last_number,
        agent: None,
        by_hand: state.stage.work().and_then(|work| work.by_hand.clone()),
        workers: workers::workers(state),
        steps: steps_status(task, state),
        commits,
        usage: UsageStatus::from(&state.usage()),
        review_usage: (!state.records.review_usages.is_empty())
            .then(|| UsageStatus::from(&state.review_usage())),
        error: error(state, causes),
        blocked_by: causes.into_iter().flatten().map(|cause| cause.task.clone()).collect(),
        differences: state.last.differences.clone(),
        error_category: match &state.last.rejection {
            Some(Rejection::GaveUp { category, .. }) if !state.is_done() => category.clone(),
            _ => None,
        },
        criteria: claim.criteria,
        deviations: state.declared_in_steps().cloned().chain(claim.deviations).collect(),
        notes: claim.notes,
        comments: state.people.comments.clone(),
        receipt: match &state.stage {
            TaskStage::Done { receipt, .. } => Some(ReceiptStatus::from(&**receipt)),
            _ => None,
        },
    }
}

fn steps_status(task: &Task, state: &TaskState) -> Option<StepsStatus> {
    let of = u32::try_from(task.steps.len()).unwrap_or(u32::MAX);
    // A task that is done is complete, whether its workers marked steps or not.
    let done = if state.is_done() { of } else { state.steps_done() };
    (of > 0).then_some(StepsStatus { done, of })
}

/// The phase that people and scripts see of a task's stage.
fn task_phase(stage: &TaskStage, is_blocked: bool, is_ready: bool) -> TaskPhase {
    match stage {
        TaskStage::Idle if is_blocked => TaskPhase::Blocked,
        TaskStage::Idle if is_ready => TaskPhase::Ready,
        TaskStage::Idle => TaskPhase::Pending,
        // Not running before its process has started (B37).
        TaskStage::Starting(_) => TaskPhase::Ready,
        TaskStage::Running(_) | TaskStage::Harvesting { .. } | TaskStage::Judging { .. } => {
            TaskPhase::Running
        }
        TaskStage::Held { .. }
        | TaskStage::Waiting(_)
        | TaskStage::Reviewing {
            review: ReviewStage { activity: ReviewActivity::Asked(_), .. },
            ..
        } => TaskPhase::Waiting,
        TaskStage::Checking { .. } | TaskStage::Reviewing { .. } => TaskPhase::Checking,
        TaskStage::Queued { .. } | TaskStage::Merging { .. } => TaskPhase::Merging,
        TaskStage::Failed { .. } => TaskPhase::Failed,
        TaskStage::Skipped { .. } => TaskPhase::Skipped,
        TaskStage::Done { .. } | TaskStage::Settled { .. } => TaskPhase::Done,
    }
}

fn error(state: &TaskState, causes: Option<&Vec<BlockCause>>) -> Option<String> {
    match (&state.stage, causes) {
        (TaskStage::Failed { reason, .. } | TaskStage::Skipped { reason, .. }, _) => {
            Some(reason.clone())
        }
        (TaskStage::Done { .. } | TaskStage::Settled { .. }, _) => None,
        (_, Some(causes)) => {
            let list: Vec<String> =
                causes.iter().map(|cause| format!("{} {}", cause.task, cause.state)).collect();
            Some(format!("blocked: {}", list.join(", ")))
        }
        _ => state.last_error(),
    }
}

fn question_status(question: &crate::question::Question) -> QuestionStatus {
    QuestionStatus {
        id: question.id.to_string(),
        number: question.id,
        task: question.task.clone(),
        kind: question.topic.kind(),
        text: question.text.clone(),
        options: question.options.clone(),
    }
}
