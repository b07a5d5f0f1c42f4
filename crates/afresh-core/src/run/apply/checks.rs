//! Rounds of checks: on the base, on the attempt's tree, stopped and resumed.

use crate::check::{CheckPhase, CheckResult};
use crate::ids::AttemptId;
use crate::run::task::{CheckStage, MergeStage, TaskStage};
use crate::run::{CheckActivity, FinalChecks, IllegalEvent, Run};

impl Run {
    pub(super) fn accepted(
        &mut self,
        attempt: &AttemptId,
        differences: &[String],
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        self.tasks[at].last.differences = differences.to_vec();
        let red = self.plan.task(at).all_checks().any(|check| check.red_first);
        self.check_next(attempt, if red { CheckPhase::Red } else { CheckPhase::Alone })
    }

    pub(super) fn check_next(
        &mut self,
        attempt: &AttemptId,
        phase: CheckPhase,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let stage = CheckStage { phase, activity: CheckActivity::Running };
        if let TaskStage::Judging { work, harvest, .. }
        | TaskStage::Held { work, harvest, .. }
        | TaskStage::Checking { work, harvest, .. } = self.tasks[at].stage.clone()
        {
            self.set(at, TaskStage::Checking { work, harvest, round: stage, broken: None });
            return Ok(());
        }
        Err(self.wrong_stage(at))
    }

    pub(super) fn passed(
        &mut self,
        attempt: &AttemptId,
        results: &[CheckResult],
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Checking { work, harvest, .. } = self.tasks[at].stage.clone() else {
            return Err(self.wrong_stage(at));
        };
        self.merge_queue.note_times(results);
        self.merge_queue.push(at);
        self.set(at, TaskStage::Queued { work, harvest, results: results.to_vec() });
        Ok(())
    }

    pub(super) fn checks_stopped(
        &mut self,
        attempt: Option<&AttemptId>,
    ) -> Result<(), IllegalEvent> {
        let Some(attempt) = attempt else {
            self.final_checks = FinalChecks::Stopped;
            return Ok(());
        };
        self.set_check_activity(attempt, CheckActivity::Stopped)
    }

    pub(super) fn set_check_activity(
        &mut self,
        attempt: &AttemptId,
        activity: CheckActivity,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        match &mut self.tasks[at].stage {
            TaskStage::Checking { round: stage, .. } => stage.activity = activity,
            TaskStage::Merging {
                merge: MergeStage::Checking { activity: merging, .. }, ..
            } => {
                *merging = activity;
            }
            _ => return Err(self.wrong_stage(at)),
        }
        Ok(())
    }
}
