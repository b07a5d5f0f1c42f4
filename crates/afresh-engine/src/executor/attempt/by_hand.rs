//! Attempts by hand: the same workspace and bundle, and no process (ST-06).

use afresh_core::hook::HookPoint;
use afresh_core::ids::AttemptId;
use afresh_core::{Input, Run};
use afresh_git::WorkspaceId;
use afresh_git::ref_names::salvage_ref;

use super::AttemptJob;
use super::starting::{AttemptWorker, StartFailure, failure};
use crate::executor::ExecutorContext;
use crate::executor::cancel::CancelHandle;
use crate::executor::hooks::{HookEvent, HookResult, run_hooks};

impl AttemptJob {
    /// Prepares everything for the person.
    pub(crate) fn prepare_by_hand(&self, shared: &ExecutorContext, handle: &CancelHandle) -> Input {
        let hook = self.hook_before.as_ref().map(|event| run_hooks(shared, event, handle));
        let answer = if let Some(HookResult::Failed(failure)) = hook {
            Input::HookFailed(failure)
        } else {
            let ready = self.check_workspace_is_free(shared);
            match ready.and_then(|()| self.prepare(shared, handle, AttemptWorker::Person)) {
                Ok(Some(_)) => Input::Spawned(self.attempt.clone()),
                Ok(None) => {
                    let stopped =
                        failure("afresh was stopped before the workspace was ready", None);
                    Input::SpawnFailed(self.attempt.clone(), stopped)
                }
                Err(StartFailure::Failed(failure)) => {
                    Input::SpawnFailed(self.attempt.clone(), failure)
                }
                Err(StartFailure::NotResumed(why)) => {
                    Input::SpawnFailed(self.attempt.clone(), failure(&why, None))
                }
            }
        };
        shared.cancels.forget(&self.attempt);
        answer
    }

    /// Another run may have an attempt by hand there: a person works in it.
    fn check_workspace_is_free(&self, shared: &ExecutorContext) -> Result<(), StartFailure> {
        let id = WorkspaceId::Work(self.slot);
        let own = salvage_ref(shared.run.as_str(), &self.attempt.to_string());
        match shared.pool.unsaved(id) {
            Some(other) if other != own => {
                let message = format!("workspace {id} holds work that is not saved: {other}");
                Err(failure(&message, Some("start the task again; it gets another workspace"))
                    .into())
            }
            _ => Ok(()),
        }
    }
}

/// An attempt of an agent runs its hooks when its process ends; one by hand, when it is handed in.
pub(in crate::executor) fn hook_after(run: &Run, attempt: &AttemptId) -> Option<HookEvent> {
    let work = run.state_of(&attempt.task)?.stage.work()?;
    work.by_hand.as_ref().filter(|_| work.attempt == *attempt)?;
    let event = HookEvent::new(run, HookPoint::AfterAttempt, Some(attempt));
    Some(event.with("ended", "handed in".into()))
}
