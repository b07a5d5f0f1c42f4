//! What is now true. The journal holds these and nothing else; they are never changed, only added
//! to, so that old journals stay readable (R13).

use serde::{Deserialize, Serialize};

use crate::check::{CheckPhase, CheckResult, Receipt};
use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, QuestionId, RunId, TaskId, TreeId, WorkspaceSlot};
use crate::input::{AgentIdentity, AttemptEnd, MergedTree};
use crate::interruption::{AgentSession, AttemptResumption};
use crate::outcome::{Deviation, SpawnFailure};
use crate::plan::{ModelTier, Plan};
use crate::question::Question;
use crate::rejection::Rejection;
use crate::settings::Settings;
use crate::time::Timestamp;
use crate::usage::{BudgetAmount, ContextFill, Usage};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    RunStarted {
        run: RunId,
        branch: String,
        base: CommitId,
        plan: Box<Plan>,
        settings: Box<Settings>,
    },
    Opened {
        epoch: u32,
    },
    PlanChanged {
        plan: Box<Plan>,
    },
    SettingsChanged {
        settings: Box<Settings>,
    },

    AttemptStarting {
        attempt: AttemptId,
        slot: WorkspaceSlot,
        base: CommitId,
        reserved: BudgetAmount,
        /// The last finished step of an earlier attempt, where this one goes on from there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<CommitId>,
        /// The size of model that it gets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tier: Option<ModelTier>,
        /// The interrupted attempt whose conversation it takes up, with everything that was there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resumes: Option<AttemptResumption>,
    },
    AttemptSpawned {
        attempt: AttemptId,
    },
    SpawnFailed {
        attempt: AttemptId,
        failure: SpawnFailure,
        not_before: Option<Timestamp>,
    },
    UsageCounted {
        attempt: AttemptId,
        usage: Usage,
    },
    /// The agent program said who it is.
    AttemptIdentified {
        attempt: AttemptId,
        identity: AgentIdentity,
    },
    ContextSeen {
        attempt: AttemptId,
        fill: ContextFill,
    },
    /// It is so full that its worker is told to come to an end (AG-07).
    ContextWarned {
        attempt: AttemptId,
        fill: ContextFill,
    },
    /// It is as full as it may become: the worker is stopped, and a fresh one goes on (AG-07).
    ContextReached {
        attempt: AttemptId,
        fill: ContextFill,
    },
    /// No worker of this agent with this size of model starts before then (BE-04).
    AgentParked {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        tier: ModelTier,
        until: Timestamp,
        why: String,
    },
    AttemptEnded {
        attempt: AttemptId,
        end: AttemptEnd,
    },
    AttemptHarvested {
        attempt: AttemptId,
        harvest: Harvest,
    },
    /// It was cut off before it came to anything; the next worker is told what it left, or takes up
    /// its conversation (AG-08).
    AttemptInterrupted {
        attempt: AttemptId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conversation: Option<AgentSession>,
    },
    /// A worker added a line to the activity log.
    WorkerLogged {
        attempt: AttemptId,
        level: LogLevel,
        event: String,
        message: String,
    },
    /// A worker says that a step is finished; it waits for our answer.
    StepClaimed {
        attempt: AttemptId,
        step: u32,
        deviations: Vec<Deviation>,
    },
    /// What is in its workspace is a commit of ours.
    StepSaved {
        attempt: AttemptId,
        step: u32,
        harvest: Harvest,
    },
    /// The step is in scope and passed its checks: whoever comes next goes on after it.
    StepDone {
        attempt: AttemptId,
        step: u32,
        results: Vec<CheckResult>,
    },
    StepRefused {
        attempt: AttemptId,
        step: u32,
        reason: Rejection,
    },
    /// The next worker starts over: what the finished steps rest on no longer holds.
    StepsDropped {
        task: TaskId,
    },
    /// What an attempt left whose task is no longer in the plan, or no longer the same.
    LeavingsSaved {
        attempt: AttemptId,
    },
    /// The attempt came to nothing; `counts` says whether it counts against the limit.
    AttemptRejected {
        attempt: AttemptId,
        reason: Rejection,
        counts: bool,
        not_before: Option<Timestamp>,
    },
    /// The changes are in scope; checks are next.
    AttemptAccepted {
        attempt: AttemptId,
        differences: Vec<String>,
    },
    /// Checks marked `red_first` failed on the base, as they must.
    RedSeen {
        attempt: AttemptId,
        results: Vec<CheckResult>,
    },
    /// The attempt's own tree passed.
    ChecksPassed {
        attempt: AttemptId,
        tree: TreeId,
        results: Vec<CheckResult>,
    },
    /// We ended the checks; they have to run again.
    ChecksStopped {
        attempt: Option<AttemptId>,
        phase: CheckPhase,
    },
    /// They run again, after the halt that stopped them was taken back.
    ChecksResumed {
        attempt: AttemptId,
    },

    MergeStarted {
        attempt: AttemptId,
        onto: CommitId,
    },
    MergeBuilt {
        attempt: AttemptId,
        merged: MergedTree,
    },
    /// The merged tree passed; the branch is about to move.
    LandIntended {
        attempt: AttemptId,
        merged: MergedTree,
        receipt: Receipt,
    },
    /// The branch could not be moved for now; the intent stands.
    LandDelayed {
        attempt: AttemptId,
        why: String,
    },
    Merged {
        attempt: AttemptId,
        commit: CommitId,
    },
    BranchRestoreAllowed {
        attempt: AttemptId,
        foreign: CommitId,
    },

    TaskFailed {
        task: TaskId,
        reason: String,
    },
    TaskSkipped {
        task: TaskId,
        reason: String,
    },
    /// Nothing is left to do: a person has answered what the task asks.
    TaskSettled {
        task: TaskId,
        how: String,
    },
    /// A task was given up, and whatever needs it goes on without it (HU-03).
    NeedIgnored {
        task: TaskId,
    },
    TaskRetried {
        task: TaskId,
    },
    Aborted {
        reason: String,
    },

    QuestionAsked {
        question: Question,
    },
    QuestionAnswered {
        question: QuestionId,
        answer: String,
        by: String,
    },

    HaltRequested {
        now: bool,
        reason: String,
        by: String,
    },
    HaltCleared,
    BudgetReached {
        spent: BudgetAmount,
    },

    /// This wave and everything after it is to be done again (ST-05).
    RewindWanted {
        wave: u32,
    },
    /// The branch is about to go back.
    RewindIntended {
        from: CommitId,
        to: CommitId,
    },
    /// The branch is back: whatever landed after `to` is to be done again.
    Rewound {
        to: CommitId,
    },
    /// The branch could not go back; everything stays as it is.
    RewindGivenUp {
        why: String,
    },

    FinalChecksStarted {
        tree: TreeId,
    },
    FinalChecked {
        tree: TreeId,
        results: Vec<CheckResult>,
    },
}

/// How much a line of the activity log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}

impl LogLevel {
    pub fn word(self) -> &'static str {
        match self {
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warn => "WARN",
            Self::Error => "ERROR",
        }
    }
}
