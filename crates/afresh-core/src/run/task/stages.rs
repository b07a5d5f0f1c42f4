//! The stages of a task, each with the data that belongs to it alone.

use crate::check::{CheckPhase, CheckResult, Receipt};
use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, QuestionId, WorkspaceSlot};
use crate::input::{AttemptEnd, MergedTree};
use crate::interruption::AttemptResumption;
use crate::plan::ModelTier;
use crate::step::StartPoint;
use crate::time::Timestamp;
use crate::usage::BudgetAmount;

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
    /// A person must allow the change, or what is next.
    Held {
        work: ActiveAttempt,
        harvest: Harvest,
        /// Its checks passed, and a review if one was wanted: only the merge waits.
        passed: Option<Vec<CheckResult>>,
        question: Option<QuestionId>,
    },
    Checking {
        work: ActiveAttempt,
        harvest: Harvest,
        round: CheckStage,
        /// What failed on its merged tree: whether that fails on its own tree is being checked.
        broken: Option<Vec<CheckResult>>,
    },
    /// Its checks passed; a fresh agent looks at it (EX-08).
    Reviewing {
        work: ActiveAttempt,
        harvest: Harvest,
        results: Vec<CheckResult>,
        review: ReviewStage,
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
    /// Whose turn it is, if several agents compete.
    pub agent: Option<String>,
    pub resumes: Option<AttemptResumption>,
    /// Who works on it, if that is no agent of ours.
    pub by_hand: Option<String>,
    /// The commits of its dependencies when it started: its base holds these, and no later ones.
    pub needs: Vec<CommitId>,
}

/// Whether the checks of a stage are running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckActivity {
    Running,
    /// They have to run again.
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckStage {
    pub phase: CheckPhase,
    pub activity: CheckActivity,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewStage {
    /// The number of the last review of this attempt.
    pub number: u32,
    /// Reviewers in a row that failed.
    pub failures: u32,
    pub not_before: Option<Timestamp>,
    pub activity: ReviewActivity,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ReviewActivity {
    /// For a free workspace.
    #[default]
    Waiting,
    Running(ActiveReviewer),
    /// A person must decide.
    Asked(QuestionId),
}

/// The reviewer that is at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveReviewer {
    pub slot: WorkspaceSlot,
    pub reserved: BudgetAmount,
    pub agent: String,
    pub tier: ModelTier,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeStage {
    Building {
        onto: CommitId,
    },
    Checking {
        merged: MergedTree,
        activity: CheckActivity,
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
    pub(in crate::run) fn name(&self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Starting(_) => "starting",
            Self::Running(_) => "running",
            Self::Harvesting { .. } => "being harvested",
            Self::Judging { .. } => "being judged",
            Self::Held { .. } => "held",
            Self::Checking { .. } => "being checked",
            Self::Reviewing { .. } => "being reviewed",
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
            | Self::Reviewing { work, .. }
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
    pub(in crate::run) fn is_met(&self) -> bool {
        matches!(
            self,
            Self::Done { .. } | Self::Settled { .. } | Self::Skipped { ignored: true, .. }
        )
    }

    /// The attempt that a person has open.
    pub fn open_by_hand(&self) -> Option<&ActiveAttempt> {
        match self {
            Self::Running(work) if work.by_hand.is_some() => Some(work),
            _ => None,
        }
    }

    pub(in crate::run) fn work_mut(&mut self) -> Option<&mut ActiveAttempt> {
        match self {
            Self::Starting(work) | Self::Running(work) => Some(work),
            _ => None,
        }
    }

    /// The question that must be answered before the task continues.
    pub fn question(&self) -> Option<QuestionId> {
        match self {
            Self::Waiting(question)
            | Self::Reviewing {
                review: ReviewStage { activity: ReviewActivity::Asked(question), .. },
                ..
            }
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
            // A person takes as long as it takes.
            Self::Running(work) => work.by_hand.is_none(),
            Self::Starting(_)
            | Self::Harvesting { .. }
            | Self::Judging { .. }
            | Self::Merging { merge: MergeStage::Building { .. }, .. } => true,
            Self::Checking { round: stage, .. } => stage.activity == CheckActivity::Running,
            Self::Reviewing { review, .. } => {
                matches!(review.activity, ReviewActivity::Running(_))
            }
            Self::Merging { merge: MergeStage::Checking { activity, .. }, .. } => {
                *activity == CheckActivity::Running
            }
            Self::Merging { merge: MergeStage::Moving { hold, .. }, .. } => hold.is_none(),
            _ => false,
        }
    }
}
