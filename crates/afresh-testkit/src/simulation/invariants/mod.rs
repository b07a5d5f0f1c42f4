//! The promises, as facts about the journal and the simulated executor.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `base` | what was measured before the work |
//! | `comments` | comments of people on tasks |
//! | `contests` | whose turn it is where agents compete (BE-08) |
//! | `budget` | what attempts may spend (R14) |
//! | `merges` | batches, and who is blamed for a broken one (IN-02, IN-03) |
//! | `hooks` | actions that hooks hold back (BE-11) |
//! | `models` | models that fail, contexts that fill up |
//! | `blocked_tasks` | tasks whose workers named another task as blocking |
//! | `resumes` | conversations that continue |
//! | `reviews` | what lands was approved (EX-08) |
//! | `steps` | finished steps |

mod base;
mod blocked_tasks;
mod budget;
mod by_hand;
mod comments;
mod contests;
mod hooks;
mod merges;
mod models;
mod resumes;
mod reviews;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::check::{CheckResult, Receipt};
use afresh_core::effect::Effect;
use afresh_core::event::Event;
use afresh_core::hook::{HookFailure, HookPoint};
use afresh_core::ids::{AttemptId, CommitId, TaskId};
use afresh_core::input::MergedTree;
use afresh_core::plan::{Plan, TaskIndex};
use afresh_core::rejection::Rejection;
use afresh_core::run::settings::{Schedule, ScopeMode, Settings};
use afresh_core::run::{DriveState, TaskStage, TaskState};
use afresh_core::time::Timestamp;
use afresh_core::usage::BudgetAmount;
use afresh_engine::driver::host::DecidedTurn;

use super::scenario::Scenario;
use super::world::SimulatedWorld;
use base::BaseInvariants;
use blocked_tasks::BlockedTaskInvariants;
use budget::BudgetInvariants;
use by_hand::ByHandInvariants;
use comments::CommentInvariants;
use contests::ContestInvariants;
use hooks::HookInvariants;
use merges::MergeInvariants;
pub(super) use merges::check_blame;
use models::ModelInvariants;
use resumes::ResumeInvariants;
use reviews::ReviewInvariants;
use steps::StepInvariants;

/// What the journal so far adds up to, counted without the core.
#[derive(Debug)]
pub(super) struct RunInvariants {
    plan: Plan,
    settings: Settings,
    settings_changed: bool,
    halted: bool,
    numbers: BTreeSet<AttemptId>,
    /// The current attempt of each task, from its start until it landed or failed.
    current: BTreeMap<TaskId, AttemptId>,
    /// Rejections that count, since the task was last given a new chance.
    counted: BTreeMap<TaskId, u32>,
    /// Attempts that left out a file that they were to create.
    incomplete: BTreeSet<AttemptId>,
    intended: BTreeSet<CommitId>,
    budget: BudgetInvariants,
    steps: StepInvariants,
    blocked: BlockedTaskInvariants,
    models: ModelInvariants,
    resumes: ResumeInvariants,
    base: BaseInvariants,
    reviews: ReviewInvariants,
    comments: CommentInvariants,
    contests: ContestInvariants,
    hooks: HookInvariants,
    merges: MergeInvariants,
    by_hand: ByHandInvariants,
}

impl RunInvariants {
    pub(super) fn new(run: &Run) -> Self {
        Self {
            plan: run.plan().clone(),
            settings: run.settings().clone(),
            settings_changed: false,
            halted: false,
            numbers: BTreeSet::new(),
            current: BTreeMap::new(),
            counted: BTreeMap::new(),
            incomplete: BTreeSet::new(),
            intended: BTreeSet::new(),
            budget: BudgetInvariants::default(),
            steps: StepInvariants::new(run.plan()),
            blocked: BlockedTaskInvariants::default(),
            models: ModelInvariants::default(),
            resumes: ResumeInvariants::default(),
            base: BaseInvariants::default(),
            reviews: ReviewInvariants::default(),
            comments: CommentInvariants::default(),
            contests: ContestInvariants::default(),
            hooks: HookInvariants::default(),
            merges: MergeInvariants::default(),
            by_hand: ByHandInvariants::default(),
        }
    }

    /// What must hold after every recorded turn.
    pub(super) fn recorded(
        &mut self,
        turn: &DecidedTurn,
        run: &Run,
        world: &mut SimulatedWorld,
        now: Timestamp,
    ) -> Result<(), String> {
        for event in &turn.events {
            self.note_spent_contests(event, run);
            self.note(event, world)?;
        }
        self.models.recorded(turn, run, now)?;
        self.comments.check_kept(run)?;
        self.hooks.check_asked(run)?;
        self.by_hand.check_turn(turn)?;
        all_is_stopped(turn, run, world)?;
        self.budget.check_turn(turn, run, &self.settings)?;
        waves_hold(turn, run)
    }

