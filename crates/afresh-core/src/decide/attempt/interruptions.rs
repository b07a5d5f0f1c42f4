//! Interrupted attempts, and whether the next worker continues their conversation (AG-08).
//!
//! Only external causes interrupt. A worker whose work was rejected, or that took too long, is followed by a fresh
//! one: the same conversation would lead to the same result.

use super::Decider;
use super::verdict::AttemptCounts;
use crate::event::Event;
use crate::harvest::Harvest;
use crate::ids::{AttemptId, WorkspaceSlot};
use crate::input::AttemptEnd;
use crate::interruption::{AgentSession, AttemptResumption, InterruptedAttempt};
use crate::plan::TaskIndex;
use crate::process::ProcessEnd;
use crate::rejection::Rejection;
use crate::run::{ActiveAttempt, TaskStage};
use crate::step::StartPoint;
use crate::usage::ContextFill;

/// How often one conversation is continued; after one more interruption, a fresh worker starts.
const MAX_RESUMES: usize = 2;

impl Decider<'_> {
    /// Before an attempt is rejected: records what it left, if it was interrupted.
    pub(in crate::decide) fn note_interruption(&mut self, at: TaskIndex, reason: &Rejection) {
        let TaskStage::Judging { work, harvest, .. } = &self.run.task(at).stage else { return };
        if !reason.is_interruption() {
            return;
        }
        let conversation = self.conversation_of(at, work, harvest, reason);
        if conversation.is_some() || !harvest.changes.is_empty() {
            let attempt = work.attempt.clone();
            self.record(Event::AttemptInterrupted { attempt, conversation });
        }
    }

    /// The conversation that the next worker could continue, if that is worthwhile.
    fn conversation_of(
        &self,
        at: TaskIndex,
        work: &ActiveAttempt,
        harvest: &Harvest,
        reason: &Rejection,
    ) -> Option<AgentSession> {
        let state = self.run.task(at);
        let number = work.attempt.number;
        // A worker that has done nothing has nothing to remember, and its model has just failed.
        if matches!(reason, Rejection::ModelFailed { .. }) && harvest.changes.is_empty() {
            return None;
        }
        let soft = u64::from(self.run.settings().context.soft);
        let is_full = state.records.contexts.get(&number).map(ContextFill::percent) >= Some(soft);
        if is_full || state.conversation(number).skip(1).count() >= MAX_RESUMES {
            return None;
        }
        let identity = state.records.identities.get(&number).cloned().unwrap_or_default();
        match identity.session {
            Some(session) => identity.agent.map(|agent| AgentSession { session, agent }),
            // It was interrupted before it could report its conversation.
            None => work.resumes.as_ref().map(|resumption| resumption.conversation.clone()),
        }
    }

    /// The base from which a worker in this workspace continues the previous conversation.
    pub(in crate::decide) fn resumption(
        &self,
        at: TaskIndex,
        slot: WorkspaceSlot,
        fresh: &StartPoint,
    ) -> Option<(StartPoint, AttemptResumption)> {
        let left = self.run.task(at).session.interrupted.as_ref()?;
        let conversation = left.conversation.clone()?;
        let same = left.slot == slot
            && left.tier == self.run.tier_of(at)
            && left.needs == self.run.landed_needs(at);
        let ground = ground_of(left, fresh).filter(|_| same)?;
        let (of, tree) = (left.attempt.number, left.harvest.tree.clone());
        Some((ground, AttemptResumption { of, conversation, tree }))
    }

    /// The workspace in which the task could continue a conversation.
    pub(in crate::decide) fn slot_of_conversation(&self, at: TaskIndex) -> Option<WorkspaceSlot> {
        let left = self.run.task(at).session.interrupted.as_ref()?;
        left.conversation.as_ref().map(|_| left.slot)
    }

    /// Its program, or its work, has changed.
    pub(in crate::decide) fn cannot_resume(&mut self, attempt: &AttemptId, why: &str) {
        let Some(TaskStage::Starting(work)) = self.stage_of(attempt) else { return };
        if work.resumes.is_some() {
            let at = self.index(&attempt.task);
            self.reject(at, Rejection::NotResumed { reason: why.to_owned() }, AttemptCounts::No);
        }
    }

    /// Why the conversation was not continued, if the program ended before it called its model: it does not know the
    /// conversation, or can no longer use it.
    pub(in crate::decide) fn why_not_resumed(
        &self,
        at: TaskIndex,
        end: &AttemptEnd,
        harvest: &Harvest,
    ) -> Option<String> {
        let state = self.run.task(at);
        let work = state.stage.work()?;
        let resumption = work.resumes.as_ref()?;
        let ended = matches!(end.ending, ProcessEnd::Exited(_));
        let silent = end.outcome.is_missing();
        let used =
            state.records.usages.get(&work.attempt.number).is_some_and(|usage| usage.tokens() > 0);
        if !ended || !silent || used || harvest.tree != resumption.tree {
            return None;
        }
        match &end.error {
            // A fresh worker would fail in the same way.
            Some(error) if error.is_passing() || error.class.is_lasting() => None,
            Some(error) => Some(error.message.clone()),
            None => Some("its program ended without a word".to_owned()),
        }
    }
}

/// The base of the interrupted attempt: its last finished step, else the branch at its start.
fn ground_of(left: &InterruptedAttempt, fresh: &StartPoint) -> Option<StartPoint> {
    let StartPoint { base, onto, .. } = &left.ground;
    if onto == base {
        return (!fresh.is_resumed()).then(|| StartPoint::fresh(base.clone()));
    }
    let ground = StartPoint::after(base.clone(), onto.clone());
    (ground == *fresh).then_some(ground)
}
