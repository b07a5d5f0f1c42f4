//! Checks of a change: before, alone, stopped and gone on with.

use crate::check::{CheckPhase, CheckResult};
use crate::ids::AttemptId;
use crate::run::task::{CheckStage, MergeStage, TaskStage};
use crate::run::{FinalChecks, Run};

impl Run {
    pub(super) fn accepted(&mut self, attempt: &AttemptId, differences: &[String]) {
        let at = self.at(&attempt.task);
        self.tasks[at].last.differences = differences.to_vec();
        let red = self.plan.task(at).all_checks().any(|check| check.red_first);
        self.check_next(attempt, if red { CheckPhase::Red } else { CheckPhase::Alone });
    }

    pub(super) fn check_next(&mut self, attempt: &AttemptId, phase: CheckPhase) {
        let at = self.at(&attempt.task);
        let stage = CheckStage { phase, stopped: false };
        if let TaskStage::Judging { work, harvest, .. }
        | TaskStage::Held { work, harvest, .. }
        | TaskStage::Checking { work, harvest, .. } = self.tasks[at].stage.clone()
        {
            self.set(at, TaskStage::Checking { work, harvest, round: stage });
        }
    }

    pub(super) fn passed(&mut self, attempt: &AttemptId, results: &[CheckResult]) {
        let at = self.at(&attempt.task);
        if let TaskStage::Checking { work, harvest, .. } = self.tasks[at].stage.clone() {
            self.merge_queue.push_back(at);
            self.set(at, TaskStage::Queued { work, harvest, results: results.to_vec() });
        }
    }

    pub(super) fn checks_stopped(&mut self, attempt: Option<&AttemptId>) {
        let Some(attempt) = attempt else {
            self.finals = FinalChecks::Stopped;
            return;
        };
        self.set_checks_stopped(attempt, true);
    }

    pub(super) fn set_checks_stopped(&mut self, attempt: &AttemptId, now: bool) {
        let at = self.at(&attempt.task);
        match &mut self.tasks[at].stage {
            TaskStage::Checking { round: stage, .. } => stage.stopped = now,
            TaskStage::Merging { merge: MergeStage::Checking { stopped, .. }, .. } => {
                *stopped = now
            }
            _ => {}
        }
    }
}
