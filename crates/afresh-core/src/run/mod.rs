//! The state of a run: what the events so far add up to.
//!
//! Everything is computed by [`Run::apply`]; there is no policy here. What the events mean for the
//! future is decided in [`decide`](mod@crate::decide).
//!
//! | module | what it holds |
//! | --- | --- |
//! | `apply` | what each event changes |
//! | `by_hand` | attempts that people have open |
//! | `base` | what was measured before any work |
//! | `drive_state` | what can happen next: tasks that could start, what a driver can do now |
//! | `fork` | what a new run takes over from this one |
//! | `frontier` | which tasks are ready, kept up to date |
//! | `marks` | tasks that the plan marks as done: by its author, and by the run's own progress |
//! | [`merge_queue`] | finished work in line, and the batches that are built and checked |
//! | `obstacles` | failures that are not about one task |
//! | `programs` | what agent programs report, and the backoff and model tiers that follow |
//! | `reviews` | reviews that wait, and who spends tokens now |
//! | `required_checks` | which checks must pass on which tree |
//! | [`settings`] | how to run it |
//! | `task` | the state of one task |

mod apply;
mod base;
mod by_hand;
mod drive_state;
mod fork;
mod frontier;
mod marks;
pub mod merge_queue;
mod obstacles;
mod programs;
mod required_checks;
mod reviews;
mod rewind;
pub mod settings;
mod task;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use programs::TRIES_PER_MODEL;

use base::BaseMeasurement;
use merge_queue::{BatchStage, MergeQueue};
use obstacles::RepeatedFailure;

pub(crate) use obstacles::FailedAct;
pub(crate) use rewind::{RewindGoal, RewindState};

pub use apply::IllegalEvent;
pub use base::{EarlierFailure, KnownFailure, UnprovedTask};
pub use drive_state::DriveState;
pub use fork::{ForkPoint, InheritedWork, RunFork};
pub use frontier::{BlockCause, TaskFrontier};
pub use marks::RefutedMark;
pub use reviews::SpendingWorker;
pub use rewind::{RewindPath, RewindTarget};
pub use task::{
    ActiveAttempt, ActiveReviewer, AttemptRecords, CheckActivity, CheckStage, ContestEntry,
    ContestState, LandHold, LastAttempt, MergeStage, ModelHealth, PersonInput, RetryState,
    ReviewActivity, ReviewStage, SessionState, StepProgress, TaskHistory, TaskStage, TaskState,
    TaskTable,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::{CheckResult, Receipt};
use crate::estimate::forecast::RunForecast;
use crate::event::Event;
use crate::ids::{AttemptId, CommitId, QuestionId, RunId, TaskId, TreeId, WorkspaceSlot};
use crate::plan::{ModelTier, Plan, TaskIndex};
use crate::question::{ObstacleScope, Question, QuestionTopic};
use crate::run::settings::Settings;
use crate::step::StartPoint;
use crate::time::Timestamp;
use crate::usage::{BudgetAmount, Usage};

#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    id: RunId,
    branch: String,
    base: CommitId,
    /// Where the branch stands, as far as we moved it.
    tip: CommitId,
    /// What has landed, in order.
    landings: Vec<LandedTask>,
    /// The run whose merges it started with.
    forked_from: Option<RunId>,
    /// Moving the branch back to before a wave.
    rewind: Option<RewindState>,
    plan: Plan,
    settings: Settings,
    /// What it was expected to take.
    forecast: Option<RunForecast>,
    /// No agent starts a task: a person drives the run by hand.
    holds_back_agents: bool,
    /// Counts the drivers that took up this run.
    epoch: u32,
    tasks: TaskTable,
    frontier: TaskFrontier,
    /// Workspaces whose contents are not saved yet.
    slots: BTreeMap<WorkspaceSlot, AttemptId>,
    /// Workspaces with unsaved work of attempts whose task left the plan.
    unsaved_slots: BTreeMap<WorkspaceSlot, ActiveAttempt>,
    /// Receipts of work that landed and whose task the plan changed or dropped since, by commit.
    dropped_receipts: BTreeMap<CommitId, Receipt>,
    /// What is kept of tasks that are no longer in the plan.
    removed_tasks: BTreeMap<TaskId, TaskHistory>,
    merge_queue: MergeQueue,
    questions: BTreeMap<QuestionId, Question>,
    next_question: u32,
    halt: Option<HaltRequest>,
    abort: Option<Abort>,
    budget_reached: bool,
    /// The most expensive attempt so far: what the next one may cost.
    dearest: BudgetAmount,
    /// The most that one report added: what a worker may use before its next report.
    largest_report: BudgetAmount,
    /// Whether any worker has reported its usage, or ended by itself without reporting any.
    knows_use: bool,
    /// Agents and model tiers whose provider asked to wait.
    parked: BTreeMap<(Option<String>, ModelTier), Timestamp>,
    final_checks: FinalChecks,
    base_checks: BaseMeasurement,
    /// What failed the same way several times in a row, by what it concerns.
    repeated_failures: BTreeMap<(FailedAct, ObstacleScope), RepeatedFailure>,
    /// Agents that have done some work in this run.
    proven_agents: BTreeSet<ObstacleScope>,
}

