//! Facts that are now true. The journal holds these and nothing else; variants are never changed, only added,
//! so that old journals stay readable (R13).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::{CheckPhase, CheckResult, NoteProblem, Receipt};
use crate::comment::TaskComment;
use crate::estimate::forecast::RunForecast;
use crate::harvest::Harvest;
use crate::hook::HookFailure;
use crate::ids::{AttemptId, CommitId, QuestionId, RunId, TaskId, TreeId, WorkspaceSlot};
use crate::input::{AgentIdentity, AttemptEnd, MergedTree};
use crate::interruption::{AgentSession, AttemptResumption};
use crate::outcome::{Deviation, SpawnFailure};
use crate::plan::{ModelTier, Plan};
use crate::probe::ProbedCheck;
use crate::question::Question;
use crate::rejection::Rejection;
use crate::review::{ReviewEnd, ReviewId};
use crate::run::merge_queue::{BatchId, PostponeReason};
use crate::run::settings::Settings;
use crate::run::{HaltCause, InheritedWork};
use crate::time::Timestamp;
use crate::usage::{BudgetAmount, ContextFill, Usage};

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize, Deserialize)]
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
    /// No agent starts a task until the run is opened again: a person drives it by hand (ST-06).
    AgentsHeldBack,
    PlanChanged {
        plan: Box<Plan>,
    },
    SettingsChanged {
        settings: Box<Settings>,
    },

    /// What the plan is expected to take, before any of it is tried (PL-20).
    ForecastMade {
        forecast: Box<RunForecast>,
    },

    AttemptStarting {
        attempt: AttemptId,
        slot: WorkspaceSlot,
        base: CommitId,
        reserved: BudgetAmount,
        /// The last finished step of an earlier attempt, if this one continues after it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<CommitId>,
        /// The model tier that it gets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tier: Option<ModelTier>,
        /// Whose turn it is, if several agents compete (BE-08).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        /// The interrupted attempt whose conversation and files it continues with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resumes: Option<AttemptResumption>,
        /// Who works on it, if that is no agent of ours: a person, or an agent that they drive (ST-06).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by_hand: Option<String>,
    },
    /// The worker has started; of an attempt by hand, the workspace is ready.
    AttemptSpawned {
        attempt: AttemptId,
    },
    /// How much of its model's context the prompt fills (PR-06).
    PromptMeasured {
        attempt: AttemptId,
        fill: ContextFill,
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
    /// The agent program identified itself.
    AttemptIdentified {
        attempt: AttemptId,
        identity: AgentIdentity,
    },
    ContextSeen {
        attempt: AttemptId,
        fill: ContextFill,
    },
    /// The context is past the soft limit: the worker is warned to finish (AG-07).
    ContextWarned {
        attempt: AttemptId,
        fill: ContextFill,
    },
    /// The context is past the hard limit: the worker is stopped, and a fresh one continues (AG-07).
    ContextReached {
        attempt: AttemptId,
        fill: ContextFill,
    },
    /// No worker of this agent with this model tier starts before then (BE-04).
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
    /// It was cut off before it finished; the next worker is given what it left, or continues its
    /// conversation (AG-08).
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
    /// A worker reports that a step is finished; it waits for our answer.
    StepClaimed {
        attempt: AttemptId,
        step: u32,
        deviations: Vec<Deviation>,
    },
    /// The contents of its workspace are saved as our commit.
    StepSaved {
        attempt: AttemptId,
        step: u32,
        harvest: Harvest,
    },
    /// The step is in scope and passed its checks: the next worker continues after it.
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
    /// The next worker starts over, because the base of the finished steps is outdated.
    StepsDropped {
        task: TaskId,
    },
    /// The work of an attempt is saved whose task left the plan or changed.
    LeavingsSaved {
        attempt: AttemptId,
    },
    /// The attempt's work is not accepted; `counts` is true if it counts against the limit.
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
    /// The attempt's own tree passed, and waits for the work of the other agents (BE-08).
    ContestEntered {
        attempt: AttemptId,
        tree: TreeId,
        results: Vec<CheckResult>,
    },
    /// The agent whose turn it was cannot do the task; the next one may.
    ContestForfeited {
        task: TaskId,
        reason: String,
    },
    /// This work lands next; that of the other agents is kept aside.
    ContestDecided {
        attempt: AttemptId,
    },
    /// The checks were stopped and have to run again.
    ChecksStopped {
        attempt: Option<AttemptId>,
        phase: CheckPhase,
    },
    /// They run again, after the halt that stopped them was cleared.
    ChecksResumed {
        attempt: AttemptId,
    },

    /// Checks are run on the base, before any work (TR-01).
    ProbeStarted {
        commit: CommitId,
    },
    /// What they are worth; those of every merge are the baseline (TR-02).
    Probed {
        commit: CommitId,
        checks: Vec<ProbedCheck>,
    },

    /// The attempt's checks passed; a reviewer is next (EX-08).
    ReviewRequested {
        attempt: AttemptId,
    },
    ReviewStarting {
        review: ReviewId,
        slot: WorkspaceSlot,
        reserved: BudgetAmount,
        agent: String,
        tier: ModelTier,
    },
    ReviewUsageCounted {
        review: ReviewId,
        usage: Usage,
    },
    ReviewEnded {
        review: ReviewId,
        end: ReviewEnd,
        /// When another reviewer may start, after one that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_before: Option<Timestamp>,
    },
    /// The work lands without an approval.
    ReviewWaived {
        attempt: AttemptId,
        by: String,
    },

    /// The work goes to the merge queue as it is; its checks run on the tree that would land (IN-01).
    ChecksDeferred {
        attempt: AttemptId,
    },
    /// Until then the next batch waits for more work.
    GatheringStarted {
        until: Timestamp,
    },
    /// A merge is built alone.
    MergeStarted {
        attempt: AttemptId,
        onto: CommitId,
    },
    /// These merges are built on each other, in this order, and checked together (IN-02).
    BatchStarted {
        attempts: Vec<AttemptId>,
        onto: CommitId,
    },
    MergeBuilt {
        attempt: AttemptId,
        merged: MergedTree,
    },
    /// All checks passed on its last tree; it lands once the batch before it has.
    BatchPassed {
        batch: BatchId,
        results: Vec<CheckResult>,
    },
    BatchFailed {
        batch: BatchId,
        results: Vec<CheckResult>,
    },
    /// What failed is checked with these numbers of its members, side by side (IN-03).
    PrefixesChosen {
        batch: BatchId,
        /// So many members are known to pass together.
        good: u32,
        lengths: Vec<u32>,
    },
    PrefixChecked {
        batch: BatchId,
        length: u32,
        passed: bool,
    },
    /// Merges that were built are dropped; the work is in line again.
    MergesPostponed {
        attempts: Vec<AttemptId>,
        why: PostponeReason,
        /// Each is tried without others.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        alone: bool,
    },
    /// Its merged tree failed, and it was alone on the branch: what failed is checked on its own tree.
    MergeFailed {
        attempt: AttemptId,
        results: Vec<CheckResult>,
    },
    /// The merged tree passed; the branch is about to move.
    LandIntended {
        attempt: AttemptId,
        merged: MergedTree,
        receipt: Receipt,
    },
    /// The branch could not be moved yet; the intent stands.
    LandDelayed {
        attempt: AttemptId,
        why: String,
    },
    Merged {
        attempt: AttemptId,
        commit: CommitId,
    },
    /// Others cannot rely on the receipt of this merge as a note.
    NoteWarned {
        attempt: AttemptId,
        problem: NoteProblem,
    },
    /// A command of the user's did not succeed: what it is before waits, what it is after stays (BE-11).
    HookFailed {
        failure: HookFailure,
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
    /// Nothing is left to do: a person answered what the task asks.
    TaskSettled {
        task: TaskId,
        how: String,
    },
    /// A skipped task no longer blocks its dependents (HU-03).
    NeedIgnored {
        task: TaskId,
    },
    TaskRetried {
        task: TaskId,
    },
    /// A person comments on a task (BE-12).
    TaskCommented {
        task: TaskId,
        comment: TaskComment,
        /// The worker that is at the task, which is sent the comment at once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent_to: Option<AttemptId>,
    },
    /// A worker read a comment that was sent to it.
    CommentRead {
        attempt: AttemptId,
        comment: u32,
    },
    Aborted {
        reason: String,
        /// A person ended the run: no later session continues it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        for_good: bool,
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
        /// Why afresh itself halted the run, where that makes a difference.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<HaltCause>,
    },
    HaltCleared,
    BudgetReached {
        spent: BudgetAmount,
    },

    /// The run starts with a commit that another one landed (BE-10).
    LandingInherited {
        from: RunId,
        task: TaskId,
        commit: CommitId,
        tree: TreeId,
        /// None if the task is to be done all the same, because the plan had changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        work: Option<Box<InheritedWork>>,
    },
    /// This wave and everything after it is to be done again (ST-05).
    RewindWanted {
        wave: u32,
    },
    /// The branch is to move back to this commit, and what landed after it is to be done again (BE-10).
    RewindRequested {
        to: CommitId,
        by: String,
    },
    /// The branch is about to move back.
    RewindIntended {
        from: CommitId,
        to: CommitId,
    },
    /// The branch moved back: everything that landed after `to` is to be done again.
    Rewound {
        to: CommitId,
    },
    /// The branch could not move back; everything stays as it is.
    RewindGivenUp {
        why: String,
    },

    FinalChecksStarted {
        /// None: on the base, because nothing has landed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<TreeId>,
    },
    FinalChecked {
        tree: TreeId,
        results: Vec<CheckResult>,
    },
}

/// How much a line of the activity log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
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
