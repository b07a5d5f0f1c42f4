//! What happened outside of the core.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::{CheckOutcome, CheckPhase, NoteProblem};
use crate::comment::CommentedPart;
use crate::denial::Denial;
use crate::estimate::forecast::RunForecast;
use crate::event::LogLevel;
use crate::harvest::Harvest;
use crate::hook::HookFailure;
use crate::ids::{AttemptId, CommitId, QuestionId, TaskId, TreeId, WorkspaceSlot};
use crate::model_error::ModelError;
use crate::outcome::{Deviation, Outcome, SpawnFailure};
use crate::plan::Plan;
use crate::probe::ProbedCheck;
use crate::process::ProcessEnd;
use crate::review::{ReviewEnd, ReviewId};
use crate::run::RewindTarget;
use crate::run::merge_queue::BatchId;
use crate::run::settings::Settings;
use crate::usage::{ContextFill, ModelUsage, Usage};

#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A driver opened the run; everything that an earlier one had running is dead.
    Opened(Box<RunOpening>),
    /// The worker's process has started.
    Spawned(AttemptId),
    /// How much of its model's context the prompt of a worker that has started fills.
    PromptMeasured(AttemptId, ContextFill),
    /// It could not be started.
    SpawnFailed(AttemptId, SpawnFailure),
    /// The conversation of the interrupted attempt, or its work, is no longer available.
    CannotResume(AttemptId, String),
    /// A running total of what the attempt has used.
    UsageSeen(AttemptId, Usage),
    /// The agent program identified itself.
    Identified(AttemptId, AgentIdentity),
    /// How full the worker's context is now.
    ContextSeen(AttemptId, ContextFill),
    /// A worker added a line to the activity log.
    WorkerLogged {
        attempt: AttemptId,
        level: LogLevel,
        event: String,
        message: String,
    },
    /// A worker reports that it has finished a step.
    StepClaimed {
        attempt: AttemptId,
        step: u32,
        deviations: Vec<Deviation>,
    },
    /// What the workspace held then, or why it could not be read.
    StepSaved {
        attempt: AttemptId,
        step: u32,
        saved: Result<Harvest, String>,
    },
    AttemptEnded(AttemptId, Box<AttemptEnd>),
    /// What the attempt left, or why it could not be read.
    Harvested(AttemptId, Result<Harvest, String>),
    /// A round of checks on a tree ended.
    Checked(CheckReport),
    /// The checks were run before any work.
    Probed(ProbeReport),
    /// A running total of what a reviewer has used.
    ReviewUsageSeen(ReviewId, Usage),
    /// A reviewer has ended.
    ReviewEnded(ReviewId, Box<ReviewEnd>),
    /// The merges of a batch were built, or failed.
    BatchBuilt(BatchId, Vec<(AttemptId, MergeBuild)>),
    /// The branch was to move back to this commit.
    MovedBack(CommitId, BranchMove),
    /// The branch was to move to this commit, the last one of a batch.
    BranchMoved(AttemptId, CommitId, BranchMove),
    /// The branch moves, but something is wrong with the note that holds the receipt.
    NoteWarned(AttemptId, NoteProblem),
    /// A command of the user's, before or after an action, did not succeed.
    HookFailed(HookFailure),
    Answered {
        question: QuestionId,
        answer: String,
        by: String,
    },
    /// A person ends the run for good.
    AbortAsked {
        reason: String,
        by: String,
    },
    HaltAsked {
        now: bool,
        reason: String,
        by: String,
    },
    HaltCleared,
    /// An effect failed because the disk that holds this directory is full.
    DiskFull(String),
    SkipAsked {
        task: TaskId,
        reason: String,
    },
    RetryAsked(TaskId),
    /// A person starts an attempt by hand.
    StartByHand(ByHandStart),
    /// A person hands in the work of an attempt by hand, or gives it up; checks decide, as with any attempt.
    HandedIn {
        task: TaskId,
        outcome: Box<Outcome>,
        duration_ms: u64,
    },
    /// A person comments on a task.
    Commented {
        task: TaskId,
        text: String,
        by: String,
        /// The part of an attempt's change that it is on.
        on: Option<CommentedPart>,
    },
    /// A worker read a comment that was sent to it.
    CommentRead(AttemptId, u32),
    /// The dependents of this skipped task may run without it.
    IgnoreAsked(TaskId),
    /// A person wants the branch back where it was earlier.
    RewindAsked {
        target: RewindTarget,
        by: String,
    },
    /// A deadline passed.
    Woke,
}