/// A task's work on the branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LandedTask {
    pub(crate) task: TaskId,
    pub(crate) commit: CommitId,
    pub(crate) tree: TreeId,
    /// Its own tree was not checked: the last commit of its batch covers it.
    pub(crate) is_inner: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaltRequest {
    pub now: bool,
    pub reason: String,
    pub by: String,
    pub cause: Option<HaltCause>,
}

/// Why a run was ended before it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Abort {
    reason: String,
    /// Nothing continues the run; otherwise the next driver does.
    is_final: bool,
}

/// What made afresh halt a run by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HaltCause {
    /// Nothing can be written; the run continues once there is space.
    FullDisk,
}

/// The checks of the whole run on its last tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinalChecks {
    NotYet,
    /// None: on the base, because nothing has landed.
    Underway {
        tree: Option<TreeId>,
    },
    Stopped,
    Ended {
        tree: TreeId,
        epoch: u32,
        results: Vec<CheckResult>,
    },
}

impl Run {
    /// The run that the first event of a journal starts; none if it is another event.
    pub fn start(first: &Event) -> Option<Self> {
        let Event::RunStarted { run, branch, base, plan, settings } = first else { return None };
        let tasks: TaskTable = plan.tasks().iter().map(TaskState::for_task).collect();
        let mut run = Self {
            id: run.clone(),
            branch: branch.clone(),
            base: base.clone(),
            tip: base.clone(),
            landings: Vec::new(),
            forked_from: None,
            rewind: None,
            frontier: TaskFrontier::rebuild(plan, &tasks),
            tasks,
            plan: (**plan).clone(),
            settings: (**settings).clone(),
            forecast: None,
            holds_back_agents: false,
            epoch: 0,
            slots: BTreeMap::new(),
            unsaved_slots: BTreeMap::new(),
            dropped_receipts: BTreeMap::new(),
            removed_tasks: BTreeMap::new(),
            merge_queue: MergeQueue::default(),
            questions: BTreeMap::new(),
            next_question: 1,
            halt: None,
            abort: None,
            budget_reached: false,
            dearest: BudgetAmount::default(),
            largest_report: BudgetAmount::default(),
            knows_use: false,
            parked: BTreeMap::new(),
            final_checks: FinalChecks::NotYet,
            base_checks: BaseMeasurement::default(),
            repeated_failures: BTreeMap::new(),
            proven_agents: BTreeSet::new(),
        };
        run.note_measured();
        Some(run)
    }

    /// The run that a journal's events add up to; none if the first does not start a run.
    pub fn replay<'a>(
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<Option<Self>, IllegalEvent> {
        let mut events = events.into_iter();
        let Some(mut run) = events.next().and_then(Self::start) else { return Ok(None) };
        for event in events {
            run.apply(event)?;
        }
        Ok(Some(run))
    }

    pub fn id(&self) -> &RunId {
        &self.id
    }

    pub fn branch(&self) -> &str {
        &self.branch
    }

    pub fn base(&self) -> &CommitId {
        &self.base
    }

    pub fn tip(&self) -> &CommitId {
        &self.tip
    }

    /// The tree of the tip, once something has landed.
    pub fn tip_tree(&self) -> Option<&TreeId> {
        self.landings.last().map(|landing| &landing.tree)
    }

    /// What landed after this commit; everything, if it never landed itself.
    pub(crate) fn landed_since(&self, commit: &CommitId) -> impl Iterator<Item = &LandedTask> {
        let before = self.landings.iter().position(|landing| landing.commit == *commit);
        self.landings.iter().skip(before.map_or(0, |at| at + 1))
    }

    /// What failed on the merged tree of a task whose own tree is being checked because of that.
    pub(crate) fn broken_merge_of(&self, at: TaskIndex) -> Option<Vec<CheckResult>> {
        match &self.tasks[at].stage {
            TaskStage::Checking { broken, .. } => broken.clone(),
            _ => None,
        }
    }

    /// The commits that landed and whose own trees passed, oldest first: the branch may point to any of them.
    pub fn checked_commits(&self) -> impl DoubleEndedIterator<Item = &CommitId> {
        self.landings.iter().filter(|landing| !landing.is_inner).map(|landing| &landing.commit)
    }

    /// The commits that landed, oldest first.
    pub fn landed_commits(&self) -> impl DoubleEndedIterator<Item = &CommitId> {
        self.landings.iter().map(|landing| &landing.commit)
    }

    pub(crate) fn rewind(&self) -> Option<&RewindState> {
        self.rewind.as_ref()
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What it was expected to take when it started; tasks that were added or changed since have later figures.
    pub fn forecast(&self) -> Option<&RunForecast> {
        self.forecast.as_ref()
    }

    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    pub fn task(&self, index: TaskIndex) -> &TaskState {
        &self.tasks[index]
    }

    pub fn tasks(&self) -> impl Iterator<Item = (&crate::plan::Task, &TaskState)> {
        self.plan.tasks().iter().zip(self.tasks.states().iter())
    }

    /// The same, with the index of each task.
    pub fn indexed_tasks(
        &self,
    ) -> impl Iterator<Item = (TaskIndex, &crate::plan::Task, &TaskState)> {
        self.plan.indices().zip(self.tasks()).map(|(at, (task, state))| (at, task, state))
    }

    pub fn state_of(&self, id: &TaskId) -> Option<&TaskState> {
        self.plan.index_of(id).map(|position| &self.tasks[position])
    }

    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.questions.values()
    }