    fn note(&mut self, event: &Event, world: &mut SimulatedWorld) -> Result<(), String> {
        self.fenced(event)?;
        self.by_hand.note(event, &self.plan)?;
        self.contests.note(event, &self.plan)?;
        self.steps.note(event, &self.contests)?;
        self.blocked.note(event)?;
        self.resumes.note(event)?;
        self.base.note(event, &self.settings)?;
        self.reviews.note(event, &self.settings)?;
        self.comments.note(event)?;
        self.hooks.note(event)?;
        self.merges.note(event, &self.settings)?;
        self.budget.note(event);
        match event {
            Event::HaltRequested { .. } => self.halted = true,
            Event::HaltCleared => self.halted = false,
            Event::PlanChanged { plan } => self.plan_changed(plan),
            Event::SettingsChanged { settings } => {
                self.settings = (**settings).clone();
                self.settings_changed = true;
            }
            Event::AttemptStarting { attempt, by_hand: Some(_), .. } => {
                self.starting_by_hand(attempt)?;
            }
            Event::AttemptStarting { attempt, reserved, .. } => {
                self.starting(attempt, *reserved)?;
            }
            Event::ReviewStarting { review, reserved, .. } => {
                if self.halted {
                    return Err(format!("R7: {review} starts in a halted run"));
                }
                self.budget.note_review(review, *reserved, &self.settings)?;
            }
            Event::AttemptHarvested { attempt, harvest } if !harvest.missing.is_empty() => {
                self.incomplete.insert(attempt.clone());
            }
            Event::AttemptAccepted { attempt, .. }
                if self.incomplete.contains(attempt) && self.settings.scope != ScopeMode::Open =>
            {
                return Err(format!("EX-07: {attempt} is accepted without an expected file"));
            }
            Event::AttemptRejected { attempt, reason, counts: true, .. }
                if is_not_the_workers_fault(reason) =>
            {
                return Err(format!("EX-05: it counts against {attempt} that {reason:?}"));
            }
            Event::AttemptRejected { attempt, reason, counts: true, .. }
                if !matches!(reason, Rejection::TimedOut { .. }) =>
            {
                *self.counted.entry(attempt.task.clone()).or_default() += 1;
            }
            // A task that is done again gets all its attempts again.
            Event::Rewound { .. } => self.counted.clear(),
            Event::TaskRetried { task } => {
                self.counted.remove(task);
            }
            Event::RewindIntended { to, .. } => world.note_intent(to),
            Event::LandIntended { attempt, merged, receipt } => {
                self.check_landing(attempt, merged, receipt, world)?;
                world.note_intent(&merged.commit);
            }
            _ => {}
        }
        Ok(())
    }

    /// R4: what lands has passed its checks on the very tree that lands.
    fn check_landing(
        &mut self,
        attempt: &AttemptId,
        merged: &MergedTree,
        receipt: &Receipt,
        world: &SimulatedWorld,
    ) -> Result<(), String> {
        self.merges.check_covering(attempt, merged, receipt, world)?;
        // An intent from before the plan change is only repeated.
        if !self.intended.insert(merged.commit.clone()) {
            return Ok(());
        }
        for command in self.checks_of(&attempt.task) {
            let recorded = receipt.checks.iter().find(|check| check.command == command);
            let is_excused = recorded.is_some_and(|result| result.excuse.is_some());
            if !recorded.is_some_and(CheckResult::is_accepted)
                || !is_excused && !world.has_passed(&receipt.tree, &command)
            {
                return Err(format!("R4: {attempt} lands without {command:?}"));
            }
        }
        Ok(())
    }

