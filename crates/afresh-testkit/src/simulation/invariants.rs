//! The promises, as facts about the journal and the simulated executor.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::effect::Effect;
use afresh_core::event::Event;
use afresh_core::ids::{AttemptId, CommitId, TaskId};
use afresh_core::plan::{Plan, TaskIndex};
use afresh_core::process::ProcessEnd;
use afresh_core::rejection::Rejection;
use afresh_core::run::{DriveState, TaskStage, TaskState};
use afresh_core::settings::{Schedule, Settings};
use afresh_core::time::Timestamp;
use afresh_core::usage::{Budget, BudgetAmount};
use afresh_engine::driver::host::DecidedTurn;

use super::model_invariants::ModelInvariants;
use super::queue_invariants::{self, QueueInvariants};
use super::resume_invariants::ResumeInvariants;
use super::scenario::Scenario;
use super::step_invariants::StepInvariants;
use super::world::SimulatedWorld;

/// What the journal so far adds up to, counted without the core.
#[derive(Debug)]
pub(super) struct RunInvariants {
    plan: Plan,
    settings: Settings,
    settings_changed: bool,
    halted: bool,
    broke: bool,
    numbers: BTreeSet<AttemptId>,
    /// The current attempt of each task, from its start until it landed or failed.
    current: BTreeMap<TaskId, AttemptId>,
    /// Running attempts, with the budget that was reserved for them.
    live: BTreeMap<AttemptId, BudgetAmount>,
    used: BTreeMap<AttemptId, BudgetAmount>,
    dearest: BudgetAmount,
    largest_report: BudgetAmount,
    /// Attempts that have reported their usage, or ended by themselves.
    known: BTreeSet<AttemptId>,
    /// The last attempt of a task before it was given another chance.
    retried_after: BTreeMap<TaskId, u32>,
    /// Rejections that count, since the task was last given a new chance.
    counted: BTreeMap<TaskId, u32>,
    intended: BTreeSet<CommitId>,
    steps: StepInvariants,
    queue: QueueInvariants,
    models: ModelInvariants,
    resumes: ResumeInvariants,
}

impl RunInvariants {
    pub(super) fn new(run: &Run) -> Self {
        Self {
            plan: run.plan().clone(),
            settings: run.settings().clone(),
            settings_changed: false,
            halted: false,
            broke: false,
            numbers: BTreeSet::new(),
            current: BTreeMap::new(),
            live: BTreeMap::new(),
            used: BTreeMap::new(),
            dearest: BudgetAmount::default(),
            largest_report: BudgetAmount::default(),
            known: BTreeSet::new(),
            retried_after: BTreeMap::new(),
            counted: BTreeMap::new(),
            intended: BTreeSet::new(),
            steps: StepInvariants::new(run.plan()),
            queue: QueueInvariants::default(),
            models: ModelInvariants::default(),
            resumes: ResumeInvariants::default(),
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
            self.note(event, world)?;
        }
        self.models.recorded(turn, run, now)?;
        all_is_stopped(turn, run, world)?;
        self.fewer_near_the_limit(turn)?;
        waves_hold(turn, run)?;
        let spent = BudgetAmount::from(&run.usage());
        let starts = |event: &Event| matches!(event, Event::AttemptStarting { .. });
        if run.settings().budget.is_reached_by(spent) && turn.events.iter().any(starts) {
            return Err("R14: an attempt starts although nothing is left".to_owned());
        }
        Ok(())
    }

