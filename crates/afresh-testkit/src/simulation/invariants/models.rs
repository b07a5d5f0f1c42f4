//! What must hold when models fail, and when contexts fill up (AG-05 to AG-07, BE-04).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use afresh_core::Run;
use afresh_core::effect::Effect;
use afresh_core::event::Event;
use afresh_core::ids::{AttemptId, QuestionId, TaskId};
use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::plan::{ModelTier, Plan};
use afresh_core::process::ProcessEnd;
use afresh_core::question::{ObstacleScope, QuestionTopic};
use afresh_core::rejection::Rejection;
use afresh_core::run::DriveState;
use afresh_core::time::Timestamp;
use afresh_core::usage::ContextFill;
use afresh_engine::driver::host::DecidedTurn;

/// Failures in a row with one model, before a smaller one is tried.
const TRIES: u32 = 3;
/// More than all waits, pauses and tries that a task may have.
const PATIENCE: u32 = 50;

/// An agent, and the size of its model.
type AgentTier = (Option<String>, ModelTier);

/// Model failures by task, counted without the core.
#[derive(Debug, Default)]
pub(super) struct ModelInvariants {
    /// The size of model that each attempt was started with.
    tiers: BTreeMap<AttemptId, ModelTier>,
    /// Whose turn it was when each task was last started, where several agents compete.
    contestants: BTreeMap<TaskId, Option<String>>,
    /// Agents and model sizes that have to wait, and until when.
    parked: BTreeMap<AgentTier, Timestamp>,
    /// Transient failures in a row; and those of them with one model that asked for no wait.
    in_a_row: BTreeMap<TaskId, u32>,
    with_one_model: BTreeMap<(TaskId, ModelTier), u32>,
    /// The time before which no attempt is retried.
    not_before: BTreeMap<TaskId, Timestamp>,
    /// Tasks whose agent was refused: no key, no such model.
    refused: BTreeSet<TaskId>,
    /// Attempts that are stopped because their context is full.
    full: BTreeSet<AttemptId>,
    /// Attempts that were warned that their context is filling up.
    warned: BTreeSet<AttemptId>,
    /// Attempts that finished a step.
    progressed: BTreeSet<AttemptId>,
    /// Tasks whose last worker was ended by its model or its context.
    cut_short: BTreeSet<TaskId>,
    /// Open questions about what stops every task.
    obstacles: BTreeMap<QuestionId, ObstacleScope>,
}

impl ModelInvariants {
    pub(super) fn recorded(
        &mut self,
        turn: &DecidedTurn,
        run: &Run,
        now: Timestamp,
    ) -> Result<(), String> {
        for event in &turn.events {
            self.note(event, turn, run, now)?;
        }
        Ok(())
    }

    fn note(
        &mut self,
        event: &Event,
        turn: &DecidedTurn,
        run: &Run,
        now: Timestamp,
    ) -> Result<(), String> {
        match event {
            // Neither a model nor a program has to be waited for.
            Event::AttemptStarting { attempt, by_hand: Some(_), .. } => {
                self.not_before.remove(&attempt.task);
                self.contestants.remove(&attempt.task);
                self.cut_short.remove(&attempt.task);
            }
            Event::AttemptStarting { attempt, tier, agent, .. } => {
                self.contestants.insert(attempt.task.clone(), agent.clone());
                self.starting(attempt, tier.unwrap_or(ModelTier::Standard), run, now)?;
            }
            Event::StepDone { attempt, .. } => drop(self.progressed.insert(attempt.clone())),
            Event::ContextSeen { attempt, fill } => {
                self.context_seen(attempt, *fill, turn, run)?;
            }
            Event::ContextWarned { attempt, .. } => self.warned(attempt)?,
            // It ended by itself before it could be stopped.
            Event::AttemptEnded { attempt, end } if end.ending != ProcessEnd::Stopped => {
                self.full.remove(attempt);
            }
            Event::SpawnFailed { attempt, not_before, .. } => self.wait(&attempt.task, *not_before),
            Event::AttemptRejected { attempt, reason, counts, not_before } => {
                self.wait(&attempt.task, *not_before);
                self.rejected(attempt, reason, *counts)?;
                if let Rejection::ModelFailed { error } = reason {
                    self.model_failed(attempt, error, turn, run, now)?;
                }
            }
            Event::QuestionAsked { question } => {
                if let QuestionTopic::Obstacle(scope) = &question.topic {
                    if self.obstacles.values().any(|known| known == scope) {
                        return Err(format!("EX-14: {} asks again about {scope:?}", question.id));
                    }
                    self.obstacles.insert(question.id, scope.clone());
                }
            }
            // Whatever it stopped is tried again at once.
            Event::QuestionAnswered { question, .. }
                if self.obstacles.remove(question).is_some() =>
            {
                self.restart_task();
            }
            Event::TaskFailed { task, .. } | Event::TaskSkipped { task, .. } => self.settled(task),
            // Work that there is lands in place of another try.
            Event::ContestDecided { attempt } => self.settled(&attempt.task),
            Event::TaskRetried { task } | Event::ContestForfeited { task, .. } => {
                self.settled(task);
                self.refused.remove(task);
                self.not_before.remove(task);
            }
            // A task that is reworded, or done again, starts from the beginning.
            Event::PlanChanged { .. } | Event::Rewound { .. } => {
                self.restart_task();
                self.obstacles.retain(|id, _| run.question(*id).is_some());
            }
            _ => {}
        }
        Ok(())
    }

