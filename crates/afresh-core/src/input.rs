//! What the world tells us.

use serde::{Deserialize, Serialize};

use crate::check::{CheckOutcome, CheckPhase};
use crate::denial::Denial;
use crate::event::LogLevel;
use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, QuestionId, TaskId, TreeId};
use crate::model_error::ModelError;
use crate::outcome::{Deviation, Outcome, SpawnFailure};
use crate::plan::Plan;
use crate::process::ProcessEnd;
use crate::settings::Settings;
use crate::usage::{ContextFill, ModelUsage, Usage};

#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A driver took up the run; everything that an earlier one had running is dead.
    Opened(Box<RunOpening>),
    /// The worker's process is there.
    Spawned(AttemptId),
    /// It could not be started.
    SpawnFailed(AttemptId, SpawnFailure),
    /// The conversation of the interrupted attempt, or its work, cannot be had any more.
    CannotResume(AttemptId, String),
    /// A running total of what the attempt has used.
    UsageSeen(AttemptId, Usage),
    /// The agent program said who it is.
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
    /// A worker says that it has finished a step.
    StepClaimed {
        attempt: AttemptId,
        step: u32,
        deviations: Vec<Deviation>,
    },
    /// What the workspace held then, or why it cannot be known.
    StepSaved {
        attempt: AttemptId,
        step: u32,
        saved: Result<Harvest, String>,
    },
    AttemptEnded(AttemptId, Box<AttemptEnd>),
    /// What the attempt left, or why it cannot be known.
    Harvested(AttemptId, Result<Harvest, String>),
    /// A round of checks on a tree ended.
    Checked(CheckReport),
    /// The merge aside was tried.
    MergeBuilt(AttemptId, MergeBuild),
    /// The branch was asked to go back to this commit.
    MovedBack(CommitId, BranchMove),
    /// The branch was asked to move to this commit.
    BranchMoved(AttemptId, CommitId, BranchMove),
    Answered {
        question: QuestionId,
        answer: String,
        by: String,
    },
    HaltAsked {
        now: bool,
        reason: String,
        by: String,
    },
    HaltCleared,
    SkipAsked {
        task: TaskId,
        reason: String,
    },
    RetryAsked(TaskId),
    /// Whatever needs this skipped task may go on without it.
    IgnoreAsked(TaskId),
    /// A deadline passed.
    Woke,
}

/// What is different from the last time that the run was driven.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOpening {
    /// The plan's file as it is now; it was pinned when the run started.
    pub plan: Option<Plan>,
    pub settings: Option<Settings>,
    /// The person asked to go on.
    pub clear_halt: bool,
    /// What to do about a wave that was interrupted, where the person said so.
    pub resume: Option<ResumeMode>,
}

/// How to take up a wave that was interrupted (ST-05).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeMode {
    /// What failed is tried again.
    Failed,
    /// The branch goes back to before the wave, and all of it is done again.
    Wave,
    /// The run is given up; everything is kept.
    Abort,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptEnd {
    pub ending: ProcessEnd,
    pub outcome: Outcome,
    pub usage: Usage,
    pub duration_ms: u64,
    /// What went wrong between the program and its model, if that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ModelError>,
    /// The use by model, where the program tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelUsage>,
    /// What its room refused it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Denial>,
}

impl AttemptEnd {
    /// An end in which no model had a part.
    pub fn new(ending: ProcessEnd, outcome: Outcome, usage: Usage, duration_ms: u64) -> Self {
        Self {
            ending,
            outcome,
            usage,
            duration_ms,
            error: None,
            models: Vec::new(),
            refusals: Vec::new(),
        }
    }
}

/// What an agent program says of itself at its start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentIdentity {
    /// Its name for the conversation, with which it could be taken up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent that can take the conversation up again; none where its program cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// None: the final checks of the run.
    pub attempt: Option<AttemptId>,
    pub phase: CheckPhase,
    pub tree: TreeId,
    pub checked: CheckOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeBuild {
    Clean(MergedTree),
    Conflict { paths: Vec<String>, detail: String },
    Impossible(String),
}

/// A commit that nothing points to yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedTree {
    pub onto: CommitId,
    pub commit: CommitId,
    pub tree: TreeId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchMove {
    Done,
    /// Somebody else moved the branch.
    Foreign(CommitId),
    /// The commit is gone: nothing pointed to it yet, and somebody cleaned the repository up.
    CommitGone,
    /// It could not be tried (a lock, a full disk); nothing has changed.
    Trouble(String),
}
