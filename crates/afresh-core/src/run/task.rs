//! The state of one task.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::{CheckPhase, CheckResult, Receipt};
use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, QuestionId, TaskId, WorkspaceSlot};
use crate::input::{AgentIdentity, AttemptEnd, MergedTree};
use crate::interruption::{AttemptResumption, InterruptedAttempt};
use crate::outcome::{CompletionClaim, Deviation, Outcome};
use crate::plan::{ModelTier, Plan, Task, TaskIndex};
use crate::question::AnsweredQuestion;
use crate::rejection::Rejection;
use crate::step::{FinishedStep, StartPoint, StepClaim};
use crate::time::Timestamp;
use crate::usage::{BudgetAmount, ContextFill, Usage};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskState {
    pub stage: TaskStage,
    pub retries: RetryState,
    pub records: AttemptRecords,
    pub model_health: ModelHealth,
    pub last: LastAttempt,
    pub session: SessionState,
    pub steps: StepProgress,
    pub people: PersonInput,
}

/// Numbers of attempts are never used again, and what was spent stays spent, also if the task leaves the
/// plan or is done again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskHistory {
    last_number: u32,
    pub(super) usages: BTreeMap<u32, Usage>,
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
}

/// What is known of each attempt, by its number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptRecords {
    /// Counted once, however often it is reported.
    pub usages: BTreeMap<u32, Usage>,
    pub identities: BTreeMap<u32, AgentIdentity>,
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
    /// The person was asked whether it may start, and said yes.
    pub allowed: bool,
    /// Unfinished tasks that its last worker called in its way (RE-04).
    pub waits_for: Vec<TaskId>,
}

impl TaskState {
    /// A task at the start of a run.
    pub(super) fn for_task(task: &Task) -> Self {
        let stage = match &task.done_before {
            Some(how) => TaskStage::Settled { how: how.clone() },
            None => TaskStage::Idle,
        };
        Self { stage, ..Self::default() }
    }

    /// What stays when everything else about the task is forgotten.
    pub(super) fn history(&self) -> TaskHistory {
        let (last_number, usages) = (self.retries.last_number, self.records.usages.clone());
        TaskHistory { last_number, usages }
    }

    pub(super) fn with_history(mut self, history: TaskHistory) -> Self {
        self.retries.last_number = history.last_number;
        self.records.usages = history.usages;
        self
    }

    pub fn usage(&self) -> Usage {
        self.records.usages.values().fold(Usage::default(), |sum, usage| sum.plus(usage))
    }

    /// What counts against the task's own budget: a retry by a person starts it again.
    pub fn usage_since_retried(&self) -> Usage {
        let counted = self.records.usages.range(self.retries.retried_after.saturating_add(1)..);
        counted.fold(Usage::default(), |sum, (_, usage)| sum.plus(usage))
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

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TaskStage {
    /// Pending, ready or blocked; the frontier knows which.
    #[default]
    Idle,
    Starting(ActiveAttempt),
    Running(ActiveAttempt),
    /// The process is gone; what it left is being saved.
    Harvesting {
        work: ActiveAttempt,
        end: AttemptEnd,
    },
    /// Saved; the verdict is next.
    Judging {
        work: ActiveAttempt,
        end: AttemptEnd,
        harvest: Harvest,
    },
    /// A person must allow the change.
    Held {
        work: ActiveAttempt,
        harvest: Harvest,
        question: Option<QuestionId>,
    },
    Checking {
        work: ActiveAttempt,
        harvest: Harvest,
        round: CheckStage,
    },
    Queued {
        work: ActiveAttempt,
        harvest: Harvest,
        results: Vec<CheckResult>,
    },
    Merging {
        work: ActiveAttempt,
        harvest: Harvest,
        results: Vec<CheckResult>,
        merge: MergeStage,
    },
    /// A person must answer before the next attempt.
    Waiting(QuestionId),
    Failed {
        reason: String,
        question: Option<QuestionId>,
    },
    Skipped {
        reason: String,
        /// Its dependents run without it.
        ignored: bool,
    },
    Done {
        commit: CommitId,
        attempt: AttemptId,
        receipt: Box<Receipt>,
    },
    /// Done without an attempt: before this run, or by a person's answer.
    Settled {
        how: String,
    },
}

/// The attempt that a task is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveAttempt {
    pub attempt: AttemptId,
    pub slot: WorkspaceSlot,
    pub ground: StartPoint,
    pub reserved: BudgetAmount,
    pub tier: ModelTier,
    pub resumes: Option<AttemptResumption>,
    /// The commits of its dependencies when it started: its base holds these, and no later ones.
    pub needs: Vec<CommitId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckStage {
    pub phase: CheckPhase,
    /// They were stopped and have to run again.
    pub stopped: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeStage {
    Building {
        onto: CommitId,
    },
    Checking {
        merged: MergedTree,
        stopped: bool,
    },
    Moving {
        merged: MergedTree,
        receipt: Box<Receipt>,
        restore: Option<CommitId>,
        hold: Option<LandHold>,
    },
}

/// Why the branch is not moved yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandHold {
    /// A person must decide about a foreign commit on the branch.
    Asked(QuestionId),
    /// It failed for now, and the run is halted.
    Delayed,
}

impl TaskStage {
    /// The stage in one word, for errors.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Starting(_) => "starting",
            Self::Running(_) => "running",
            Self::Harvesting { .. } => "being harvested",
            Self::Judging { .. } => "being judged",
            Self::Held { .. } => "held",
            Self::Checking { .. } => "being checked",
            Self::Queued { .. } => "queued",
            Self::Merging { .. } => "merging",
            Self::Waiting(_) => "waiting",
            Self::Failed { .. } => "failed",
            Self::Skipped { .. } => "skipped",
            Self::Done { .. } => "done",
            Self::Settled { .. } => "settled",
        }
    }