    fn note(&mut self, event: &Event, world: &mut SimulatedWorld) -> Result<(), String> {
        self.fenced(event)?;
        self.steps.note(event)?;
        self.queue.note(event)?;
        self.resumes.note(event)?;
        match event {
            Event::HaltRequested { .. } => self.halted = true,
            Event::HaltCleared => self.halted = false,
            Event::BudgetReached { .. } => self.broke = true,
            Event::Opened { .. } => self.broke = false,
            Event::PlanChanged { plan } => self.plan_changed(plan),
            Event::SettingsChanged { settings } => {
                self.settings = (**settings).clone();
                self.settings_changed = true;
            }
            Event::AttemptStarting { attempt, reserved, .. } => {
                self.starting(attempt, *reserved)?;
            }
            // No worker ran, or it did nothing.
            Event::SpawnFailed { attempt, .. }
            | Event::AttemptRejected {
                attempt,
                reason: Rejection::NotResumed { .. },
                counts: false,
                ..
            } => {
                self.live.remove(attempt);
            }
            Event::UsageCounted { attempt, usage } => self.used(attempt, BudgetAmount::from(usage)),
            Event::AttemptEnded { attempt, end } => {
                self.used(attempt, BudgetAmount::from(&end.usage));
                let cut_off = matches!(
                    end.ending,
                    ProcessEnd::Lost | ProcessEnd::Stopped | ProcessEnd::SupervisorLost
                );
                if !cut_off {
                    self.known.insert(attempt.clone());
                }
                self.live.remove(attempt);
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
                let own = self.numbers.iter().filter(|attempt| attempt.task == *task);
                let last = own.map(|attempt| attempt.number).max().unwrap_or(0);
                self.retried_after.insert(task.clone(), last);
            }
            Event::RewindIntended { to, .. } => world.note_intent(to),
            Event::LandIntended { attempt, merged, receipt } => {
                if receipt.tree != merged.tree {
                    return Err(format!("R4: the receipt of {attempt} is about another tree"));
                }
                // An intent from before the plan change is only repeated.
                if self.intended.insert(merged.commit.clone()) {
                    for command in self.checks_of(&attempt.task) {
                        let recorded = receipt.checks.iter().find(|check| check.command == command);
                        if !recorded.is_some_and(afresh_core::check::CheckResult::passed)
                            || !world.has_passed(&merged.tree, &command)
                        {
                            return Err(format!("R4: {attempt} lands without {command:?}"));
                        }
                    }
                }
                world.note_intent(&merged.commit);
            }
            _ => {}
        }
        Ok(())
    }

