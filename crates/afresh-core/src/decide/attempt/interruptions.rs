//! Attempts that were cut off, and whether the next worker takes up their conversation (AG-08).
//!
//! Only what came from outside interrupts. Whose work was refused, or who took too long, is followed
//! by somebody fresh: its conversation would lead to the same.

use super::Decider;
use super::verdict::AttemptCounts;
use crate::event::Event;
use crate::harvest::Harvest;
use crate::ids::{AttemptId, WorkspaceSlot};
use crate::input::AttemptEnd;
use crate::interruption::{AgentSession, AttemptResumption, InterruptedAttempt};
use crate::outcome::Outcome;
use crate::plan::TaskIndex;
use crate::process::ProcessEnd;
use crate::rejection::Rejection;
use crate::run::{ActiveAttempt, TaskStage};
use crate::step::StartPoint;
use crate::usage::ContextFill;

/// How often one conversation is taken up again; whoever is cut off once more is followed by a fresh
/// worker.
const MAX_RESUMES: usize = 2;

impl Decider<'_> {
    /// Before an attempt is rejected: notes what it left, if it was cut off.
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

    /// The conversation that somebody could go on with, if it is worth it.
    fn conversation_of(
        &self,
        at: TaskIndex,
        work: &ActiveAttempt,
        harvest: &Harvest,
        reason: &Rejection,
    ) -> Option<AgentSession> {
        let state = self.run.task(at);
        let number = work.attempt.number;
        // Who did nothing yet has nothing to remember, and its model has just failed it.
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
            // It was cut off before it could say its name.
            None => work.resumes.as_ref().map(|resumption| resumption.conversation.clone()),
        }
    }

    /// On what ground a worker in this slot goes on with the conversation of the one before.
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

    /// The slot in which the task could go on with a conversation.
    pub(in crate::decide) fn slot_of_conversation(&self, at: TaskIndex) -> Option<WorkspaceSlot> {
        let left = self.run.task(at).session.interrupted.as_ref()?;
        left.conversation.as_ref().map(|_| left.slot)
    }

    /// Its program, or its work, is not what it was.
    pub(in crate::decide) fn cannot_resume(&mut self, attempt: &AttemptId, why: &str) {
        let Some(TaskStage::Starting(work)) = self.stage_of(attempt) else { return };
        if work.resumes.is_some() {
            let at = self.index(&attempt.task);
            self.reject(at, Rejection::NotResumed { reason: why.to_owned() }, AttemptCounts::No);
        }
    }

    /// Why the conversation was not taken up, where the program ended before it asked its model
    /// anything: it does not know the conversation, or cannot use it any more.
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
        let silent = matches!(end.outcome, Outcome::Silent | Outcome::Unintelligible { .. });
        let used =
            state.records.usages.get(&work.attempt.number).is_some_and(|usage| usage.tokens() > 0);
        if !ended || !silent || used || harvest.tree != resumption.tree {
            return None;
        }
        match &end.error {
            // A fresh worker would meet the same.
            Some(error) if error.is_passing() || error.class.is_lasting() => None,
            Some(error) => Some(error.message.clone()),
            None => Some("its program ended without a word".to_owned()),
        }
    }
}

/// What the interrupted attempt stood on: after its last finished step, else where the branch was.
fn ground_of(left: &InterruptedAttempt, fresh: &StartPoint) -> Option<StartPoint> {
    let StartPoint { base, onto, .. } = &left.ground;
    if onto == base {
        return (!fresh.is_resumed()).then(|| StartPoint::fresh(base.clone()));
    }
    let ground = StartPoint::after(base.clone(), onto.clone());
    (ground == *fresh).then_some(ground)
}
