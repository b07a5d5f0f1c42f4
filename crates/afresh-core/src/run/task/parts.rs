//! The parts of a task's state that are kept across its stages.

use std::collections::{BTreeMap, BTreeSet};

use crate::comment::KeptComment;
use crate::hook::HookPoint;
use crate::ids::TaskId;
use crate::input::AgentIdentity;
use crate::interruption::InterruptedAttempt;
use crate::outcome::Outcome;
use crate::question::AnsweredQuestion;
use crate::rejection::Rejection;
use crate::review::ReviewReceipt;
use crate::step::{FinishedStep, StepClaim};
use crate::time::Timestamp;
use crate::usage::{ContextFill, Usage};

/// Numbers of attempts are never used again, what was spent stays spent, and what people said stays said, also if
/// the task leaves the plan or is done again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskHistory {
    pub(in crate::run) last_number: u32,
    pub(in crate::run) usages: BTreeMap<u32, Usage>,
    pub(in crate::run) review_usages: BTreeMap<(u32, u32), Usage>,
    pub(in crate::run) comments: Vec<KeptComment>,
}

impl TaskHistory {
    pub(in crate::run) fn usage(&self) -> Usage {
        let all = self.usages.values().chain(self.review_usages.values());
        all.fold(Usage::default(), |sum, usage| sum.plus(usage))
    }
}

/// How often the task was tried, and when it may be retried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetryState {
    /// The number of the last attempt; numbers are never used again.
    pub last_number: u32,
    /// Attempts that count against the limit.
    pub counted: u32,
    pub spawn_failures: u32,
    /// Deaths in a row, for the backoff.
    pub deaths: u32,
    pub timeouts: u32,
    pub not_before: Option<Timestamp>,
    /// The last attempt before the task was given another chance: its budget counts from there.
    pub retried_after: u32,
    /// The driver that retried it by policy.
    pub retried_in: Option<u32>,
    /// The fingerprint of the last failed check (TR-09).
    pub failure: Option<String>,
    /// How many attempts in a row failed with it.
    pub same_failures: u32,
    /// How often reviewers asked for changes.
    pub reviews_rejected: u32,
}

impl RetryState {
    /// Counts failures with the same fingerprint; work that fails otherwise ends the row.
    pub(in crate::run) fn note_failure(&mut self, reason: &Rejection) {
        if !reason.is_about_work() {
            return;
        }
        let print = reason.fingerprint();
        let is_same = print.is_some() && print == self.failure.as_deref();
        self.same_failures =
            if is_same { self.same_failures + 1 } else { u32::from(print.is_some()) };
        self.failure = print.map(str::to_owned);
    }
}

/// What is known of each attempt, by its number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptRecords {
    /// Counted once, however often it is reported.
    pub usages: BTreeMap<u32, Usage>,
    /// What reviewers used, by the numbers of attempt and review.
    pub review_usages: BTreeMap<(u32, u32), Usage>,
    /// Agents that the plan did not name alone: whose turn it was in a contest.
    pub agents: BTreeMap<u32, String>,
    /// Who made the attempts by hand.
    pub by_hand: BTreeMap<u32, String>,
    pub identities: BTreeMap<u32, AgentIdentity>,
    /// How much of the context the prompt filled.
    pub prompts: BTreeMap<u32, ContextFill>,
    /// How full the context became.
    pub contexts: BTreeMap<u32, ContextFill>,
    /// Attempts whose worker was warned that its context fills up.
    pub warned: BTreeSet<u32>,
    /// Attempts that continued a conversation, and the attempt that had it before.
    pub resumed: BTreeMap<u32, u32>,
}

/// Failures of models in a row, which say nothing about the task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelHealth {
    pub failures: u32,
    /// How often in a row the provider asked to wait.
    pub waits: u32,
}

/// What the last attempt left for the next one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastAttempt {
    /// What the next worker is given about it.
    pub feedback: Option<Rejection>,
    /// Why it was rejected, whatever the reason was.
    pub rejection: Option<Rejection>,
    /// What the worker reported at its end.
    pub outcome: Option<Outcome>,
    pub differences: Vec<String>,
    /// What reviewers said about the last attempt.
    pub review: Option<ReviewReceipt>,
    /// Files that the task was seen to conflict on; treated like its listed files from then on.
    pub footprint: Vec<String>,
}

/// An agent's conversation that was cut off, or must be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionState {
    /// What an interrupted attempt left, until a later one achieves something.
    pub interrupted: Option<InterruptedAttempt>,
    /// The worker is being stopped because its context is full.
    pub context_reached: Option<ContextFill>,
}

/// Which steps are finished.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepProgress {
    /// The step that the worker waits for an answer about.
    pub claimed: Option<StepClaim>,
    /// In order; the next worker continues after the last one.
    pub finished: Vec<FinishedStep>,
}

/// What people and other tasks have to do with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonInput {
    pub answers: Vec<AnsweredQuestion>,
    /// In the order in which they were made.
    pub comments: Vec<KeptComment>,
    /// The person was asked whether it may start, and said yes.
    pub allowed: bool,
    /// Unfinished tasks that its last worker called in its way (RE-04).
    pub waits_for: Vec<TaskId>,
    /// Hooks that do not run for it any more.
    pub skipped_hooks: BTreeSet<HookPoint>,
}
