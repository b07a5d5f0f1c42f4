//! Merges: the queue, the one that is built, the move of the branch.

use crate::check::Receipt;
use crate::ids::{AttemptId, CommitId};
use crate::input::MergedTree;
use crate::plan::TaskIndex;
use crate::run::task::{LandHold, MergeStage, TaskStage};
use crate::run::{CheckActivity, IllegalEvent, LandedTask, Run};

impl Run {
    pub(super) fn merge_started(
        &mut self,
        attempt: &AttemptId,
        onto: &CommitId,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let (TaskStage::Queued { work, harvest, results }
        | TaskStage::Merging { work, harvest, results, .. }) = self.tasks[at].stage.clone()
        else {
            return Err(self.wrong_stage(at));
        };
        self.merge_queue.retain(|queued| *queued != at);
        self.merging = Some(at);
        let merge = MergeStage::Building { onto: onto.clone() };
        self.set(at, TaskStage::Merging { work, harvest, results, merge });
        Ok(())
    }

    pub(super) fn merge_built(
        &mut self,
        attempt: &AttemptId,
        merged: &MergedTree,
    ) -> Result<(), IllegalEvent> {
        self.set_merge(
            attempt,
            MergeStage::Checking { merged: merged.clone(), activity: CheckActivity::Running },
        )
    }

    pub(super) fn land_intended(
        &mut self,
        attempt: &AttemptId,
        merged: &MergedTree,
        receipt: &Receipt,
    ) -> Result<(), IllegalEvent> {
        let (merged, receipt) = (merged.clone(), Box::new(receipt.clone()));
        self.set_merge(attempt, MergeStage::Moving { merged, receipt, restore: None, hold: None })
    }

    pub(super) fn set_merge(
        &mut self,
        attempt: &AttemptId,
        next: MergeStage,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Merging { work, harvest, results, .. } = self.tasks[at].stage.clone() else {
            return Err(self.wrong_stage(at));
        };
        self.set(at, TaskStage::Merging { work, harvest, results, merge: next });
        Ok(())
    }

    pub(super) fn restore_allowed(
        &mut self,
        attempt: &AttemptId,
        foreign: &CommitId,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Merging { merge: MergeStage::Moving { restore, .. }, .. } =
            &mut self.tasks[at].stage
        else {
            return Err(self.wrong_stage(at));
        };
        *restore = Some(foreign.clone());
        Ok(())
    }

    pub(super) fn hold_move(
        &mut self,
        attempt: &AttemptId,
        why: Option<LandHold>,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Merging { merge: MergeStage::Moving { hold, .. }, .. } =
            &mut self.tasks[at].stage
        else {
            return Err(self.wrong_stage(at));
        };
        *hold = why;
        Ok(())
    }

    pub(super) fn merged(
        &mut self,
        attempt: &AttemptId,
        commit: &CommitId,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Merging { merge: MergeStage::Moving { merged, receipt, .. }, .. } =
            self.tasks[at].stage.clone()
        else {
            return Err(self.wrong_stage(at));
        };
        self.tip = commit.clone();
        let (task, commit) = (attempt.task.clone(), commit.clone());
        self.landings.push(LandedTask { task, commit: commit.clone(), tree: merged.tree });
        self.leave_merge(at);
        self.set(at, TaskStage::Done { commit, attempt: attempt.clone(), receipt });
        Ok(())
    }

    pub(super) fn leave_merge(&mut self, at: TaskIndex) {
        self.merge_queue.retain(|queued| *queued != at);
        if self.merging == Some(at) {
            self.merging = None;
        }
    }
}
