//! What we ask of the world. Performed only after the events that led to it are on disk; each one
//! may be asked for again after a crash.

use std::time::Duration;

use crate::check::CheckPhase;
use crate::ids::{AttemptId, CommitId, TreeId, WorkspaceSlot};
use crate::interruption::AttemptResumption;
use crate::plan::{Check, ModelTier};
use crate::step::{StartPoint, StepAnswer};
use crate::usage::ContextFill;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Prepare the slot and start a worker in it: a fresh one, or one that goes on.
    Start {
        attempt: AttemptId,
        slot: WorkspaceSlot,
        ground: StartPoint,
        tier: ModelTier,
        resumes: Option<AttemptResumption>,
    },
    /// Tell the worker that its context fills up.
    Warn { attempt: AttemptId, fill: ContextFill },
    /// End a running attempt with everything it started.
    Stop { attempt: AttemptId, grace: Duration },
    /// Make a tree and a commit of what is in the slot, and keep it under a salvage ref.
    Harvest { attempt: AttemptId, slot: WorkspaceSlot, ground: StartPoint },
    /// The same for a finished step, while the worker waits.
    SaveStep { attempt: AttemptId, slot: WorkspaceSlot, ground: StartPoint, step: u32 },
    /// Tell the worker what became of the step that it claimed.
    AnswerStep { attempt: AttemptId, step: u32, answer: StepAnswer },
    /// Run checks on a clean checkout.
    Check(CheckRequest),
    /// End all checks that are running.
    StopChecks,
    /// Merge `theirs` with `onto`, aside.
    BuildMerge { attempt: AttemptId, base: CommitId, onto: CommitId, theirs: Option<CommitId> },
    /// Compare and swap, back to where the branch was; `from` is kept.
    MoveBack { from: CommitId, to: CommitId },
    /// Compare and swap; a branch at `restore` (an outsider's commit) is saved first.
    MoveBranch { attempt: AttemptId, from: CommitId, to: CommitId, restore: Option<CommitId> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRequest {
    /// None: the final checks of the run.
    pub attempt: Option<AttemptId>,
    pub phase: CheckPhase,
    pub on: CheckOn,
    pub checks: Vec<Check>,
}

/// The tree to check out; a base is known by its commit alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckOn {
    Tree(TreeId),
    Commit(CommitId),
}
