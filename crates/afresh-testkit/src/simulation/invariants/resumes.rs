//! Only interrupted conversations are continued, and not forever (AG-08).

use std::collections::BTreeMap;

use afresh_core::event::Event;
use afresh_core::hook::{HookFailure, HookPoint};
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::interruption::AttemptResumption;
use afresh_core::process::ProcessEnd;
use afresh_core::rejection::Rejection;

/// How often one conversation may be continued.
const MOST: u32 = 2;

/// What the journal says about interrupted attempts, counted without the core.
#[derive(Debug, Default)]
pub(super) struct ResumeInvariants {
    /// The conversation of each attempt that reported one.
    sessions: BTreeMap<AttemptId, String>,
    /// The last attempt of each task, if it was interrupted.
    cut_off: BTreeMap<TaskId, u32>,
    /// How often the conversation of each task's last attempt has been continued.
    taken_up: BTreeMap<TaskId, u32>,
}

impl ResumeInvariants {
    pub(super) fn note(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::AttemptIdentified { attempt, identity } => {
                if let Some(session) = &identity.session {
                    self.sessions.insert(attempt.clone(), session.clone());
                }
            }
            Event::AttemptRejected { attempt, reason, .. } => self.rejected(attempt, reason),
            Event::AttemptStarting { attempt, resumes: Some(resumption), .. } => {
                self.taken_up(attempt, resumption)?;
            }
            Event::AttemptStarting { attempt, resumes: None, .. } => {
                self.taken_up.remove(&attempt.task);
            }
            // No process existed that could continue it.
            Event::SpawnFailed { attempt, .. }
            | Event::HookFailed {
                failure: HookFailure { point: HookPoint::BeforeAttempt, attempt: Some(attempt), .. },
            } => {
                if let Some(times) = self.taken_up.get_mut(&attempt.task) {
                    *times = times.saturating_sub(1);
                }
            }
            // A task that landed and is done again starts from the beginning.
            Event::Merged { attempt, .. } => drop(self.cut_off.remove(&attempt.task)),
            _ => {}
        }
        Ok(())
    }

    fn taken_up(
        &mut self,
        attempt: &AttemptId,
        resumption: &AttemptResumption,
    ) -> Result<(), String> {
        let of = AttemptId { number: resumption.of, ..attempt.clone() };
        if self.cut_off.get(&attempt.task) != Some(&of.number) {
            return Err(format!("AG-08: {attempt} goes on with {of}, which was not cut off"));
        }
        if self.sessions.get(&of).is_some_and(|it| *it != resumption.conversation.session) {
            return Err(format!("AG-08: {attempt} goes on with another conversation than {of}"));
        }
        self.sessions.entry(attempt.clone()).or_insert(resumption.conversation.session.clone());
        let times = self.taken_up.entry(attempt.task.clone()).or_default();
        *times += 1;
        if *times > MOST {
            return Err(format!("AG-08: {attempt} goes on with what was taken up {MOST} times"));
        }
        Ok(())
    }

    fn rejected(&mut self, attempt: &AttemptId, reason: &Rejection) {
        let cut_off = match reason {
            Rejection::Stopped | Rejection::Orphaned => true,
            Rejection::Died { ending, .. } => {
                matches!(ending, ProcessEnd::Signaled(_) | ProcessEnd::SupervisorLost)
            }
            Rejection::ModelFailed { error } => error.is_passing(),
            _ => false,
        };
        if cut_off {
            self.cut_off.insert(attempt.task.clone(), attempt.number);
        } else {
            self.cut_off.remove(&attempt.task);
        }
    }
}