    /// R2: nothing is recorded about an attempt that is not its task's current one.
    fn fenced(&mut self, event: &Event) -> Result<(), String> {
        let attempt =
            match event {
                // Work that is chosen continues where it stopped.
                Event::AttemptStarting { attempt, .. } | Event::ContestDecided { attempt } => {
                    self.current.insert(attempt.task.clone(), attempt.clone());
                    return Ok(());
                }
                Event::AttemptSpawned { attempt }
                | Event::SpawnFailed { attempt, .. }
                | Event::UsageCounted { attempt, .. }
                | Event::AttemptIdentified { attempt, .. }
                | Event::ContextSeen { attempt, .. }
                | Event::ContextReached { attempt, .. }
                | Event::StepClaimed { attempt, .. }
                | Event::StepSaved { attempt, .. }
                | Event::StepDone { attempt, .. }
                | Event::StepRefused { attempt, .. }
                | Event::AttemptEnded { attempt, .. }
                | Event::AttemptHarvested { attempt, .. }
                | Event::AttemptRejected { attempt, .. }
                | Event::AttemptAccepted { attempt, .. }
                | Event::RedSeen { attempt, .. }
                | Event::CommentRead { attempt, .. }
                | Event::TaskCommented { sent_to: Some(attempt), .. }
                | Event::ChecksPassed { attempt, .. }
                | Event::ContestEntered { attempt, .. }
                | Event::ReviewRequested { attempt }
                | Event::ReviewWaived { attempt, .. }
                | Event::MergeStarted { attempt, .. }
                | Event::MergeBuilt { attempt, .. }
                | Event::LandIntended { attempt, .. }
                | Event::Merged { attempt, .. } => attempt,
                Event::HookFailed {
                    failure: HookFailure { point, attempt: Some(attempt), .. },
                } if point.is_before() => attempt,
                _ => return Ok(()),
            };
        if self.current.get(&attempt.task) != Some(attempt) {
            return Err(format!("R2: a late answer of {attempt} changes the run: {event:?}"));
        }
        let over = matches!(
            event,
            Event::SpawnFailed { .. }
                | Event::AttemptRejected { .. }
                | Event::ContestEntered { .. }
                | Event::Merged { .. }
                | Event::HookFailed {
                    failure: HookFailure { point: HookPoint::BeforeAttempt, .. }
                }
        );
        if over {
            self.current.remove(&attempt.task);
        }
        Ok(())
    }

    fn plan_changed(&mut self, plan: &Plan) {
        for task in self.plan.tasks() {
            if plan.index_of(&task.id).is_none_or(|at| plan.task(at) != task) {
                self.counted.remove(&task.id);
            }
        }
        self.budget.note_plan_change(&self.plan, plan);
        self.hooks.note_plan_change(&self.plan, plan);
        self.plan = plan.clone();
    }

    fn note_spent_contests(&mut self, event: &Event, run: &Run) {
        let Event::ContestDecided { attempt } = event else { return };
        let state = run.state_of(&attempt.task);
        let spent = state.map(|state| BudgetAmount::from(&state.usage_since_retried()));
        let is_task_spent =
            spent.is_some_and(|spent| run.settings().task_budget.is_reached_by(spent));
        if is_task_spent || run.budget_reached() {
            self.contests.note_spent(&attempt.task);
        }
    }

    fn starting(&mut self, attempt: &AttemptId, reserved: BudgetAmount) -> Result<(), String> {
        self.check_number(attempt)?;
        let counted = self.counted.get(&attempt.task).copied().unwrap_or(0);
        let contest = self.plan.index_of(&attempt.task).map(|at| self.plan.task(at));
        let agents = contest.and_then(|task| task.contest.as_ref()).map_or(1, |it| it.agents.len());
        let most = self.settings.attempts.max(u32::try_from(agents).unwrap_or(u32::MAX));
        if counted >= most && !self.settings_changed {
            return Err(format!("{attempt} starts although {counted} attempts were spent"));
        }
        self.budget.note_start(attempt, reserved, &self.settings)
    }

    /// A person uses no budget.
    fn starting_by_hand(&mut self, attempt: &AttemptId) -> Result<(), String> {
        self.check_number(attempt)?;
        self.budget.note_by_hand(attempt);
        Ok(())
    }

    fn check_number(&mut self, attempt: &AttemptId) -> Result<(), String> {
        if self.halted {
            return Err(format!("R7: {attempt} starts in a halted run"));
        }
        if !self.numbers.insert(attempt.clone()) {
            return Err(format!("R2: {attempt} is used twice"));
        }
        match self.budget.live_attempt(&attempt.task) {
            Some(other) => Err(format!("R2: {attempt} starts beside {other}")),
            None => Ok(()),
        }
    }

    /// The commands that a task must have passed to land.
    fn checks_of(&self, task: &TaskId) -> Vec<String> {
        let own = self.plan.index_of(task).map(|at| self.plan.task(at));
        let own = own.into_iter().flat_map(|task| task.all_checks().map(|c| c.command.clone()));
        own.chain(self.settings.always.iter().cloned()).collect()
    }

