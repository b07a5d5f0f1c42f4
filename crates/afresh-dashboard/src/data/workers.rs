//! Who is at what right now.

use afresh_core::Run;
use afresh_core::estimate::forecast::RunForecast;
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::status::StepsStatus;
use schemars::JsonSchema;
use serde::Serialize;

use super::context::ContextBar;
use crate::dashboard::LiveFacts;
use crate::history::RunHistory;
use crate::history::attempt::{AttemptTrack, SegmentKind};

/// What a worker did last: the tool and the file or command.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct WorkerAction {
    pub verb: String,
    pub object: String,
}

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct WorkerRow {
    pub attempt: String,
    pub task: TaskId,
    pub title: String,
    pub activity: SegmentKind,
    /// How long it has been at this.
    pub lasting_ms: u64,
    /// How long the attempt takes altogether, since its workspace was prepared.
    pub elapsed_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Who works on it by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<WorkerAction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<StepsStatus>,
    pub context: ContextBar,
    pub tokens: u64,
    pub cost_micros: Option<u64>,
}

impl WorkerRow {
    /// Attempts that are underway, the oldest first.
    pub fn list(run: &Run, history: &RunHistory, live: &LiveFacts) -> Vec<Self> {
        let now_ms = live.clock_ms(history);
        let forecasts = run.forecast().map(RunForecast::by_task).unwrap_or_default();
        let open = history.attempts().iter().filter(|track| track.end.is_none());
        let row = |track: &AttemptTrack| {
            let segment = track.open_segment()?;
            let at = run.plan().index_of(&track.id.task)?;
            let task = run.plan().task(at);
            let of = u32::try_from(task.steps.len()).unwrap_or(u32::MAX);
            let steps = (of > 0).then_some(StepsStatus { done: run.task(at).steps_done(), of });
            let span = |from_ms: i64| u64::try_from(now_ms.saturating_sub(from_ms)).unwrap_or(0);
            Some(WorkerRow {
                attempt: track.id.to_string(),
                task: track.id.task.clone(),
                title: task.title.clone(),
                activity: segment.kind,
                lasting_ms: span(segment.from_ms),
                elapsed_ms: span(track.started_ms()),
                agent: track.agent.clone(),
                by_hand: track.by_hand.clone(),
                model: track.model.clone(),
                action: action_of(live, &track.id, segment.kind),
                steps,
                context: ContextBar::new(run, track, forecasts.get(&track.id.task).copied()),
                tokens: track.usage.tokens(),
                cost_micros: track.usage.cost_micros,
            })
        };
        open.filter_map(row).collect()
    }
}

/// What its program reported last says nothing about checks and merges.
fn action_of(live: &LiveFacts, attempt: &AttemptId, kind: SegmentKind) -> Option<WorkerAction> {
    live.actions.get(attempt).filter(|_| kind == SegmentKind::Work).cloned()
}
