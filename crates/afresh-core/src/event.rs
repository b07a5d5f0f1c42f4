//! What is now true. The journal holds these and nothing else; they are never changed, only added
//! to, so that old journals stay readable (R13).

use serde::{Deserialize, Serialize};

use crate::check::{CheckResult, Phase, Receipt};
use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, QuestionId, RunId, Slot, TaskId, TreeId};
use crate::input::{AttemptEnd, Identity, MergedTree};
use crate::model_error::{ErrorClass, ModelError};
use crate::outcome::{Deviation, Ending, SpawnFailure};
use crate::plan::{Plan, Tier};
use crate::question::Question;
use crate::scope::Violation;
use crate::settings::Settings;
use crate::time::Timestamp;
use crate::usage::{Amount, ContextFill, Usage};

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
        slot: Slot,
        base: CommitId,
        reserved: Amount,
        /// The last finished step of an earlier attempt, where this one goes on from there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<CommitId>,
        /// The size of model that it gets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tier: Option<Tier>,
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
        identity: Identity,
    },
    ContextSeen {
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
        tier: Tier,
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
        phase: Phase,
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
        spent: Amount,
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

/// Why an attempt came to nothing; also what the next worker is told (PR-07).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Rejection {
    /// It changed what it may not.
    OutOfScope {
        violations: Vec<Violation>,
    },
    /// It claimed success and changed nothing, although files were expected.
    NoChange,
    ChecksFailed {
        results: Vec<CheckResult>,
    },
    /// A check that must fail before the work passed already.
    NotRed {
        results: Vec<CheckResult>,
    },
    /// Work that landed meanwhile changed the same places.
    Conflict {
        paths: Vec<String>,
        detail: String,
    },
    /// It passed alone, and broke together with work that landed meanwhile.
    BrokenMerge {
        results: Vec<CheckResult>,
    },
    /// The worker said that it failed.
    GaveUp {
        failed_at: String,
        error: String,
        output: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        category: Option<String>,
    },
    /// The worker said that only a part is done.
    Partial {
        reason: String,
    },
    /// The worker said that something else has to be done first.
    Blocked {
        reason: String,
        /// The unfinished tasks that it waits for; none where a person is asked.
        by: Vec<TaskId>,
    },
    /// Its answer made no sense.
    Unintelligible {
        reason: String,
        excerpt: String,
    },
    /// Its process ended badly.
    Died {
        ending: Ending,
    },
    TimedOut {
        ending: Ending,
    },
    /// Its model failed it.
    ModelFailed {
        error: ModelError,
    },
    /// Its context was as full as it may become.
    ContextFull {
        fill: ContextFill,
    },
    /// The run was halted or the budget was reached.
    Stopped,
    /// It was running when afresh was killed.
    Orphaned,
    /// It stopped to ask; the answer goes to the next one.
    Asked,
    /// A person refused the change.
    Refused {
        paths: Vec<String>,
    },
    /// Something on our side failed; it says nothing about the work.
    Trouble {
        message: String,
    },
}

impl Rejection {
    /// One line for people.
    pub fn describe(&self) -> String {
        match self {
            Self::OutOfScope { violations } => {
                let first = violations
                    .first()
                    .map(|v| format!("{} {}", v.path, v.why.explain()))
                    .unwrap_or_default();
                match violations.len() {
                    0 | 1 => format!("rejected: {first}"),
                    n => format!("rejected: {first} (and {} more)", n - 1),
                }
            }
            Self::NoChange => {
                "no-op: it ended well, but nothing changed although files were expected".to_owned()
            }
            Self::ChecksFailed { results } => failed(results),
            Self::NotRed { results } => format!(
                "{} passes before the work is done, so it proves nothing",
                results.last().map_or("a check", |r| r.command.as_str())
            ),
            Self::Conflict { paths, .. } => {
                format!("collided with work that landed meanwhile: {}", paths.join(", "))
            }
            Self::BrokenMerge { results } => {
                format!("passes alone but not with work that landed meanwhile: {}", failed(results))
            }
            Self::GaveUp { error, category: Some(category), .. } => {
                format!("the worker gave up ({category}): {error}")
            }
            Self::GaveUp { error, .. } => format!("the worker gave up: {error}"),
            Self::Partial { reason } => format!("partial: {reason}"),
            Self::Blocked { reason, by } if by.is_empty() => format!("blocked: {reason}"),
            Self::Blocked { reason, by } => {
                let tasks: Vec<&str> = by.iter().map(TaskId::as_str).collect();
                format!("blocked until {} is done: {reason}", tasks.join(", "))
            }
            Self::Unintelligible { reason, .. } => format!("unintelligible answer: {reason}"),
            Self::Died { ending: Ending::Signaled(signal) } => {
                format!("failed:signal: the worker was ended by signal {signal}")
            }
            Self::Died { ending: Ending::Exited(code) } => {
                format!("failed:exit: the worker ended with exit code {code}")
            }
            Self::Died { .. } => "failed:lost: the worker's supervisor was killed".to_owned(),
            Self::TimedOut { ending: Ending::WentSilent } => {
                "failed:timeout: the worker printed nothing for too long".to_owned()
            }
            Self::TimedOut { .. } => "failed:timeout: the worker did not end in time".to_owned(),
            Self::ModelFailed { error } => error.describe(),
            Self::ContextFull { fill } => {
                format!("failed:context: {} % of its context was full", fill.percent())
            }
            Self::Stopped => "ended by us before it was finished".to_owned(),
            Self::Orphaned => "was running when afresh ended".to_owned(),
            Self::Asked => "stopped to ask".to_owned(),
            Self::Refused { paths } => {
                format!("a person refused the change to {}", paths.join(", "))
            }
            Self::Trouble { message } => message.clone(),
        }
    }
}

impl Rejection {
    /// Did its program end badly, for whatever reason?
    pub(crate) fn is_death(&self) -> bool {
        let unknown = |error: &ModelError| error.class == ErrorClass::Unknown;
        matches!(self, Self::Died { .. })
            || matches!(self, Self::ModelFailed { error } if unknown(error))
    }

    /// The end of what the worker or a check printed, where that says something.
    pub fn printed(&self) -> String {
        match self {
            Self::ChecksFailed { results } | Self::BrokenMerge { results } => {
                let failed = results.iter().find(|result| !result.passed());
                failed.map(|result| result.output_tail.clone()).unwrap_or_default()
            }
            Self::GaveUp { output, .. } => output.clone(),
            Self::Unintelligible { excerpt, .. } => excerpt.clone(),
            _ => String::new(),
        }
    }

    /// Everything that whoever has to mend it should know, in a few lines.
    pub fn explain(&self) -> String {
        let mut lines = vec![self.describe()];
        match self {
            Self::OutOfScope { violations } => {
                let rest = violations.iter().skip(1).take(20);
                lines.extend(rest.map(|v| format!("{} {}", v.path, v.why.explain())));
            }
            _ => lines.push(self.printed()),
        }
        lines.join("\n")
    }
}

fn failed(results: &[CheckResult]) -> String {
    results
        .iter()
        .find(|r| !r.passed())
        .map_or_else(|| "a check failed".to_owned(), CheckResult::describe)
}
