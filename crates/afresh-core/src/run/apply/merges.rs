//! Merges: the queue, the one that is built, the move of the branch.

use crate::check::Receipt;
use crate::ids::{AttemptId, CommitId};
use crate::input::MergedTree;
use crate::run::task::{Hold, MergeStage, Stage};
use crate::run::{Landing, Run};

impl Run {
    pub(super) fn merge_started(&mut self, attempt: &AttemptId, onto: &CommitId) {
        let at = self.at(&attempt.task);
        self.merge_queue.retain(|queued| *queued != at);
        self.merging = Some(at);
        let building = MergeStage::Building { onto: onto.clone() };
        if let Stage::Queued(work, harvest, results) | Stage::Merging(work, harvest, results, _) =
            self.tasks[at].stage.clone()
        {
            self.set(at, Stage::Merging(work, harvest, results, building));
        }
    }

    pub(super) fn merge_built(&mut self, attempt: &AttemptId, merged: &MergedTree) {
        self.set_merge(attempt, MergeStage::Checking { merged: merged.clone(), stopped: false });
    }

    pub(super) fn land_intended(
        &mut self,
        attempt: &AttemptId,
        merged: &MergedTree,
        receipt: &Receipt,
    ) {
        let (merged, receipt) = (merged.clone(), Box::new(receipt.clone()));
        self.set_merge(attempt, MergeStage::Moving { merged, receipt, restore: None, hold: None });
    }

    pub(super) fn set_merge(&mut self, attempt: &AttemptId, next: MergeStage) {
        let at = self.at(&attempt.task);
        if let Stage::Merging(work, harvest, results, _) = self.tasks[at].stage.clone() {
            self.set(at, Stage::Merging(work, harvest, results, next));
        }
    }

    pub(super) fn restore_allowed(&mut self, attempt: &AttemptId, foreign: &CommitId) {
        let at = self.at(&attempt.task);
        if let Stage::Merging(.., MergeStage::Moving { restore, .. }) = &mut self.tasks[at].stage {
            *restore = Some(foreign.clone());
        }
    }

    pub(super) fn hold_move(&mut self, attempt: &AttemptId, why: Option<Hold>) {
        let at = self.at(&attempt.task);
        if let Stage::Merging(.., MergeStage::Moving { hold, .. }) = &mut self.tasks[at].stage {
            *hold = why;
        }
    }

    pub(super) fn merged(&mut self, attempt: &AttemptId, commit: &CommitId) {
        let at = self.at(&attempt.task);
        let Stage::Merging(.., MergeStage::Moving { merged, receipt, .. }) =
            self.tasks[at].stage.clone()
        else {
            return;
        };
        self.tip = commit.clone();
        let (task, commit) = (attempt.task.clone(), commit.clone());
        self.landings.push(Landing { task, commit: commit.clone(), tree: merged.tree });
        self.leave_merge(at);
        self.set(at, Stage::Done { commit, attempt: attempt.clone(), receipt });
    }

    pub(super) fn leave_merge(&mut self, at: usize) {
        self.merge_queue.retain(|queued| *queued != at);
        if self.merging == Some(at) {
            self.merging = None;
        }
    }
}
