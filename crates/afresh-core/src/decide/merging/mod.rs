//! From finished work to the branch: batches are built without touching the branch, checked, and only then does the
//! branch move (EX-05, R3, R4, IN-01 to IN-04).
//!
//! | module | what it decides |
//! | --- | --- |
//! | `forming` | which work is checked on its own first, and which is merged together |
//! | `rounds` | the checks of a batch, and their results |
//! | `culprits` | whose work makes a batch fail |
//! | `landing` | receipts, and the move of the branch |

mod culprits;
mod forming;
mod landing;
mod rounds;

use super::Decider;
use crate::effect::Effect;
use crate::event::Event;
use crate::ids::{AttemptId, CommitId};
use crate::input::MergedTree;
use crate::plan::TaskIndex;
use crate::run::merge_queue::{Batch, BatchId, BatchStage, PostponeReason};
use crate::run::{MergeStage, Run, TaskStage};

impl Decider<'_> {
    /// Lands what has passed, takes apart what has failed, and starts what can be started.
    pub(super) fn advance_merges(&mut self) {
        self.settle_first_batch();
        self.continue_search();
        self.form_batches();
    }

    /// Drops the merges of a batch and of every later one: they were built on it.
    fn postpone_from(&mut self, id: BatchId, why: PostponeReason) {
        let chain = self.run.merge_queue().chain();
        let from = chain.iter().skip_while(|batch| batch.id != id);
        let members: Vec<TaskIndex> = from.flat_map(|batch| batch.members.clone()).collect();
        self.postpone(&members, why, Company::Any);
    }

    /// The same for those after it alone.
    fn postpone_after(&mut self, id: BatchId, why: PostponeReason) {
        let chain = self.run.merge_queue().chain();
        let next = chain.iter().skip_while(|batch| batch.id != id).nth(1);
        if let Some(next) = next.map(|batch| batch.id) {
            self.postpone_from(next, why);
        }
    }

    fn postpone(&mut self, members: &[TaskIndex], why: PostponeReason, company: Company) {
        let attempts: Vec<AttemptId> =
            members.iter().filter_map(|at| self.run.task(*at).attempt().cloned()).collect();
        if attempts.is_empty() {
            return;
        }
        let before: Vec<(BatchId, Option<CommitId>)> =
            self.run.merge_queue().chain().iter().map(|batch| self.describe_batch(batch)).collect();
        self.record(Event::MergesPostponed { attempts, why, alone: company == Company::None });
        for (batch, last) in before {
            if self.run.merge_queue().batch(batch).is_none() {
                self.request(Effect::DropBatch { batch, last });
            }
        }
    }

    fn describe_batch(&self, batch: &Batch) -> (BatchId, Option<CommitId>) {
        let built = batch.members.iter().rev().find_map(|at| merged_tree(self.run, *at));
        (batch.id, built.map(|merged| merged.commit.clone()))
    }

    /// The driver that built and checked them is gone; only a move of the branch may have happened.
    pub(super) fn resume_merges(&mut self) {
        let chain = self.run.merge_queue().chain();
        let stale = chain.iter().find(|batch| batch.stage != BatchStage::Landing);
        if let Some(id) = stale.map(|batch| batch.id) {
            self.postpone_from(id, PostponeReason::Restarted);
        }
        self.request_move();
    }

    /// What would not end by itself, because nothing new is to start.
    pub(super) fn drop_idle_merges(&mut self) {
        self.settle_first_batch();
        let is_idle = |batch: &&Batch| match &batch.stage {
            BatchStage::Building | BatchStage::Checking | BatchStage::Landing => false,
            BatchStage::Passed(_) | BatchStage::Failed(_) => true,
            BatchStage::Searching(search) => search.running.is_empty(),
        };
        let idle = self.run.merge_queue().chain().iter().find(is_idle).map(|batch| batch.id);
        if let Some(id) = idle {
            self.postpone_from(id, PostponeReason::Stopped);
        }
    }
}

/// With whom postponed work is tried next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Company {
    Any,
    None,
}

/// The merge of a member, once it is built.
fn merged_tree(run: &Run, at: TaskIndex) -> Option<&MergedTree> {
    match &run.task(at).stage {
        TaskStage::Merging {
            merge: MergeStage::Checking { merged, .. } | MergeStage::Moving { merged, .. },
            ..
        } => Some(merged),
        _ => None,
    }
}
