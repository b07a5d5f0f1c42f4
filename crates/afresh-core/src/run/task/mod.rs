//! The state of one task.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `contest` | where a contest between agents stands |
//! | `parts` | the parts of the state that are kept across stages |
//! | `stages` | where the task is, with what belongs to that stage alone |
//! | `table` | the states of all tasks, in the plan's order |

mod contest;
mod parts;
mod stages;
mod table;

use crate::ids::AttemptId;
use crate::outcome::{CompletionClaim, Deviation, Outcome};
use crate::plan::Task;
use crate::rejection::Rejection;
use crate::usage::Usage;

pub use contest::{ContestEntry, ContestState};
pub use parts::*;
pub use stages::*;
pub use table::TaskTable;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskState {
    pub stage: TaskStage,
    pub retries: RetryState,
    pub records: AttemptRecords,
    pub model_health: ModelHealth,
    pub last: LastAttempt,
    pub session: SessionState,
    pub contest: ContestState,
    pub steps: StepProgress,
    pub people: PersonInput,
}

impl TaskState {
    /// A task at the start of a run.
    pub(in crate::run) fn for_task(task: &Task) -> Self {
        let stage = match &task.done_before {
            Some(how) => TaskStage::Settled { how: how.clone() },
            None => TaskStage::Idle,
        };
        Self { stage, ..Self::default() }
    }

    /// What stays when everything else about the task is forgotten.
    pub(in crate::run) fn history(&self) -> TaskHistory {
        TaskHistory {
            last_number: self.retries.last_number,
            usages: self.records.usages.clone(),
            review_usages: self.records.review_usages.clone(),
            comments: self.people.comments.clone(),
        }
    }

    pub(in crate::run) fn with_history(mut self, history: TaskHistory) -> Self {
        self.retries.last_number = history.last_number;
        self.records.usages = history.usages;
        self.records.review_usages = history.review_usages;
        self.people.comments = history.comments;
        self
    }

    pub fn usage(&self) -> Usage {
        let workers = self.records.usages.values();
        workers.fold(self.review_usage(), |sum, usage| sum.plus(usage))
    }

    /// What its reviewers used; part of [`usage`](Self::usage).
    pub fn review_usage(&self) -> Usage {
        let reviewers = self.records.review_usages.values();
        reviewers.fold(Usage::default(), |sum, usage| sum.plus(usage))
    }

    /// What counts against the task's own budget: a retry by a person starts it again.
    pub fn usage_since_retried(&self) -> Usage {
        let first = self.retries.retried_after.saturating_add(1);
        let workers = self.records.usages.range(first..).map(|(_, usage)| usage);
        let reviewers = self.records.review_usages.range((first, 0)..).map(|(_, usage)| usage);
        workers.chain(reviewers).fold(Usage::default(), |sum, usage| sum.plus(usage))
    }

    pub fn is_done(&self) -> bool {
        matches!(self.stage, TaskStage::Done { .. } | TaskStage::Settled { .. })
    }

    /// Whether its dependents may start.
    pub fn is_met(&self) -> bool {
        self.stage.is_met()
    }

    /// Done or skipped: nothing more happens unless a person asks.
    pub fn is_finished(&self) -> bool {
        self.is_done() || matches!(self.stage, TaskStage::Skipped { .. })
    }

    /// Why the last attempt was rejected, and whether the worker had claimed success.
    pub fn last_error(&self) -> Option<String> {
        let rejection = self.last.rejection.as_ref()?;
        let denied =
            matches!(rejection, Rejection::ChecksFailed { .. } | Rejection::BrokenMerge { .. });
        let fact = rejection.describe();
        Some(if denied && self.claim().is_some() {
            format!("{fact}, although the worker reported success")
        } else {
            fact
        })
    }

    /// What the last worker claimed when it reported success.
    pub fn claim(&self) -> Option<&CompletionClaim> {
        match &self.last.outcome {
            Some(Outcome::Done(claim)) => Some(claim),
            _ => None,
        }
    }

    /// How many steps are finished.
    pub fn steps_done(&self) -> u32 {
        self.steps.finished.last().map_or(0, |last| last.step)
    }

    /// What workers declared with the steps that they finished.
    pub fn declared_in_steps(&self) -> impl Iterator<Item = &Deviation> {
        self.steps.finished.iter().flat_map(|step| &step.deviations)
    }

    /// The attempts that had the conversation of this one, itself first.
    pub fn conversation(&self, attempt: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(attempt), |number| self.records.resumed.get(number).copied())
    }

    /// The attempt that is underway, if one is.
    pub fn attempt(&self) -> Option<&AttemptId> {
        self.stage.work().map(|work| &work.attempt)
    }
}
