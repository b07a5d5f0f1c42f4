//! Requests to the executor. Performed only after the events that led to them are on disk; each one may be
//! requested again after a crash.

use std::time::Duration;

use crate::check::{CheckPhase, CheckResult};
use crate::comment::TaskComment;
use crate::ids::{AttemptId, CommitId, TreeId, WorkspaceSlot};
use crate::interruption::AttemptResumption;
use crate::plan::{Check, ModelTier};
use crate::review::ReviewId;
use crate::run::KnownFailure;
use crate::run::merge_queue::BatchId;
use crate::run::settings::MutationRule;
use crate::step::{StartPoint, StepAnswer};
use crate::usage::ContextFill;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Prepare the workspace and start a worker in it: a fresh one, or one that continues a conversation.
    Start {
        attempt: AttemptId,
        slot: WorkspaceSlot,
        ground: StartPoint,
        tier: ModelTier,
        resumes: Option<AttemptResumption>,
    },
    /// Prepare the workspace and the bundle for an attempt by hand: no agent starts.
    Prepare { attempt: AttemptId, slot: WorkspaceSlot, ground: StartPoint },
    /// Warn the worker that its context is filling up.
    Warn { attempt: AttemptId, fill: ContextFill },
    /// Give a person's comment to the worker.
    SendComment { attempt: AttemptId, comment: TaskComment },
    /// End a running attempt with everything it started.
    Stop { attempt: AttemptId, grace: Duration },
    /// Make a tree and a commit from the workspace, and keep it under a salvage ref.
    Harvest { attempt: AttemptId, slot: WorkspaceSlot, ground: StartPoint },
    /// The same for a finished step, while the worker waits.
    SaveStep { attempt: AttemptId, slot: WorkspaceSlot, ground: StartPoint, step: u32 },
    /// Answer the worker about the step that it claimed.
    AnswerStep { attempt: AttemptId, step: u32, answer: StepAnswer },
    /// Run checks on a clean checkout.
    Check(CheckRequest),
    /// Run checks before any work, to see what they are worth.
    Probe(ProbeRequest),
    /// End the checks before any work, and no others.
    StopProbe,
    /// End all checks that are running.
    StopChecks,
    /// Start a reviewer in a clean checkout of the attempt's work.
    Review(ReviewRequest),
    /// Merge the work of each member with `onto` and those before it, without touching the branch.
    BuildMerge { batch: BatchId, onto: CommitId, members: Vec<MergeMember> },
    /// Nothing of this batch is used any more: stop its checks, and let go of its last commit.
    DropBatch { batch: BatchId, last: Option<CommitId> },
    /// Move the branch back by compare-and-swap; `from` is kept.
    MoveBack { from: CommitId, to: CommitId },
    /// Move the branch by compare-and-swap; a foreign commit `restore` on it is saved first.
    MoveBranch { attempts: Vec<AttemptId>, from: CommitId, to: CommitId, restore: Option<CommitId> },
}

/// Work to merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeMember {
    pub attempt: AttemptId,
    /// Where the attempt started.
    pub base: CommitId,
    /// What it left; none if it changed nothing.
    pub theirs: Option<CommitId>,
}

/// A reviewer to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRequest {
    pub review: ReviewId,
    pub slot: WorkspaceSlot,
    pub agent: String,
    pub tier: ModelTier,
    /// Where the attempt started.
    pub base: CommitId,
    /// What it left.
    pub work: CommitId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRequest {
    /// Whose work it is, of a batch the last; none: the final checks of the run.
    pub attempt: Option<AttemptId>,
    /// Of checks on a merged tree.
    pub batch: Option<BatchId>,
    pub phase: CheckPhase,
    pub on: CheckOn,
    /// The checks of a group run in order and in one workspace; groups may run side by side.
    pub groups: Vec<Vec<Check>>,
    pub goal: RoundGoal,
    /// How often a failed check runs again on the same tree.
    pub reruns: u32,
    /// Checks whose failure may not count: it does not end the round.
    pub tolerated: Vec<ToleratedCheck>,
    /// Test files that the work created or changed.
    pub changed_tests: Vec<String>,
    /// After everything else has passed: mutants of what changed since this commit.
    pub mutation: Option<(MutationRule, CommitId)>,
}

impl CheckRequest {
    /// A round in which each check runs once, in order.
    pub fn plain(
        attempt: Option<AttemptId>,
        phase: CheckPhase,
        on: CheckOn,
        checks: Vec<Check>,
    ) -> Self {
        let goal = match phase {
            CheckPhase::Red | CheckPhase::Final => RoundGoal::EveryCheck,
            _ => RoundGoal::FirstFailure,
        };
        Self {
            attempt,
            batch: None,
            phase,
            on,
            groups: vec![checks],
            goal,
            reruns: 0,
            tolerated: Vec::new(),
            changed_tests: Vec::new(),
            mutation: None,
        }
    }

    /// All checks, in the order of the groups.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.groups.iter().flatten()
    }
}

/// When a round of checks knows enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundGoal {
    /// A failure that counts ends it.
    FirstFailure,
    /// A failure that counts ends its group.
    EveryGroup,
    EveryCheck,
}

/// A check that may fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToleratedCheck {
    pub command: String,
    /// How it failed before; none: it is in quarantine, and may fail in any way.
    pub known: Option<KnownFailure>,
}

impl ToleratedCheck {
    /// Whether this failure is one that does not count.
    pub fn tolerates(&self, failed: &CheckResult) -> bool {
        self.command == failed.command
            && self.known.as_ref().is_none_or(|known| known.is_repeated_by(failed))
    }
}

/// The checks of a plan and of every merge, on this commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeRequest {
    pub commit: CommitId,
    /// Checks of tasks, each command once.
    pub own: Vec<Check>,
    /// Checks of every merge, in order and in one workspace, as a merge runs them. These must pass, so they run again
    /// if they fail.
    pub always: Vec<Check>,
    pub reruns: u32,
    /// How often a failed check of a task runs again; such a failure is expected, so usually not at all.
    pub own_reruns: u32,
    /// Commands that are known to be flaky.
    pub known_flaky: Vec<String>,
}

/// What to check out; of a base only the commit is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckOn {
    Tree(TreeId),
    Commit(CommitId),
}
