//! Model failures and full contexts (AG-05, AG-07, BE-04).
//!
//! Neither says anything about the task, so neither counts as an attempt as long as it may be transient.

use crate::plan::TaskIndex;
use std::time::Duration;

use super::Decider;
use super::verdict::AttemptCounts;
use crate::effect::Effect;
use crate::event::Event;
use crate::ids::AttemptId;
use crate::input::AgentIdentity;
use crate::model_error::{ModelError, ModelErrorClass};
use crate::question::ObstacleScope;
use crate::rejection::Rejection;
use crate::run::{TRIES_PER_MODEL, TaskStage};
use crate::time::Timestamp;
use crate::usage::ContextFill;

/// How often a task waits because its model's provider asked for it, before a person is asked.
const MAX_WAITS: u32 = 24;
/// The limits of a wait that a provider asks for.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// Waits for an overloaded model whose provider names no time: each is twice the previous one.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(30 * 60);
/// Half an hour in all for a model that is in demand. A quota is rarely renewed within minutes, so a person, who may
/// have another account, is asked sooner.
const MAX_PAUSES: u32 = 6;
const MAX_QUOTA_PAUSES: u32 = 4;

impl Decider<'_> {
    pub(in crate::decide) fn identified(&mut self, attempt: &AttemptId, identity: &AgentIdentity) {
        if self.stage_of(attempt).is_some() {
            let (attempt, identity) = (attempt.clone(), identity.clone());
            self.record(Event::AttemptIdentified { attempt, identity });
        }
    }

    /// At the soft limit the worker is warned, once; at the hard limit it is stopped, and its finished steps are
    /// kept.
    pub(in crate::decide) fn context_seen(&mut self, attempt: &AttemptId, fill: ContextFill) {
        let Some(TaskStage::Starting(_) | TaskStage::Running(_)) = self.stage_of(attempt) else {
            return;
        };
        let state = self.run.task(self.index(&attempt.task));
        let known = state.records.contexts.get(&attempt.number).map(ContextFill::percent);
        let is_new = known != Some(fill.percent());
        let is_first = state.session.context_reached.is_none();
        let limits = self.run.settings().context;
        let is_warned = state.records.warned.contains(&attempt.number);
        if is_new {
            self.record(Event::ContextSeen { attempt: attempt.clone(), fill });
        }
        if is_first && fill.percent() >= u64::from(limits.hard) {
            self.record(Event::ContextReached { attempt: attempt.clone(), fill });
            let grace = self.run.settings().halt_grace;
            self.request(Effect::Stop { attempt: attempt.clone(), grace });
        } else if is_first && !is_warned && fill.percent() >= u64::from(limits.soft) {
            self.record(Event::ContextWarned { attempt: attempt.clone(), fill });
            self.request(Effect::Warn { attempt: attempt.clone(), fill });
        }
    }

    /// A worker that finished a step has not failed; for one that did not, the task is too large.
    pub(in crate::decide) fn context_full(&mut self, at: TaskIndex) {
        let Some(fill) = self.run.task(at).session.context_reached else { return };
        let progressed = self.finished_a_step(at);
        self.reject(at, Rejection::ContextFull { fill }, AttemptCounts::when(!progressed));
    }

    pub(in crate::decide) fn model_failed(&mut self, at: TaskIndex, error: ModelError) {
        let class = error.class;
        let tier = self.run.task(at).stage.work().map(|work| work.tier);
        let counts = match class {
            ModelErrorClass::ContextFull => !self.finished_a_step(at),
            class => !class.is_transient() && !class.is_lasting(),
        };
        let over = class.is_lasting() || self.patience_is_over(at, &error);
        if !over {
            self.park_agent(at, &error);
        }
        self.reject(at, Rejection::ModelFailed { error }, AttemptCounts::when(counts));
        if over && matches!(self.run.task(at).stage, TaskStage::Idle) {
            let last = self.run.task(at).last_error().unwrap_or_default();
            let reason = format!("{last}; {}", class.advice());
            if self.run.obstacle_to(at).is_some() {
                // The question that is open already is about this failure as well.
            } else if self.asks_about_failures() {
                let tier = (class == ModelErrorClass::ModelNotFound).then_some(tier).flatten();
                let scope = ObstacleScope { tier, ..self.run.agent_scope(at) };
                self.ask_about_obstacle(at, scope, reason);
            } else {
                self.fail_turn(at, reason);
            }
        }
    }

    /// Whether the task has waited often enough, and was tried with every smaller model.
    fn patience_is_over(&self, at: TaskIndex, error: &ModelError) -> bool {
        if !error.is_passing() {
            return false;
        }
        let state = self.run.task(at);
        if error.wait_ms.is_some() {
            return state.model_health.waits + 1 > MAX_WAITS;
        }
        let most = match error.class {
            ModelErrorClass::Quota => MAX_QUOTA_PAUSES,
            class if is_in_demand(class) => MAX_PAUSES,
            _ => 0,
        };
        self.pauses(at).is_some_and(|pauses| pauses >= most)
    }

    /// How often it has paused, if this failure was the last try with the smallest model.
    fn pauses(&self, at: TaskIndex) -> Option<u32> {
        let wanted = self.run.planned_tier(at);
        let models = std::iter::successors(Some(wanted), |tier| tier.below()).count();
        let tries = TRIES_PER_MODEL * u32::try_from(models).unwrap_or(u32::MAX);
        (self.run.task(at).model_health.failures + 1).checked_sub(tries)
    }

    /// Other workers of the same agent and model size would fail in the same way: they wait too.
    fn park_agent(&mut self, at: TaskIndex, error: &ModelError) {
        let Some(wait) = error.wait().filter(|_| error.is_passing()) else { return };
        let Some(work) = self.run.task(at).stage.work() else { return };
        let (tier, attempt) = (work.tier, work.attempt.clone());
        let until = self.now + spread(wait.clamp(SHORTEST_WAIT, LONGEST_WAIT), &attempt);
        let named = self.run.plan().task(at).agent.clone();
        let agent = work.agent.clone().or(named);
        if self.run.parked_until(agent.as_deref(), tier).is_none_or(|known| known < until) {
            let why = error.describe();
            self.record(Event::AgentParked { agent, tier, until, why });
        }
    }

    /// 2 s, 5 s, then the next smaller model at once; with the smallest one it pauses.
    pub(in crate::decide) fn after_model_failure(
        &self,
        at: TaskIndex,
        error: &ModelError,
    ) -> Option<Timestamp> {
        if error.class == ModelErrorClass::Unknown {
            return self.backoff_deadline(self.run.task(at).retries.deaths);
        }
        if !error.is_passing() || error.wait_ms.is_some() {
            return None;
        }
        let failures = self.run.task(at).model_health.failures;
        if let Some(pauses) = self.pauses(at) {
            let attempt = self.run.task(at).attempt()?;
            let pause = FIRST_PAUSE.saturating_mul(1 << pauses.min(16)).min(LONGEST_PAUSE);
            return Some(self.now + spread(pause, attempt));
        }
        let within = failures % TRIES_PER_MODEL;
        if within + 1 == TRIES_PER_MODEL { None } else { self.backoff_deadline(within) }
    }
}

fn is_in_demand(class: ModelErrorClass) -> bool {
    matches!(
        class,
        ModelErrorClass::RateLimit | ModelErrorClass::Quota | ModelErrorClass::Overloaded
    )
}

/// Slightly longer for each attempt, so that they do not all retry at the same moment.
fn spread(wait: Duration, attempt: &AttemptId) -> Duration {
    let name = attempt
        .task
        .as_str()
        .bytes()
        .fold(attempt.number, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    wait + wait / 1_000 * (name % 100)
}
