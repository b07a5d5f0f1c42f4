//! Merges: the queue, the batches that are built and checked, the move of the branch.

use crate::check::{CheckResult, Receipt};
use crate::ids::{AttemptId, CommitId};
use crate::input::MergedTree;
use crate::plan::TaskIndex;
use crate::run::merge_queue::{BatchId, BatchStage, CulpritSearch};
use crate::run::task::{CheckStage, LandHold, MergeStage, TaskStage};
use crate::run::{CheckActivity, IllegalEvent, LandedTask, Run};

impl Run {
    /// Its checks run on the tree that would land.
    pub(super) fn checks_deferred(&mut self, attempt: &AttemptId) -> Result<(), IllegalEvent> {
        self.passed(attempt, &[])
    }

    /// A batch starts to be built.
    pub(super) fn batch_started(
        &mut self,
        attempts: &[AttemptId],
        onto: &CommitId,
    ) -> Result<(), IllegalEvent> {
        let mut members = Vec::new();
        for attempt in attempts {
            let at = self.index(&attempt.task)?;
            let (TaskStage::Queued { work, harvest, results }
            | TaskStage::Merging { work, harvest, results, .. }) = self.tasks[at].stage.clone()
            else {
                return Err(self.wrong_stage(at));
            };
            let merge = MergeStage::Building { onto: onto.clone() };
            self.set(at, TaskStage::Merging { work, harvest, results, merge });
            members.push(at);
        }
        self.merge_queue.start(members, onto.clone());
        Ok(())
    }

    pub(super) fn merge_built(
        &mut self,
        attempt: &AttemptId,
        merged: &MergedTree,
    ) -> Result<(), IllegalEvent> {
        let stage =
            MergeStage::Checking { merged: merged.clone(), activity: CheckActivity::Running };
        self.set_merge(attempt, stage)?;
        self.set_batch_of(attempt, BatchStage::Checking)
    }

    pub(super) fn batch_passed(&mut self, batch: BatchId, results: &[CheckResult]) {
        self.merge_queue.note_times(results);
        self.merge_queue.set_stage(batch, BatchStage::Passed(results.to_vec()));
    }

    pub(super) fn batch_failed(&mut self, batch: BatchId, results: &[CheckResult]) {
        self.merge_queue.note_times(results);
        self.merge_queue.note_failures(results);
        self.merge_queue.set_stage(batch, BatchStage::Failed(results.to_vec()));
    }

    /// Checks run on the trees of these numbers of members.
    pub(super) fn prefixes_chosen(&mut self, id: BatchId, good: u32, lengths: &[u32]) {
        let lengths = lengths.iter().map(|length| *length as usize).collect();
        if let Some(search) = self.merge_queue.search_mut(id) {
            search.running = lengths;
            return;
        }
        let Some(batch) = self.merge_queue.batch(id) else { return };
        let BatchStage::Failed(results) = &batch.stage else { return };
        let (results, bad) = (results.clone(), batch.members.len());
        let good = good as usize;
        let search = CulpritSearch { results, good, bad, running: lengths };
        self.merge_queue.set_stage(id, BatchStage::Searching(search));
    }

    pub(super) fn prefix_checked(&mut self, id: BatchId, length: u32, passed: bool) {
        let Some(search) = self.merge_queue.search_mut(id) else { return };
        let length = length as usize;
        search.running.remove(&length);
        if passed {
            search.good = search.good.max(length);
        } else {
            search.bad = search.bad.min(length);
        }
        // A check that is not sure of itself may say anything.
        search.good = search.good.min(search.bad.saturating_sub(1));
    }

    /// Back in line.
    pub(super) fn merges_postponed(
        &mut self,
        attempts: &[AttemptId],
        alone: bool,
    ) -> Result<(), IllegalEvent> {
        let mut tasks = Vec::new();
        for attempt in attempts {
            let at = self.index(&attempt.task)?;
            let TaskStage::Merging { work, harvest, results, .. } = self.tasks[at].stage.clone()
            else {
                return Err(self.wrong_stage(at));
            };
            self.set(at, TaskStage::Queued { work, harvest, results });
            tasks.push(at);
        }
        self.merge_queue.postpone(&tasks, alone);
        Ok(())
    }

