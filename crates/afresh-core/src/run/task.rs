//! Where one task stands.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::{CheckPhase, CheckResult, Receipt};
use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, QuestionId, TaskId, WorkspaceSlot};
use crate::input::{AgentIdentity, AttemptEnd, MergedTree};
use crate::interruption::{AttemptResumption, InterruptedAttempt};
use crate::outcome::{CompletionClaim, Deviation, Outcome};
use crate::plan::{ModelTier, Task};
use crate::question::AnsweredQuestion;
use crate::rejection::Rejection;
use crate::step::{FinishedStep, StartPoint, StepClaim};
use crate::time::Timestamp;
use crate::usage::{BudgetAmount, ContextFill, Usage};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskState {
    pub stage: TaskStage,
    /// The number of the last attempt; numbers are never used again.
    pub attempts: u32,
    /// Attempts that count against the limit.
    pub counted: u32,
    pub spawn_failures: u32,
    /// Deaths in a row, for the back-off.
    pub deaths: u32,
    pub timeouts: u32,
    pub not_before: Option<Timestamp>,
    /// What the next worker is told about the last one.
    pub feedback: Option<Rejection>,
    /// Why the last attempt came to nothing, whatever it was.
    pub last_rejection: Option<Rejection>,
    /// What the last worker said at its end.
    pub outcome: Option<Outcome>,
    /// Unfinished tasks that its last worker called in its way (RE-04).
    pub waits_for: Vec<TaskId>,
    pub answers: Vec<AnsweredQuestion>,
    /// Files that the task was seen to collide on; treated like its listed files from then on.
    pub footprint: Vec<String>,
    /// Use per attempt: counted once, however often it is reported.
    pub usages: BTreeMap<u32, Usage>,
    /// The last attempt before the task was given another chance: its budget counts from there.
    pub retried_after: u32,
    /// Failures of models in a row, which say nothing about the task.
    pub model_failures: u32,
    /// How often in a row its model's provider asked to wait.
    pub model_waits: u32,
    /// What the programs of its attempts said of themselves.
    pub identities: BTreeMap<u32, AgentIdentity>,
    /// How full the context of each attempt became.
    pub contexts: BTreeMap<u32, ContextFill>,
    /// Attempts whose worker was told that its context fills up.
    pub warned: BTreeSet<u32>,
    /// Attempts that went on with a conversation, and the attempt that had it before.
    pub resumed: BTreeMap<u32, u32>,
    /// What an attempt left that was cut off, until a later one comes to something.
    pub interrupted: Option<InterruptedAttempt>,
    /// Its worker is being stopped because its context is full.
    pub context_reached: Option<ContextFill>,
    pub differences: Vec<String>,
    /// The step that its worker waits to hear about.
    pub claimed_step: Option<StepClaim>,
    /// In order; the next worker goes on after the last one.
    pub finished_steps: Vec<FinishedStep>,
    /// The person was asked whether it may start, and said yes.
    pub allowed: bool,
    /// Which driver retried it by policy.
    pub retried_in: Option<u32>,
}

impl TaskState {
    /// A task at the start of a run: most have everything to do.
    pub(super) fn of(task: &Task) -> Self {
        let stage = match &task.done_before {
            Some(how) => TaskStage::Settled { how: how.clone() },
            None => TaskStage::Idle,
        };
        Self { stage, ..Self::default() }
    }

    pub fn usage(&self) -> Usage {
        self.usages.values().fold(Usage::default(), |sum, usage| sum.plus(usage))
    }

    /// What counts against the task's own budget: to try again is to pay again.
    pub fn usage_since_retried(&self) -> Usage {
        let counted = self.usages.range(self.retried_after.saturating_add(1)..);
        counted.fold(Usage::default(), |sum, (_, usage)| sum.plus(usage))
    }

    pub fn is_done(&self) -> bool {
        matches!(self.stage, TaskStage::Done { .. } | TaskStage::Settled { .. })
    }

    /// May whatever needs it go on?
    pub fn is_met(&self) -> bool {
        self.stage.is_met()
    }

    /// Done or skipped: nothing more will come of it unless a person asks.
    pub fn is_finished(&self) -> bool {
        self.is_done() || matches!(self.stage, TaskStage::Skipped { .. })
    }