    /// R2: nothing is recorded about an attempt that is not its task's current one.
    fn fenced(&mut self, event: &Event) -> Result<(), String> {
        let attempt = match event {
            Event::AttemptStarting { attempt, .. } => {
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
            | Event::ChecksPassed { attempt, .. }
            | Event::MergeStarted { attempt, .. }
            | Event::MergeBuilt { attempt, .. }
            | Event::LandIntended { attempt, .. }
            | Event::Merged { attempt, .. } => attempt,
            _ => return Ok(()),
        };
        if self.current.get(&attempt.task) != Some(attempt) {
            return Err(format!("R2: a late answer of {attempt} changes the run: {event:?}"));
        }
        let over = matches!(
            event,
            Event::SpawnFailed { .. } | Event::AttemptRejected { .. } | Event::Merged { .. }
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
            if plan.index_of(&task.id).is_none_or(|at| !plan.task(at).is_same_work_as(task)) {
                self.retried_after.remove(&task.id);
            }
        }
        // A worker whose task is no longer in the plan spends nothing.
        self.live.clear();
        self.plan = plan.clone();
    }

    fn starting(&mut self, attempt: &AttemptId, reserved: BudgetAmount) -> Result<(), String> {
        if self.halted {
            return Err(format!("R7: {attempt} starts in a halted run"));
        }
        if self.broke {
            return Err(format!("R14: {attempt} starts after the budget was reached"));
        }
        if !self.numbers.insert(attempt.clone()) {
            return Err(format!("R2: {attempt} is used twice"));
        }
        if let Some(other) = self.live.keys().find(|other| other.task == attempt.task) {
            return Err(format!("R2: {attempt} starts beside {other}"));
        }
        let counted = self.counted.get(&attempt.task).copied().unwrap_or(0);
        if counted >= self.settings.attempts.max(1) && !self.settings_changed {
            return Err(format!("{attempt} starts although {counted} attempts were spent"));
        }
        self.reserved_enough(attempt, reserved)?;
        self.own_budget_left(attempt)?;
        self.live.insert(attempt.clone(), reserved);
        Ok(())
    }

    /// R14: the budget of parallel attempts is reserved before they start.
    fn reserved_enough(&self, attempt: &AttemptId, reserved: BudgetAmount) -> Result<(), String> {
        let budget = self.settings.budget;
        let measured = self.dearest != BudgetAmount::default();
        let short = |limit: Option<u64>, dearest: u64, reserved: u64| {
            let share = limit.unwrap_or(0) / u64::from(self.settings.parallel.max(1));
            limit.is_some() && reserved < if measured { dearest } else { share }
        };
        if short(budget.cost_micros, self.dearest.cost_micros, reserved.cost_micros)
            || short(budget.tokens, self.dearest.tokens, reserved.tokens)
        {
            return Err(format!("R14: too little is set aside for {attempt}: {reserved:?}"));
        }
        let mut planned = self.used.values().fold(reserved, |sum, used| sum.plus(*used));
        for (other, reserved) in &self.live {
            let used = self.used.get(other).copied().unwrap_or_default();
            planned = planned.plus(BudgetAmount {
                cost_micros: reserved.cost_micros.saturating_sub(used.cost_micros),
                tokens: reserved.tokens.saturating_sub(used.tokens),
            });
        }
        if !self.live.is_empty() && budget != Budget::default() && self.known.is_empty() {
            return Err(format!("R14: {attempt} starts beside others before anything is known"));
        }
        if !self.live.is_empty() && budget.is_exceeded_by(planned) {
            return Err(format!("R14: {attempt} starts beside others beyond the budget"));
        }
        Ok(())
    }

    /// R14: after a usage report, several workers continue only if the remaining budget covers them.
    fn fewer_near_the_limit(&self, turn: &DecidedTurn) -> Result<(), String> {
        let reported = |event: &Event| matches!(event, Event::UsageCounted { .. });
        if self.broke || !turn.events.iter().any(reported) {
            return Ok(());
        }
        let spent = self.used.values().fold(BudgetAmount::default(), |sum, used| sum.plus(*used));
        let stopped = turn.effects.iter().filter(|effect| matches!(effect, Effect::Stop { .. }));
        let continuing = self.live.len().saturating_sub(stopped.count());
        if !self.settings.budget.holds(spent, self.largest_report, continuing) {
            return Err(format!(
                "R14: {continuing} workers continue, and the budget has no room for them"
            ));
        }
        Ok(())
    }

    /// R14: no worker starts for a task that has used up its own budget.
    fn own_budget_left(&self, attempt: &AttemptId) -> Result<(), String> {
        let since = self.retried_after.get(&attempt.task).copied().unwrap_or(0);
        let own = self
            .used
            .iter()
            .filter(|(other, _)| other.task == attempt.task && other.number > since);
        let spent = own.fold(BudgetAmount::default(), |sum, (_, used)| sum.plus(*used));
        if self.settings.task_budget.is_reached_by(spent) {
            return Err(format!("R14: {attempt} starts, but its task has used up its budget"));
        }
        Ok(())
    }

    fn used(&mut self, attempt: &AttemptId, amount: BudgetAmount) {
        let used = self.used.entry(attempt.clone()).or_default();
        let before = *used;
        *used = used.max(amount);
        self.largest_report = self.largest_report.max(used.minus(before));
        self.dearest = self.dearest.max(*used);
        if *used != BudgetAmount::default() {
            self.known.insert(attempt.clone());
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
        self.counted_once(run, world)?;
        queue_invariants::check_no_unreachable_wait(run)?;
        self.models.at_the_end(run)?;
        let standing = run.drive_state(Timestamp(u64::MAX));
        if scenario.is_kind() && standing != (DriveState::Finished { ok: true }) {
            return Err(format!("in a kind world the run ends as {standing:?}"));
        }
        Ok(())
    }

    /// R14: what an attempt used is counted once, however often it was reported.
    fn counted_once(&self, run: &Run, world: &SimulatedWorld) -> Result<(), String> {
        let reported: u64 = self.used.values().map(|used| used.tokens).sum();
        let counted = run.usage().tokens();
        if reported != counted || run.usage().input > world.spent() {
            let spent = world.spent();
            return Err(format!(
                "R14: of {spent} tokens {reported} were reported, {counted} are counted"
            ));
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
            return Err(format!("R7, R14: {attempt} goes on after {end:?}"));
        }
    }
    let checks = turn.effects.contains(&Effect::StopChecks);
    if matches!(end, Event::HaltRequested { .. }) && !checks {
        return Err("R7: checks go on although everything was to end".to_owned());
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
        let asked = run.questions().any(|question| question.task == plan.task(at).id);
        state.stage.work().is_some() || run.is_ready(at) || asked
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