    /// Its merged tree failed; what failed runs on its own tree.
    pub(super) fn merge_failed(
        &mut self,
        attempt: &AttemptId,
        results: &[CheckResult],
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Merging { work, harvest, .. } = self.tasks[at].stage.clone() else {
            return Err(self.wrong_stage(at));
        };
        self.merge_queue.leave(at);
        self.merge_queue.note_failed();
        let round =
            CheckStage { phase: crate::check::CheckPhase::Alone, activity: CheckActivity::Running };
        let broken = Some(results.to_vec());
        self.set(at, TaskStage::Checking { work, harvest, round, broken });
        Ok(())
    }

    pub(super) fn land_intended(
        &mut self,
        attempt: &AttemptId,
        merged: &MergedTree,
        receipt: &Receipt,
    ) -> Result<(), IllegalEvent> {
        let (merged, receipt) = (merged.clone(), Box::new(receipt.clone()));
        let stage = MergeStage::Moving { merged, receipt, restore: None, hold: None };
        self.set_merge(attempt, stage)?;
        self.set_batch_of(attempt, BatchStage::Landing)
    }

    fn set_merge(&mut self, attempt: &AttemptId, next: MergeStage) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Merging { work, harvest, results, .. } = self.tasks[at].stage.clone() else {
            return Err(self.wrong_stage(at));
        };
        self.set(at, TaskStage::Merging { work, harvest, results, merge: next });
        Ok(())
    }

    fn set_batch_of(&mut self, attempt: &AttemptId, stage: BatchStage) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let id = self.merge_queue.batch_of(at).map(|batch| batch.id);
        let id = id.ok_or_else(|| self.wrong_stage(at))?;
        self.merge_queue.set_stage(id, stage);
        Ok(())
    }

    /// The foreign commit may be replaced by the whole batch.
    pub(super) fn restore_allowed(
        &mut self,
        attempt: &AttemptId,
        foreign: &CommitId,
    ) -> Result<(), IllegalEvent> {
        for at in self.landing_with(attempt)? {
            if let TaskStage::Merging { merge: MergeStage::Moving { restore, .. }, .. } =
                &mut self.tasks[at].stage
            {
                *restore = Some(foreign.clone());
            }
        }
        Ok(())
    }

    /// The whole batch waits, or continues.
    pub(super) fn hold_move(
        &mut self,
        attempt: &AttemptId,
        why: Option<LandHold>,
    ) -> Result<(), IllegalEvent> {
        for at in self.landing_with(attempt)? {
            if let TaskStage::Merging { merge: MergeStage::Moving { hold, .. }, .. } =
                &mut self.tasks[at].stage
            {
                *hold = why;
            }
        }
        Ok(())
    }

    /// The tasks that land together with this one.
    fn landing_with(&self, attempt: &AttemptId) -> Result<Vec<TaskIndex>, IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let batch = self.merge_queue.batch_of(at);
        match batch.filter(|batch| batch.stage == BatchStage::Landing) {
            Some(batch) => Ok(batch.members.clone()),
            None => Err(self.wrong_stage(at)),
        }
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
        let is_inner = receipt.covered_by.is_some();
        let (commit, tree) = (commit.clone(), merged.tree);
        self.landings.push(LandedTask { task, commit: commit.clone(), tree, is_inner });
        self.merge_queue.leave(at);
        self.merge_queue.note_landed(&receipt.checks);
        self.set(at, TaskStage::Done { commit, attempt: attempt.clone(), receipt });
        Ok(())
    }

    pub(super) fn leave_merge(&mut self, at: TaskIndex) {
        self.merge_queue.leave(at);
    }
}
