//! Attempts that were interrupted, and those that continue them.

use crate::ids::AttemptId;
use crate::interruption::{AgentSession, InterruptedAttempt};
use crate::rejection::Rejection;
use crate::run::task::{ActiveAttempt, TaskStage, TaskState};
use crate::run::{IllegalEvent, Run};

impl Run {
    pub(super) fn interrupted(
        &mut self,
        attempt: &AttemptId,
        conversation: Option<&AgentSession>,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let task = &mut self.tasks[at];
        let TaskStage::Judging { work, harvest, .. } = &task.stage else {
            return Err(self.wrong_stage(at));
        };
        task.session.interrupted = Some(InterruptedAttempt {
            attempt: attempt.clone(),
            slot: work.slot,
            ground: work.ground.clone(),
            tier: work.tier,
            needs: work.needs.clone(),
            harvest: harvest.clone(),
            conversation: conversation.cloned(),
        });
        Ok(())
    }
}

impl TaskState {
    /// A fresh worker ends the conversation before it.
    pub(super) fn take_up(&mut self, work: &ActiveAttempt) {
        match &work.resumes {
            Some(resumption) => {
                self.records.resumed.insert(work.attempt.number, resumption.of);
            }
            None => self.forget_conversation(),
        }
    }

    pub(super) fn note_interruption(&mut self, attempt: &AttemptId, reason: &Rejection) {
        let is_noted =
            self.session.interrupted.as_ref().is_some_and(|left| left.attempt == *attempt);
        match reason {
            reason if reason.is_interruption() && is_noted => {}
            // How far the conversation went is unknown, or it is gone; the work is still there.
            Rejection::NotResumed { .. } => self.forget_conversation(),
            reason if reason.is_interruption() => self.forget_conversation(),
            _ => self.session.interrupted = None,
        }
    }

    fn forget_conversation(&mut self) {
        if let Some(interrupted) = &mut self.session.interrupted {
            interrupted.conversation = None;
        }
    }
}
