//! Steps: claimed, saved, finished or refused.

use crate::harvest::Harvest;
use crate::ids::{AttemptId, TaskId};
use crate::outcome::Deviation;
use crate::run::{IllegalEvent, Run};
use crate::step::{FinishedStep, StepClaim};

impl Run {
    pub(super) fn step_claimed(
        &mut self,
        attempt: &AttemptId,
        step: u32,
        deviations: &[Deviation],
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let deviations = deviations.to_vec();
        self.tasks[at].steps.claimed = Some(StepClaim { step, deviations, saved: None });
        Ok(())
    }

    pub(super) fn step_saved(
        &mut self,
        attempt: &AttemptId,
        harvest: &Harvest,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let Some(claim) = &mut self.tasks[at].steps.claimed else {
            return Err(self.wrong_stage(at));
        };
        claim.saved = Some(harvest.clone());
        Ok(())
    }

    pub(super) fn step_done(&mut self, attempt: &AttemptId) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let task = &mut self.tasks[at];
        let claim = task.steps.claimed.take();
        let (Some(StepClaim { step, deviations, saved: Some(saved) }), Some(work)) =
            (claim, task.stage.work_mut())
        else {
            return Err(self.wrong_stage(at));
        };
        if let Some(commit) = &saved.commit {
            work.ground.onto = commit.clone();
        }
        let (base, needs) = (work.ground.base.clone(), work.needs.clone());
        task.steps.finished.push(FinishedStep {
            step,
            attempt: attempt.clone(),
            base,
            needs,
            commit: saved.commit,
            tree: saved.tree,
            paths: saved.changes.into_iter().map(|change| change.path).collect(),
            deviations,
        });
        Ok(())
    }

    pub(super) fn step_over(&mut self, attempt: &AttemptId) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.tasks[at].steps.claimed = None;
        Ok(())
    }

    pub(super) fn steps_dropped(&mut self, task: &TaskId) -> Result<(), IllegalEvent> {
        let at = self.index(task)?;
        self.tasks[at].steps.finished.clear();
        Ok(())
    }
}
