//! What is being merged, in which batches, and what waits for it.

use afresh_core::Run;
use afresh_core::ids::TaskId;
use afresh_core::run::merge_queue::{Batch, BatchStage};
use schemars::JsonSchema;
use serde::Serialize;

use crate::history::RunHistory;

#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct MergeLine {
    /// In the order in which they would land; the first `merging` of them are being merged.
    pub candidates: Vec<MergeCandidate>,
    pub merging: usize,
    /// What is being merged: each batch is built on the one before.
    pub batches: Vec<MergeBatch>,
}

/// Merges that are built, checked and landed together.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct MergeBatch {
    pub batch: u32,
    pub tasks: Vec<TaskId>,
    pub stage: MergeBatchStage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeBatchStage {
    Building,
    Checking,
    /// It passed, and lands after the batch before it.
    Passed,
    /// It failed; whether that counts is known once the batch before it has landed.
    Failed,
    /// Checks of its parts show whose work makes it fail.
    Bisecting,
    Landing,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct MergeCandidate {
    pub attempt: String,
    pub task: TaskId,
    pub title: String,
    /// How long it has been merged, or waits.
    pub lasting_ms: u64,
}

impl MergeLine {
    pub fn new(run: &Run, history: &RunHistory, now_ms: i64) -> Self {
        let candidate = |at| {
            let attempt = run.task(at).attempt()?;
            let since = history.attempt(attempt).and_then(|track| track.open_segment());
            let since_ms = since.map_or(now_ms, |segment| segment.from_ms);
            Some(MergeCandidate {
                attempt: attempt.to_string(),
                task: attempt.task.clone(),
                title: run.plan().task(at).title.clone(),
                lasting_ms: u64::try_from(now_ms.saturating_sub(since_ms)).unwrap_or(0),
            })
        };
        let queue = run.merge_queue();
        let batch = |batch: &Batch| MergeBatch {
            batch: batch.id.0,
            tasks: batch.members.iter().map(|at| run.plan().task(*at).id.clone()).collect(),
            stage: MergeBatchStage::new(&batch.stage),
        };
        Self {
            candidates: queue.order().filter_map(candidate).collect(),
            merging: queue.chain().iter().map(|batch| batch.members.len()).sum(),
            batches: queue.chain().iter().map(batch).collect(),
        }
    }
}

impl MergeBatchStage {
    fn new(stage: &BatchStage) -> Self {
        match stage {
            BatchStage::Building => Self::Building,
            BatchStage::Checking => Self::Checking,
            BatchStage::Passed(_) => Self::Passed,
            BatchStage::Failed(_) => Self::Failed,
            BatchStage::Searching(_) => Self::Bisecting,
            BatchStage::Landing => Self::Landing,
        }
    }
}
