//! Attempts as segments of time, and the chain of tasks that decides how long the run takes.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::ids::TaskId;
use afresh_core::plan::TaskIndex;
use afresh_core::status::{RunStatus, TaskPhase};
use schemars::JsonSchema;
use serde::Serialize;

use super::retry_heat::{AttemptMark, reason_of};
use crate::history::attempt::{AttemptTrack, SegmentKind};
use crate::history::{Period, RunHistory};

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Timeline {
    pub from_ms: i64,
    pub to_ms: i64,
    /// In the order in which the tasks began; those that have not begun are missing.
    pub rows: Vec<TimelineRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_checks: Option<TimeSpan>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub final_checks: Vec<TimeSpan>,
    /// When no process drove the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<TimeSpan>,
    pub critical_path: CriticalPath,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct TimelineRow {
    pub task: TaskId,
    pub title: String,
    pub state: TaskPhase,
    pub is_critical: bool,
    pub attempts: Vec<TimelineAttempt>,
    /// It has no attempt, and waits for a workspace or for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<TimelineSegment>,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct TimelineAttempt {
    pub attempt: u32,
    pub outcome: AttemptMark,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub segments: Vec<TimelineSegment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct TimelineSegment {
    pub kind: SegmentKind,
    pub from_ms: i64,
    pub to_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct TimeSpan {
    pub from_ms: i64,
    pub to_ms: i64,
}

/// The chain of tasks that decides how long the run takes.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct CriticalPath {
    /// In order.
    pub tasks: Vec<TaskId>,
    /// By what was merged when; else by the plan alone.
    pub is_measured: bool,
}

impl Timeline {
    pub(crate) fn new(run: &Run, history: &RunHistory, status: &RunStatus, now_ms: i64) -> Self {
        let critical_path = CriticalPath::new(run, history);
        let mut tracks: BTreeMap<&TaskId, Vec<&AttemptTrack>> = BTreeMap::new();
        for track in history.attempts() {
            tracks.entry(&track.id.task).or_default().push(track);
        }
        let critical: BTreeSet<&TaskId> = critical_path.tasks.iter().collect();
        let mut rows: Vec<(i64, TimelineRow)> = Vec::new();
        for (at, told) in run.plan().indices().zip(&status.tasks) {
            let own = tracks.get(&told.id).map(Vec::as_slice).unwrap_or_default();
            let waits = waiting(run, history, at, told.state, own, now_ms);
            let from =
                own.first().map(|track| track.from_ms()).or(waits.map(|waits| waits.from_ms));
            let Some(from) = from else { continue };
            let row = TimelineRow {
                task: told.id.clone(),
                title: told.title.clone(),
                state: told.state,
                is_critical: critical.contains(&told.id),
                attempts: own.iter().map(|track| TimelineAttempt::new(track, now_ms)).collect(),
                waits,
            };
            rows.push((from, row));
        }
        rows.sort_by_key(|(from, _)| *from);
        let span = |period: Period| TimeSpan {
            from_ms: period.from_ms,
            to_ms: period.to_ms.unwrap_or(now_ms),
        };
        Self {
            from_ms: history.started_ms(),
            to_ms: now_ms,
            rows: rows.into_iter().map(|(_, row)| row).collect(),
            base_checks: history.probe().map(span),
            final_checks: history.final_checks().iter().copied().map(span).collect(),
            breaks: history.breaks().map(|(from_ms, to_ms)| TimeSpan { from_ms, to_ms }).collect(),
            critical_path,
        }
    }

    /// The same times with other rows, such as those that are on a screen.
    #[must_use]
    pub fn with_rows(&self, rows: Vec<TimelineRow>) -> Self {
        Self {
            rows,
            final_checks: self.final_checks.clone(),
            breaks: self.breaks.clone(),
            critical_path: CriticalPath { tasks: Vec::new(), is_measured: false },
            ..*self
        }
    }
}

impl TimelineAttempt {
    fn new(track: &AttemptTrack, now_ms: i64) -> Self {
        let segments = track.segments.iter().map(|segment| TimelineSegment {
            kind: segment.kind,
            from_ms: segment.from_ms,
            to_ms: segment.to_ms.unwrap_or(now_ms),
        });
        Self {
            attempt: track.id.number,
            outcome: AttemptMark::from_track(track),
            reason: reason_of(track),
            segments: segments.collect(),
        }
    }
}

/// A task that could start if a workspace were free or a person answered, and does not run.
fn waiting(
    run: &Run,
    history: &RunHistory,
    at: TaskIndex,
    state: TaskPhase,
    own: &[&AttemptTrack],
    now_ms: i64,
) -> Option<TimelineSegment> {
    let is_open = own.last().is_some_and(|track| track.end.is_none());
    let plan = run.plan();
    let lasting = |kind, from_ms| TimelineSegment { kind, from_ms, to_ms: now_ms };
    if let Some(asked) = history.waits_for_person_since(&plan.task(at).id) {
        return Some(lasting(SegmentKind::Person, asked));
    }
    if state != TaskPhase::Ready || is_open {
        return None;
    }
    let needs = plan.needs(at).iter().map(|need| &plan.task(*need).id);
    Some(lasting(SegmentKind::Queue, history.ready_since(&plan.task(at).id, needs)))
}

impl CriticalPath {
    pub(crate) fn new(run: &Run, history: &RunHistory) -> Self {
        let plan = run.plan();
        let merged: BTreeMap<TaskIndex, i64> = history
            .landed()
            .filter_map(|track| {
                Some((plan.index_of(&track.id.task)?, track.to_ms(history.last_ms())))
            })
            .collect();
        let is_over = run.tasks().all(|(task, state)| state.is_finished() || !task.has_worker());
        let last = merged.iter().max_by_key(|(at, ms)| (**ms, **at)).map(|(at, _)| *at);
        let Some(last) = last.filter(|_| is_over) else {
            let tasks = plan.critical_path().into_iter().map(|at| plan.task(at).id.clone());
            return Self { tasks: tasks.collect(), is_measured: false };
        };
        // Back from the end, always to the dependency that was merged last.
        let previous = |at: &TaskIndex| {
            let needs = plan.needs(*at).iter().filter(|need| merged.contains_key(need));
            needs.max_by_key(|need| (merged[*need], **need)).copied()
        };
        let mut chain: Vec<TaskIndex> = std::iter::successors(Some(last), previous).collect();
        chain.reverse();
        let tasks = chain.into_iter().map(|at| plan.task(at).id.clone()).collect();
        Self { tasks, is_measured: true }
    }
}