    /// The agent that the plan names for the task's last worker; none for the default.
    fn agent(&self, task: &TaskId, plan: &Plan) -> Option<String> {
        let planned = || plan.task(plan.index_of(task)?).agent.clone();
        self.contestants.get(task).cloned().flatten().or_else(planned)
    }

    fn starting(
        &mut self,
        attempt: &AttemptId,
        tier: ModelTier,
        run: &Run,
        now: Timestamp,
    ) -> Result<(), String> {
        let (task, plan) = (&attempt.task, run.plan());
        self.tiers.insert(attempt.clone(), tier);
        self.cut_short.remove(task);
        let planned = plan.index_of(task).map(|at| plan.task(at));
        let agent = self.agent(task, plan);
        if self.parked.get(&(agent.clone(), tier)).is_some_and(|until| *until > now) {
            return Err(format!("BE-04: {attempt} starts with an agent that is to wait"));
        }
        if self.not_before.remove(task).is_some_and(|moment| moment > now) {
            return Err(format!("AG-05: {attempt} starts too early"));
        }
        let is_stopped = |scope: &ObstacleScope| {
            scope.agent.as_ref().is_none_or(|name| *name == agent.clone().unwrap_or_default())
                && scope.tier.is_none_or(|size| size == tier)
        };
        if self.obstacles.values().any(is_stopped) {
            return Err(format!(
                "EX-14: {attempt} starts although a question about its agent is open"
            ));
        }
        if self.refused.contains(task) {
            return Err(format!("AG-06: {attempt} meets what refused the one before"));
        }
        if tier > planned.map_or(ModelTier::Standard, |task| run.settings().tier_of(task)) {
            return Err(format!("AG-05: {attempt} has a larger model than its task asks for"));
        }
        let tries = self.with_one_model.get(&(task.clone(), tier)).copied().unwrap_or(0);
        if tries >= TRIES && tier != ModelTier::Small {
            return Err(format!("AG-05: {attempt} has the model that failed {tries} times"));
        }
        Ok(())
    }

    /// A worker above the soft limit is warned in the same turn; a worker above the hard limit is stopped.
    fn context_seen(
        &mut self,
        attempt: &AttemptId,
        fill: ContextFill,
        turn: &DecidedTurn,
        run: &Run,
    ) -> Result<(), String> {
        let stops = |effect: &Effect| matches!(effect, Effect::Stop { attempt: other, .. } if other == attempt);
        let warns = |event: &Event| matches!(event, Event::ContextWarned { attempt: other, .. } if other == attempt);
        let limits = run.settings().context;
        if fill.percent() < u64::from(limits.hard) {
            let is_told = fill.percent() < u64::from(limits.soft)
                || self.full.contains(attempt)
                || self.warned.contains(attempt)
                || turn.events.iter().any(warns);
            return if is_told { Ok(()) } else { Err(format!("AG-07: {attempt} is not warned")) };
        }
        if self.full.insert(attempt.clone()) && !turn.effects.iter().any(stops) {
            return Err(format!("AG-07: {attempt} goes on with {} %", fill.percent()));
        }
        Ok(())
    }

    fn warned(&mut self, attempt: &AttemptId) -> Result<(), String> {
        let is_first = self.warned.insert(attempt.clone());
        if is_first { Ok(()) } else { Err(format!("AG-07: {attempt} is warned twice")) }
    }

