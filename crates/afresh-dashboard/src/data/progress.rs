//! How far the run is, and when it may end.

use std::collections::BTreeMap;

use afresh_core::Run;
use afresh_core::plan::TaskIndex;
use afresh_core::status::{TaskPhase, count_phases, count_unpriced};
use afresh_core::usage::{Budget, Usage};
use schemars::JsonSchema;
use serde::Serialize;

use crate::history::attempt::{AttemptTrack, SegmentKind};
use crate::history::{Period, RunHistory};

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct RunProgress {
    pub done: usize,
    pub total: usize,
    pub counts: BTreeMap<TaskPhase, usize>,
    pub started_ms: i64,
    pub now_ms: i64,
    /// Since the start; breaks between two drivers do not count.
    pub driven_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta: Option<EndEstimate>,
    pub tokens: u64,
    pub cost_micros: Option<u64>,
    /// Attempts that used tokens, and whose price is unknown.
    pub without_price: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_cost_micros: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u64>,
    /// What concerns the run as a whole and is underway.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<RunStage>,
}

/// How long it may still take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct EndEstimate {
    pub left_ms: u64,
    pub basis: EstimateBasis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EstimateBasis {
    /// Finished tasks of earlier runs.
    Forecast,
    /// Finished tasks of this run.
    Measured,
}

/// What the whole run is at, besides its tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct RunStage {
    pub what: RunStageKind,
    pub since_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStageKind {
    /// Checks run on the base before any work.
    BaseChecks,
    FinalChecks,
}

impl RunProgress {
    pub fn new(run: &Run, history: &RunHistory, now_ms: i64) -> Self {
        let counts = count_phases(run);
        let usage: Usage = run.usage();
        let Budget { cost_micros, tokens } = run.settings().budget;
        let driven_ms = history.driven_ms(now_ms);
        Self {
            done: counts.get(&TaskPhase::Done).copied().unwrap_or(0),
            total: run.plan().len(),
            counts,
            started_ms: history.started_ms(),
            now_ms,
            driven_ms,
            eta: estimate_end(run, history, driven_ms, now_ms),
            tokens: usage.tokens(),
            cost_micros: usage.cost_micros,
            without_price: count_unpriced(run),
            budget_cost_micros: cost_micros,
            budget_tokens: tokens,
            stage: stage(run, history),
        }
    }
}

fn stage(run: &Run, history: &RunHistory) -> Option<RunStage> {
    let open = |period: &Period| period.to_ms.is_none();
    if run.is_probing() {
        let probe = history.probe().filter(open)?;
        return Some(RunStage { what: RunStageKind::BaseChecks, since_ms: probe.from_ms });
    }
    let finals = history.final_checks().last().filter(|period| open(period))?;
    Some(RunStage { what: RunStageKind::FinalChecks, since_ms: finals.from_ms })
}

/// The longer of: what is left on the longest path, and what is left divided among the workers.
fn estimate_end(
    run: &Run,
    history: &RunHistory,
    driven_ms: u64,
    now_ms: i64,
) -> Option<EndEstimate> {
    let open: Vec<TaskIndex> = run
        .indexed_tasks()
        .filter(|(_, task, state)| !state.is_finished() && task.has_worker())
        .map(|(at, ..)| at)
        .collect();
    if open.is_empty() {
        return None;
    }
    let expected = run.forecast().and_then(|forecast| forecast.expected.as_ref()?.duration_ms);
    let has_landed = history.landed().next().is_some();
    if let Some(range) = expected.filter(|_| !has_landed) {
        let left_ms = range.p50.saturating_sub(driven_ms).max(1);
        return Some(EndEstimate { left_ms, basis: EstimateBasis::Forecast });
    }
    let took: Vec<u64> = history.landed().map(|track| busy_ms(track, now_ms)).collect();
    let average = took.iter().sum::<u64>().checked_div(u64::try_from(took.len()).ok()?)?;
    let spent: BTreeMap<TaskIndex, u64> = history
        .attempts()
        .iter()
        .filter(|track| track.end.is_none())
        .filter_map(|track| Some((run.plan().index_of(&track.id.task)?, busy_ms(track, now_ms))))
        .collect();
    let left = |at: &TaskIndex| {
        average.saturating_sub(spent.get(at).copied().unwrap_or(0)).max(average / 10)
    };
    let shared = open.iter().map(left).sum::<u64>() / u64::from(run.settings().parallel.max(1));
    let path = open.iter().map(|at| run.plan().height(*at)).max().unwrap_or(0);
    let left_ms = shared.max(u64::from(path) * average).max(1);
    Some(EndEstimate { left_ms, basis: EstimateBasis::Measured })
}

/// The time of an attempt without waiting for its turn or for a person.
fn busy_ms(track: &AttemptTrack, now_ms: i64) -> u64 {
    let waits = [SegmentKind::Queue, SegmentKind::Person];
    let busy = SegmentKind::ALL.into_iter().filter(|kind| !waits.contains(kind));
    busy.map(|kind| track.time_in(kind, now_ms)).sum()
}
