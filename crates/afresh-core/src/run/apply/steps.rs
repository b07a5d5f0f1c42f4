//! Steps: claimed by a worker, saved, finished or refused.

use crate::harvest::Harvest;
use crate::ids::{AttemptId, TaskId};
use crate::outcome::Deviation;
use crate::run::Run;
use crate::step::{FinishedStep, StepClaim};

impl Run {
    pub(super) fn step_claimed(
        &mut self,
        attempt: &AttemptId,
        step: u32,
        deviations: &[Deviation],
    ) {
        let at = self.at(&attempt.task);
        let deviations = deviations.to_vec();
        self.tasks[at].steps.claimed = Some(StepClaim { step, deviations, saved: None });
    }

    pub(super) fn step_saved(&mut self, attempt: &AttemptId, harvest: &Harvest) {
        let at = self.at(&attempt.task);
        if let Some(claim) = &mut self.tasks[at].steps.claimed {
            claim.saved = Some(harvest.clone());
        }
    }

    pub(super) fn step_done(&mut self, attempt: &AttemptId) {
        let at = self.at(&attempt.task);
        let task = &mut self.tasks[at];
        let Some(StepClaim { step, deviations, saved: Some(saved) }) = task.steps.claimed.take()
        else {
            return;
        };
        let Some(work) = task.stage.work_mut() else { return };
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
    }

    pub(super) fn step_over(&mut self, attempt: &AttemptId) {
        let at = self.at(&attempt.task);
        self.tasks[at].steps.claimed = None;
    }

    pub(super) fn steps_dropped(&mut self, task: &TaskId) {
        let at = self.at(task);
        self.tasks[at].steps.finished.clear();
    }
}
