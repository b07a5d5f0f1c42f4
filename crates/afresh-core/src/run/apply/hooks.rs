//! Hooks that failed.

use crate::hook::{HookFailure, HookPoint};
use crate::run::task::TaskStage;
use crate::run::{IllegalEvent, Run};

impl Run {
    /// What it was before is held; a hook after an action changes nothing.
    pub(super) fn hook_failed(&mut self, failure: &HookFailure) -> Result<(), IllegalEvent> {
        let Some(attempt) = failure.attempt.as_ref().filter(|_| failure.point.is_before()) else {
            return Ok(());
        };
        let at = self.index(&attempt.task)?;
        match (failure.point, self.tasks[at].stage.clone()) {
            (HookPoint::BeforeAttempt, TaskStage::Starting(_)) => {
                self.free_slot(attempt);
                self.set(at, TaskStage::Idle);
            }
            (HookPoint::BeforeCheck, TaskStage::Checking { work, harvest, .. }) => {
                self.set(at, TaskStage::Held { work, harvest, question: None });
            }
            (HookPoint::BeforeMerge, TaskStage::Merging { work, harvest, .. }) => {
                self.leave_merge(at);
                self.set(at, TaskStage::Held { work, harvest, question: None });
            }
            _ => return Err(self.wrong_stage(at)),
        }
        Ok(())
    }

    /// Whether a hook is to run for a task; a person may have said that it is not.
    pub fn runs_hook(&self, point: HookPoint, task: &crate::ids::TaskId) -> bool {
        let skipped = self.state_of(task).map(|state| &state.people.skipped_hooks);
        skipped.is_none_or(|skipped| !skipped.contains(&point))
    }
}
