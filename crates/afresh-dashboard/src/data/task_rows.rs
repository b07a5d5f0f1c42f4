//! One row per task.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::ids::{CommitId, TaskId};
use afresh_core::status::{RunStatus, StepsStatus, TaskPhase, TaskStatus, UsageStatus};
use schemars::JsonSchema;
use serde::Serialize;

use super::timeline::CriticalPath;
use crate::history::RunHistory;
use crate::history::attempt::SegmentKind;

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct TaskRow {
    pub id: TaskId,
    pub title: String,
    /// Counted from 1.
    pub wave: u32,
    pub state: TaskPhase,
    pub attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Who works on it by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    pub needs: Vec<TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<StepsStatus>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<TaskId>,
    /// Why it failed, was skipped or is blocked; or why its last attempt was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub usage: UsageStatus,
    pub tokens: u64,
    /// The time of its workers.
    pub worked_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
    pub is_critical: bool,
}

impl TaskRow {
    /// Every task, in the plan's order.
    pub fn list_all(run: &Run, history: &RunHistory) -> Vec<Self> {
        let path = CriticalPath::new(run, history);
        Self::list(run, history, &RunStatus::from_run(run), &path)
    }

    pub(crate) fn list(
        run: &Run,
        history: &RunHistory,
        status: &RunStatus,
        path: &CriticalPath,
    ) -> Vec<Self> {
        let critical: BTreeSet<&TaskId> = path.tasks.iter().collect();
        let mut worked: BTreeMap<&TaskId, u64> = BTreeMap::new();
        for track in history.attempts() {
            *worked.entry(&track.id.task).or_insert(0) +=
                track.time_in(SegmentKind::Work, history.last_ms());
        }
        let row = |(at, told): (_, &TaskStatus)| {
            let plan = run.plan();
            let needs = plan.needs(at).iter().map(|need| plan.task(*need).id.clone());
            TaskRow {
                id: told.id.clone(),
                title: told.title.clone(),
                wave: plan.wave(at),
                state: told.state,
                attempts: told.attempts,
                agent: told.agent.clone(),
                by_hand: told.by_hand.clone(),
                needs: needs.collect(),
                steps: told.steps,
                blocked_by: told.blocked_by.clone(),
                error: told.error.clone(),
                usage: told.usage,
                tokens: run.task(at).usage().tokens(),
                worked_ms: worked.get(&told.id).copied().unwrap_or(0),
                commit: told.commits.first().cloned(),
                is_critical: critical.contains(&told.id),
            }
        };
        run.plan().indices().zip(&status.tasks).map(row).collect()
    }
}
