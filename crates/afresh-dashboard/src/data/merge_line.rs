//! What is being merged, and what waits for it.

use afresh_core::Run;
use afresh_core::ids::TaskId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::history::RunHistory;

#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct MergeLine {
    /// In order; the first one is being merged if `is_merging`.
    pub candidates: Vec<MergeCandidate>,
    pub is_merging: bool,
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
        Self {
            candidates: run.merge_order().filter_map(candidate).collect(),
            is_merging: run.is_merging(),
        }
    }
}