/// An attempt that a person wants to make, or an agent that they drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByHandStart {
    pub task: TaskId,
    pub by: String,
    /// The first workspace that no other run has in use.
    pub first_slot: WorkspaceSlot,
}

/// What has changed since the run was last driven.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOpening {
    /// The plan's file as it is now; it was pinned when the run started.
    pub plan: Option<Plan>,
    pub settings: Option<Settings>,
    /// Of a plan that no run has forecast yet.
    pub forecast: Option<RunForecast>,
    /// The person asked to continue.
    pub clear_halt: bool,
    /// What to do about an interrupted wave, if the person said so.
    pub resume: Option<ResumeMode>,
    pub dispatch: Dispatch,
}

/// Who starts tasks that are ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dispatch {
    /// The driver starts agents.
    #[default]
    Agents,
    /// Nobody but people: everything else goes on, such as checks, reviews and merges.
    ByHand,
}

/// How to continue an interrupted wave (ST-05).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeMode {
    /// Retry what failed.
    Failed,
    /// Move the branch back to before the wave, and do all of it again.
    Wave,
    /// Abandon the run; everything is kept.
    Abort,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct AttemptEnd {
    pub ending: ProcessEnd,
    pub outcome: Outcome,
    pub usage: Usage,
    pub duration_ms: u64,
    /// What went wrong between the program and its model, if that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ModelError>,
    /// Usage by model, if the program reports it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelUsage>,
    /// What the sandbox denied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Denial>,
    /// The last line that a program printed before it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_words: Option<String>,
    /// The time limit that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_ms: Option<u64>,
}

impl AttemptEnd {
    /// An end that no model error caused.
    pub fn new(ending: ProcessEnd, outcome: Outcome, usage: Usage, duration_ms: u64) -> Self {
        Self {
            ending,
            outcome,
            usage,
            duration_ms,
            error: None,
            models: Vec::new(),
            refusals: Vec::new(),
            last_words: None,
            time_limit_ms: None,
        }
    }
}

/// What an agent program reports about itself at its start.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct AgentIdentity {
    /// Its id for the conversation, with which the conversation can be continued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent that can continue the conversation; none if its program cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// None: the final checks of the run.
    pub attempt: Option<AttemptId>,
    /// Of checks on a merged tree.
    pub batch: Option<BatchId>,
    pub phase: CheckPhase,
    pub tree: TreeId,
    pub checked: CheckOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeReport {
    pub commit: CommitId,
    pub outcome: ProbeOutcome,
}

/// How a probe ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeOutcome {
    Measured(Vec<ProbedCheck>),
    /// We stopped it, because the run was halted.
    Stopped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeBuild {
    Clean(MergedTree),
    Conflict { paths: Vec<String>, detail: String },
    Impossible(String),
}

/// A commit that nothing points to yet.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct MergedTree {
    pub onto: CommitId,
    pub commit: CommitId,
    pub tree: TreeId,
    /// Why the files of the plan do not say that the task is done, where they were meant to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unwritten: Option<String>,
}

impl MergedTree {
    pub fn new(onto: CommitId, commit: CommitId, tree: TreeId) -> Self {
        Self { onto, commit, tree, unwritten: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchMove {
    Done,
    /// The branch was moved, not by us.
    Foreign(CommitId),
    /// The commit is gone: nothing pointed to it yet, and the repository was garbage-collected.
    CommitGone,
    /// It could not be tried (a lock, a full disk); nothing has changed.
    Trouble(String),
}
