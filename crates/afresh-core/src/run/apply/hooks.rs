//! Hooks that failed.

use crate::hook::{HookFailure, HookPoint};
use crate::plan::TaskIndex;
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
                self.tasks[at].take_back_comments(attempt);
                self.set(at, TaskStage::Idle);
            }
            (HookPoint::BeforeCheck, TaskStage::Checking { work, harvest, .. }) => {
                self.set(at, TaskStage::Held { work, harvest, passed: None, question: None });
            }
            (HookPoint::BeforeMerge, TaskStage::Merging { work, harvest, results, .. }) => {
                self.leave_merge(at);
                let passed = Some(results);
                self.set(at, TaskStage::Held { work, harvest, passed, question: None });
            }
            _ => return Err(self.wrong_stage(at)),
        }
        Ok(())
    }

    /// A person answered about held work. A merge that may go on is in line again; its checks and its review still hold.
    pub(super) fn held_answered(&mut self, at: TaskIndex, answer: &str) {
        let TaskStage::Held { work, harvest, passed, .. } = self.tasks[at].stage.clone() else {
            return;
        };
        let next = match passed {
            Some(results) if matches!(answer, "retry" | "skip-hook") => {
                self.merge_queue.push(at);
                TaskStage::Queued { work, harvest, results }
            }
            passed => TaskStage::Held { work, harvest, passed, question: None },
        };
        self.set(at, next);
    }

    /// Whether a hook is to run for a task; a person may have said that it is not.
    pub fn runs_hook(&self, point: HookPoint, task: &crate::ids::TaskId) -> bool {
        let skipped = self.state_of(task).map(|state| &state.people.skipped_hooks);
        skipped.is_none_or(|skipped| !skipped.contains(&point))
    }
}