    pub fn work(&self) -> Option<&ActiveAttempt> {
        match self {
            Self::Starting(work)
            | Self::Running(work)
            | Self::Harvesting { work, .. }
            | Self::Judging { work, .. }
            | Self::Held { work, .. }
            | Self::Checking { work, .. }
            | Self::Queued { work, .. }
            | Self::Merging { work, .. } => Some(work),
            Self::Idle
            | Self::Waiting(_)
            | Self::Failed { .. }
            | Self::Skipped { .. }
            | Self::Done { .. }
            | Self::Settled { .. } => None,
        }
    }

    /// Done, or skipped and ignored.
    pub(super) fn is_met(&self) -> bool {
        matches!(
            self,
            Self::Done { .. } | Self::Settled { .. } | Self::Skipped { ignored: true, .. }
        )
    }

    pub(super) fn work_mut(&mut self) -> Option<&mut ActiveAttempt> {
        match self {
            Self::Starting(work) | Self::Running(work) => Some(work),
            _ => None,
        }
    }

    /// The question that must be answered before the task continues.
    pub fn question(&self) -> Option<QuestionId> {
        match self {
            Self::Waiting(question)
            | Self::Merging {
                merge: MergeStage::Moving { hold: Some(LandHold::Asked(question)), .. },
                ..
            } => Some(*question),
            Self::Failed { question, .. } | Self::Held { question, .. } => *question,
            _ => None,
        }
    }

    /// Whether an effect for this task has not been answered yet. A queued task only waits for the merge
    /// slot.
    pub fn is_underway(&self) -> bool {
        match self {
            Self::Starting(_)
            | Self::Running(_)
            | Self::Harvesting { .. }
            | Self::Judging { .. }
            | Self::Merging { merge: MergeStage::Building { .. }, .. } => true,
            Self::Checking { round: stage, .. } => !stage.stopped,
            Self::Merging { merge: MergeStage::Checking { stopped, .. }, .. } => !stopped,
            Self::Merging { merge: MergeStage::Moving { hold, .. }, .. } => hold.is_none(),
            _ => false,
        }
    }
}

/// The state of every task, in the plan's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskTable(Vec<TaskState>);

impl TaskTable {
    /// With the index of each task.
    pub fn indexed<'a>(
        &'a self,
        plan: &Plan,
    ) -> impl Iterator<Item = (TaskIndex, &'a TaskState)> + use<'a> {
        plan.indices().zip(&self.0)
    }

    pub fn states(&self) -> &[TaskState] {
        &self.0
    }

    pub(super) fn states_mut(&mut self) -> &mut [TaskState] {
        &mut self.0
    }
}

impl FromIterator<TaskState> for TaskTable {
    fn from_iter<I: IntoIterator<Item = TaskState>>(states: I) -> Self {
        Self(states.into_iter().collect())
    }
}

impl std::ops::Index<TaskIndex> for TaskTable {
    type Output = TaskState;
    fn index(&self, index: TaskIndex) -> &TaskState {
        &self.0[index.position()]
    }
}

impl std::ops::IndexMut<TaskIndex> for TaskTable {
    fn index_mut(&mut self, index: TaskIndex) -> &mut TaskState {
        &mut self.0[index.position()]
    }
}