    /// Why the last attempt came to nothing: the fact, and beside it the claim that it denies.
    pub fn last_error(&self) -> Option<String> {
        let rejection = self.last_rejection.as_ref()?;
        let denied =
            matches!(rejection, Rejection::ChecksFailed { .. } | Rejection::BrokenMerge { .. });
        let fact = rejection.describe();
        Some(if denied && self.claim().is_some() {
            format!("{fact}, although the worker said that it was done")
        } else {
            fact
        })
    }

    /// What the last worker said when it called its work done.
    pub fn claim(&self) -> Option<&CompletionClaim> {
        match &self.outcome {
            Some(Outcome::Done(claim)) => Some(claim),
            _ => None,
        }
    }

    /// How many steps are finished.
    pub fn steps_done(&self) -> u32 {
        self.finished_steps.last().map_or(0, |last| last.step)
    }

    /// What workers declared with the steps that they finished.
    pub fn declared_in_steps(&self) -> impl Iterator<Item = &Deviation> {
        self.finished_steps.iter().flat_map(|step| &step.deviations)
    }

    /// The attempts that had the conversation of this one, itself first.
    pub fn conversation(&self, attempt: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(attempt), |number| self.resumed.get(number).copied())
    }

    /// The attempt that is underway, if one is.
    pub fn attempt(&self) -> Option<&AttemptId> {
        self.stage.work().map(|work| &work.attempt)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TaskStage {
    /// Pending, ready or blocked: the frontier tells.
    #[default]
    Idle,
    Starting(ActiveAttempt),
    Running(ActiveAttempt),
    /// The process is gone; what it left is being saved.
    Harvesting(ActiveAttempt, AttemptEnd),
    /// Saved; the verdict is next.
    Judging(ActiveAttempt, AttemptEnd, Harvest),
    /// A person must allow the change.
    Held(ActiveAttempt, Harvest, Option<QuestionId>),
    Checking(ActiveAttempt, Harvest, CheckStage),
    Queued(ActiveAttempt, Harvest, Vec<CheckResult>),
    Merging(ActiveAttempt, Harvest, Vec<CheckResult>, MergeStage),
    /// A person must answer before the next attempt.
    Waiting(QuestionId),
    Failed {
        reason: String,
        question: Option<QuestionId>,
    },
    Skipped {
        reason: String,
        /// Whatever needs it goes on without it.
        ignored: bool,
    },
    Done {
        commit: CommitId,
        attempt: AttemptId,
        receipt: Box<Receipt>,
    },
    /// Done without work of ours: before this run, or by a person's answer.
    Settled {
        how: String,
    },
}

/// One attempt at work.
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
    /// We ended them; they have to run again.
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

/// Why a branch that should move does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandHold {
    /// A person must say what becomes of an outsider's commit.
    Asked(QuestionId),
    /// It could not be done for now; the run is halted for it.
    Delayed,
}

impl TaskStage {
    pub fn work(&self) -> Option<&ActiveAttempt> {
        match self {
            Self::Starting(work)
            | Self::Running(work)
            | Self::Harvesting(work, _)
            | Self::Judging(work, ..)
            | Self::Held(work, ..)
            | Self::Checking(work, ..)
            | Self::Queued(work, ..)
            | Self::Merging(work, ..) => Some(work),
            Self::Idle
            | Self::Waiting(_)
            | Self::Failed { .. }
            | Self::Skipped { .. }
            | Self::Done { .. }
            | Self::Settled { .. } => None,
        }
    }

    /// Done, or given up by a person who wants the others to go on.
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

    /// The question that must be answered before the task goes on.
    pub fn question(&self) -> Option<QuestionId> {
        match self {
            Self::Waiting(question) => Some(*question),
            Self::Failed { question, .. } | Self::Held(_, _, question) => *question,
            Self::Merging(.., MergeStage::Moving { hold: Some(LandHold::Asked(question)), .. }) => {
                Some(*question)
            }
            _ => None,
        }
    }

    /// Did we ask something of the world that is not answered yet? A queued task only waits for the
    /// one that holds the merge slot.
    pub fn is_underway(&self) -> bool {
        match self {
            Self::Starting(_)
            | Self::Running(_)
            | Self::Harvesting(..)
            | Self::Judging(..)
            | Self::Merging(.., MergeStage::Building { .. }) => true,
            Self::Checking(_, _, stage) => !stage.stopped,
            Self::Merging(.., MergeStage::Checking { stopped, .. }) => !stopped,
            Self::Merging(.., MergeStage::Moving { hold, .. }) => hold.is_none(),
            _ => false,
        }
    }
}