    pub fn question(&self, id: QuestionId) -> Option<&Question> {
        self.questions.get(&id)
    }

    pub fn halt(&self) -> Option<&HaltRequest> {
        self.halt.as_ref()
    }

    pub fn aborted(&self) -> Option<&str> {
        self.abort.as_ref().map(|abort| abort.reason.as_str())
    }

    /// Whether a person has ended the run, so that nothing continues it.
    pub fn is_ended_for_good(&self) -> bool {
        self.abort.as_ref().is_some_and(|abort| abort.is_final)
    }

    pub fn final_checks(&self) -> &FinalChecks {
        &self.final_checks
    }

    pub fn frontier(&self) -> &TaskFrontier {
        &self.frontier
    }

    pub(crate) fn slots(&self) -> &BTreeMap<WorkspaceSlot, AttemptId> {
        &self.slots
    }

    pub(crate) fn unsaved_slots(&self) -> &BTreeMap<WorkspaceSlot, ActiveAttempt> {
        &self.unsaved_slots
    }

    /// Whether a full disk halted it.
    pub fn is_stopped_by_disk(&self) -> bool {
        self.halt.as_ref().is_some_and(|halt| halt.cause == Some(HaltCause::FullDisk))
    }

    /// Whether the branch may already stand elsewhere than [`tip`](Self::tip) because we are moving it.
    pub fn is_moving_branch(&self) -> bool {
        let first = self.merge_queue.chain().first();
        first.is_some_and(|batch| batch.stage == BatchStage::Landing) || self.rewind.is_some()
    }

    /// Finished work on its way to the branch.
    pub fn merge_queue(&self) -> &MergeQueue {
        &self.merge_queue
    }

    /// The open question about what was measured before the work.
    pub(crate) fn base_question(&self) -> Option<&Question> {
        self.questions.values().find(|question| question.topic == QuestionTopic::Base)
    }

    /// Whether any worker was started.
    pub fn has_attempts(&self) -> bool {
        self.tasks.states().iter().any(|state| state.retries.last_number > 0)
    }

    pub(crate) fn next_question(&self) -> QuestionId {
        QuestionId(self.next_question)
    }

    pub fn budget_reached(&self) -> bool {
        self.budget_reached
    }

    pub(crate) fn dearest(&self) -> BudgetAmount {
        self.dearest
    }

    /// Where the next worker of a task starts: after the last finished step while its dependencies are
    /// unchanged (EX-03), otherwise at the tip of the branch.
    pub fn next_start_point(&self, at: TaskIndex) -> StartPoint {
        let fresh = StartPoint::fresh(self.tip.clone());
        let Some(last) = self.tasks[at].steps.finished.last() else { return fresh };
        match &last.commit {
            Some(commit) if self.steps_hold(at) => {
                StartPoint::after(last.base.clone(), commit.clone())
            }
            _ => fresh,
        }
    }

    /// Whether the dependencies of a task are the same as when its steps were finished.
    pub fn steps_hold(&self, at: TaskIndex) -> bool {
        let last = self.tasks[at].steps.finished.last();
        last.is_none_or(|last| last.needs == self.landed_needs(at))
    }

    /// The commits with which the dependencies of a task have landed.
    pub(crate) fn landed_needs(&self, at: TaskIndex) -> Vec<CommitId> {
        let needs = self.plan.needs(at).iter().map(|need| &self.tasks[*need].stage);
        needs
            .filter_map(|stage| match stage {
                TaskStage::Done { commit, .. } => Some(commit.clone()),
                _ => None,
            })
            .collect()
    }

    /// Whether anything is known about the usage of a worker.
    pub(crate) fn knows_usage(&self) -> bool {
        self.knows_use
    }

    /// Whether the budget allows this many workers at once.
    pub(crate) fn budget_holds(&self, workers: usize) -> bool {
        self.settings.budget.holds(BudgetAmount::from(&self.usage()), self.largest_report, workers)
    }

    /// The usage of all attempts so far.
    pub fn usage(&self) -> Usage {
        let here = self.tasks.states().iter().map(TaskState::usage);
        let gone = self.removed_tasks.values().map(TaskHistory::usage);
        here.chain(gone).fold(Usage::default(), |sum, usage| sum.plus(&usage))
    }

    /// Tasks with an attempt underway.
    /// The tasks that have an attempt.
    pub fn active_tasks(&self) -> impl Iterator<Item = (TaskIndex, &TaskState)> {
        self.frontier.active().map(|at| (at, &self.tasks[at]))
    }

    pub(crate) fn active(&self) -> BTreeSet<TaskIndex> {
        self.frontier.active().collect()
    }
}