    fn rejected(
        &mut self,
        attempt: &AttemptId,
        reason: &Rejection,
        counts: bool,
    ) -> Result<(), String> {
        let progressed = self.progressed.contains(attempt);
        match reason {
            Rejection::ContextFull { .. } if counts == progressed => {
                Err(format!("AG-07: a step was finished: {progressed}, {attempt} counts: {counts}"))
            }
            Rejection::ContextFull { .. } => {
                self.restart_count(&attempt.task);
                self.cut_short.insert(attempt.task.clone());
                Ok(())
            }
            Rejection::Stopped if self.full.contains(attempt) => {
                Err(format!("AG-07: it is forgotten why {attempt} was stopped"))
            }
            Rejection::ModelFailed { error } if counts && may_pass(error.class) => {
                Err(format!("AG-05: it counts against {attempt} that {:?}", error.class))
            }
            // The first has its own count; the others say nothing about the model.
            Rejection::ModelFailed { .. }
            | Rejection::Stopped
            | Rejection::Orphaned
            | Rejection::NotResumed { .. }
            | Rejection::Trouble { .. } => Ok(()),
            _ => {
                self.restart_count(&attempt.task);
                Ok(())
            }
        }
    }

    fn model_failed(
        &mut self,
        attempt: &AttemptId,
        error: &ModelError,
        turn: &DecidedTurn,
        run: &Run,
        now: Timestamp,
    ) -> Result<(), String> {
        let task = &attempt.task;
        self.cut_short.insert(task.clone());
        if matches!(error.class, ModelErrorClass::Auth | ModelErrorClass::ModelNotFound) {
            self.refused.insert(task.clone());
        }
        if !may_pass(error.class) {
            self.restart_count(task);
            return Ok(());
        }
        let in_a_row = self.in_a_row.entry(task.clone()).or_default();
        *in_a_row += 1;
        if *in_a_row > PATIENCE {
            return Err(format!("AG-06: nobody is asked about {task}, which waits for ever"));
        }
        let tier = self.tiers.get(attempt).copied().unwrap_or(ModelTier::Standard);
        let Some(wait) = error.wait() else {
            *self.with_one_model.entry((task.clone(), tier)).or_default() += 1;
            return Ok(());
        };
        let given_up =
            |event: &Event| matches!(event, Event::TaskFailed { task: other, .. } if other == task);
        if !turn.events.iter().any(given_up) {
            let agent = self.agent(task, run.plan());
            // A wait is limited to one day, whatever the provider asks for.
            let until = now + wait.min(Duration::from_secs(24 * 60 * 60));
            let known = self.parked.entry((agent, tier)).or_insert(until);
            *known = until.max(*known);
        }
        Ok(())
    }

    fn wait(&mut self, task: &TaskId, not_before: Option<Timestamp>) {
        self.not_before.remove(task);
        self.not_before.extend(not_before.map(|moment| (task.clone(), moment)));
    }

    /// A person has decided, or is asked, how the task continues.
    fn settled(&mut self, task: &TaskId) {
        self.cut_short.remove(task);
        self.restart_count(task);
    }

    fn restart_count(&mut self, task: &TaskId) {
        self.in_a_row.remove(task);
        self.with_one_model.retain(|(other, _), _| other != task);
    }

    fn restart_task(&mut self) {
        let (tiers, parked) = (std::mem::take(&mut self.tiers), std::mem::take(&mut self.parked));
        let (full, progressed) =
            (std::mem::take(&mut self.full), std::mem::take(&mut self.progressed));
        let (warned, obstacles) =
            (std::mem::take(&mut self.warned), std::mem::take(&mut self.obstacles));
        let contestants = std::mem::take(&mut self.contestants);
        *self = Self {
            tiers,
            contestants,
            parked,
            full,
            warned,
            progressed,
            obstacles,
            ..Self::default()
        };
    }

    /// A worker that a model or a full context cut short is followed by another worker, or by a question.
    pub(super) fn at_the_end(&self, run: &Run) -> Result<(), String> {
        let over = matches!(run.drive_state(Timestamp(u64::MAX)), DriveState::Finished { .. });
        if !over || run.aborted().is_some() {
            return Ok(());
        }
        // What it depends on may have been undone and skipped since.
        let blocked = run.blocked();
        let can_run =
            |task: &&TaskId| run.plan().index_of(task).is_some_and(|at| !blocked.contains_key(&at));
        match self.cut_short.iter().find(can_run) {
            Some(task) => Err(format!("AG-07: the run ended, and nobody went on with {task}")),
            None => Ok(()),
        }
    }
}

/// The failure may be transient, and says nothing about the task.
fn may_pass(class: ModelErrorClass) -> bool {
    matches!(
        class,
        ModelErrorClass::RateLimit
            | ModelErrorClass::Quota
            | ModelErrorClass::Overloaded
            | ModelErrorClass::ServerError
            | ModelErrorClass::Network
    )
}
