//! What agent programs report while they work, and the backoff and model tiers that follow.

use super::{IllegalEvent, Run, TaskStage, TaskState};
use crate::ids::AttemptId;
use crate::input::AgentIdentity;
use crate::plan::{ModelTier, TaskIndex};
use crate::rejection::Rejection;
use crate::time::Timestamp;
use crate::usage::ContextFill;

impl TaskState {
    /// Counts transient model failures in a row; anything else ends the row. Returns whether it was one.
    pub(super) fn note_model(&mut self, reason: &Rejection) -> bool {
        match reason {
            Rejection::ModelFailed { error } if error.is_passing() => {
                match error.wait_ms {
                    Some(_) => self.model_health.waits += 1,
                    None => self.model_health.failures += 1,
                }
                true
            }
            // This says nothing about the model.
            Rejection::Stopped
            | Rejection::Orphaned
            | Rejection::NotResumed { .. }
            | Rejection::Trouble { .. } => false,
            _ => {
                (self.model_health.failures, self.model_health.waits) = (0, 0);
                false
            }
        }
    }
}

impl Run {
    pub(super) fn identified(
        &mut self,
        attempt: &AttemptId,
        identity: &AgentIdentity,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let known = self.tasks[at].records.identities.entry(attempt.number).or_default();
        let AgentIdentity { session, model, agent } = identity.clone();
        known.session = session.or(known.session.take());
        known.model = model.or(known.model.take());
        known.agent = agent.or(known.agent.take());
        Ok(())
    }

    pub(super) fn prompt_measured(
        &mut self,
        attempt: &AttemptId,
        fill: ContextFill,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.tasks[at].records.prompts.insert(attempt.number, fill);
        Ok(())
    }

    pub(super) fn context_seen(
        &mut self,
        attempt: &AttemptId,
        fill: ContextFill,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.tasks[at].records.contexts.insert(attempt.number, fill);
        Ok(())
    }

    pub(super) fn context_warned(&mut self, attempt: &AttemptId) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.tasks[at].records.warned.insert(attempt.number);
        Ok(())
    }

    pub(super) fn context_reached(
        &mut self,
        attempt: &AttemptId,
        fill: ContextFill,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.tasks[at].session.context_reached = Some(fill);
        Ok(())
    }

    /// Until when no worker of this agent with this model tier starts.
    pub fn parked_until(&self, agent: Option<&str>, tier: ModelTier) -> Option<Timestamp> {
        self.parked.get(&(agent.map(str::to_owned), tier)).copied()
    }

    /// The end of the backoff, before which the task does not start.
    pub fn held_until(&self, at: TaskIndex) -> Option<Timestamp> {
        let parked = || self.parked_until(self.named_agent(at), self.tier_of(at));
        let parked = if self.parked.is_empty() { None } else { parked() };
        self.tasks[at].retries.not_before.max(parked)
    }

    /// The agent of an attempt: whose turn it was, or the task's one; none if an old journal does not have it.
    pub fn agent_of_attempt(&self, at: TaskIndex, attempt: u32) -> Option<&str> {
        if self.tasks[at].records.by_hand.contains_key(&attempt) {
            return None;
        }
        let turn = self.tasks[at].records.agents.get(&attempt).map(String::as_str);
        turn.or_else(|| self.plan.task(at).agents().next().flatten()).or(self.default_agent())
    }

    /// The agent whose work landed, else that of the worker that a task is at, else of its next one; none for work by
    /// hand.
    pub fn agent_at_work(&self, at: TaskIndex) -> Option<&str> {
        match &self.tasks[at].stage {
            TaskStage::Done { attempt, .. } => self.agent_of_attempt(at, attempt.number),
            stage if stage.work().is_some_and(|work| work.by_hand.is_some()) => None,
            _ => self.agent_of(at),
        }
    }

    /// The agent of the worker that a task is at, else of its next one.
    pub fn agent_of(&self, at: TaskIndex) -> Option<&str> {
        self.named_agent(at).or(self.default_agent())
    }

    fn default_agent(&self) -> Option<&str> {
        Some(self.settings.agent.as_str()).filter(|name| !name.is_empty())
    }

    /// The agent that the plan names for the worker that a task is at, else for its next one; none for the default.
    pub fn named_agent(&self, at: TaskIndex) -> Option<&str> {
        let turn = match self.tasks[at].stage.work() {
            Some(work) => work.agent.as_deref(),
            None => self.contestant(at),
        };
        turn.or(self.plan.task(at).agent.as_deref())
    }

    /// Whose turn it is, if several agents compete.
    pub(crate) fn contestant(&self, at: TaskIndex) -> Option<&str> {
        let contest = self.plan.task(at).contest.as_ref()?;
        let state = &self.tasks[at].contest;
        Some(state.winner.as_deref().unwrap_or_else(|| contest.agent(state.turns as usize)))
    }

    /// The model tier that the plan asks for.
    pub fn planned_tier(&self, at: TaskIndex) -> ModelTier {
        self.settings.tier_of(self.plan.task(at))
    }

    /// The model tier of the task's next worker: what the plan asks for, or a smaller one after failures of
    /// models (AG-05).
    pub fn tier_of(&self, at: TaskIndex) -> ModelTier {
        let wanted = self.planned_tier(at);
        let down = self.tasks[at].model_health.failures / TRIES_PER_MODEL;
        (0..down).fold(wanted, |tier, _| tier.below().unwrap_or(tier))
    }
}

/// Failures in a row after which the next smaller model is tried.
pub(crate) const TRIES_PER_MODEL: u32 = 3;