    /// What must hold when nothing more will happen.
    pub(super) fn at_the_end(
        &self,
        run: &Run,
        journal: &[Event],
        world: &SimulatedWorld,
        scenario: &Scenario,
    ) -> Result<(), String> {
        replays(journal, run)?;
        let done: BTreeSet<TaskId> = run
            .tasks()
            .filter(|(_, state)| state.is_done())
            .map(|(task, _)| task.id.clone())
            .collect();
        if world.landed() != done {
            let landed = world.landed();
            return Err(format!("R3: the branch holds {landed:?}, the journal says {done:?}"));
        }
        if world.branch.last() != Some(run.tip()) {
            return Err("R3: the branch is not where the journal says".to_owned());
        }
        self.budget.at_the_end(run, world)?;
        self.by_hand.at_the_end(run)?;
        blocked_tasks::check_no_unreachable_wait(run)?;
        self.models.at_the_end(run)?;
        let standing = run.drive_state(Timestamp(u64::MAX));
        if scenario.is_kind() && standing != (DriveState::Finished { ok: true }) {
            return Err(format!("in a kind world the run ends as {standing:?}"));
        }
        Ok(())
    }
}

/// Attempts that were lost to a kill, a halt, a question or a faster task's merge do not count.
fn is_not_the_workers_fault(reason: &Rejection) -> bool {
    matches!(
        reason,
        Rejection::Conflict { .. }
            | Rejection::BrokenMerge { .. }
            | Rejection::Stopped
            | Rejection::Orphaned
            | Rejection::NotResumed { .. }
            | Rejection::Asked
            | Rejection::Blocked { .. }
    )
}

/// R12: replaying the journal gives the run.
pub(super) fn replays(journal: &[Event], run: &Run) -> Result<(), String> {
    let replayed = Run::replay(journal)
        .map_err(|error| format!("R12: {error}"))?
        .ok_or("R12: the journal does not start a run")?;
    if replayed == *run {
        Ok(())
    } else {
        Err("R12: the journal does not lead to the same run".to_owned())
    }
}

/// R7, R14: every running worker is stopped in the same turn that ends the spending.
fn all_is_stopped(turn: &DecidedTurn, run: &Run, world: &SimulatedWorld) -> Result<(), String> {
    let ends = |event: &Event| {
        matches!(event, Event::HaltRequested { now: true, .. } | Event::BudgetReached { .. })
    };
    let Some(end) = turn.events.iter().find(|event| ends(event)) else { return Ok(()) };
    let stopped = |attempt: &AttemptId| {
        turn.effects
            .iter()
            .any(|effect| matches!(effect, Effect::Stop { attempt: other, .. } if other == attempt))
    };
    for attempt in world.alive() {
        let at_work = run.state_of(&attempt.task).is_some_and(|state| {
            matches!(&state.stage, TaskStage::Starting(work) | TaskStage::Running(work) if work.attempt == *attempt)
        });
        if at_work && !stopped(attempt) {
            return Err(format!("R7, R14: {attempt} continues after {end:?}"));
        }
    }
    for attempt in world.reviewed_attempts() {
        let is_reviewed = run.state_of(&attempt.task).is_some_and(|state| {
            state.stage.is_underway() && matches!(state.stage, TaskStage::Reviewing { .. })
        });
        if is_reviewed && !stopped(attempt) {
            return Err(format!("R7, R14: the reviewer of {attempt} continues after {end:?}"));
        }
    }
    let checks = turn.effects.contains(&Effect::StopChecks);
    if matches!(end, Event::HaltRequested { .. }) && !checks {
        return Err("R7: checks continue although everything was to end".to_owned());
    }
    Ok(())
}

/// EX-02: under `waves`, no task starts while an earlier wave can still progress.
fn waves_hold(turn: &DecidedTurn, run: &Run) -> Result<(), String> {
    if run.settings().schedule != Schedule::Waves {
        return Ok(());
    }
    let plan = run.plan();
    let could_move = |at: TaskIndex, state: &TaskState| {
        let is_asked = run.questions().any(|question| question.task == plan.task(at).id);
        state.stage.work().is_some() || run.is_ready(at) || is_asked
    };
    let earliest = run
        .indexed_tasks()
        .filter(|(at, _, state)| could_move(*at, state))
        .map(|(at, ..)| plan.wave(at))
        .min();
    for event in &turn.events {
        if let (Event::AttemptStarting { attempt, .. }, Some(earliest)) = (event, earliest)
            && plan.index_of(&attempt.task).is_some_and(|at| plan.wave(at) > earliest)
        {
            return Err(format!("EX-02: {attempt} starts before wave {earliest} is settled"));
        }
    }
    Ok(())
}
