//! What the run was expected to take, what it took, and how well its plan worked (PL-20, PL-22).

use afresh_core::Event;
use afresh_core::estimate::forecast::TaskForecast;
use afresh_core::ids::TaskId;
use afresh_core::rejection::Rejection;
use afresh_core::run::Run;
use afresh_core::status::forecast::{
    ForecastComparison, ForecastStatus, RunForecastStatus, estimate_error, to_minutes,
};
use afresh_core::status::{RunState, TaskPhase};
use afresh_core::usage::Usage;
use schemars::JsonSchema;
use serde::Serialize;

use super::{AttemptReport, TaskReport, UsageReport};

/// How wrong the forecast was; null where nothing was forecast or nothing was reported.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct ForecastReport {
    /// Finished tasks of earlier runs that it was made from; 0: there was no history.
    pub samples: usize,
    /// Of the whole run, once every task is done.
    pub tokens: Option<ForecastComparison>,
    pub cost_usd: Option<ForecastComparison>,
    pub minutes: Option<ForecastComparison>,
    pub tasks: Vec<TaskEstimateReport>,
}

/// The estimate of one task, and what it took.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct TaskEstimateReport {
    pub task: TaskId,
    /// Estimated from the sizes of its files and texts, not corrected by history.
    pub estimated_tokens: u64,
    /// Tokens of all its attempts that were not read from a cache.
    pub used_tokens: Option<u64>,
    /// How much more was used than estimated, as a share; less is negative.
    pub error: Option<f64>,
    /// All tokens, compared with the forecast.
    pub tokens: Option<ForecastComparison>,
}

/// How well the plan worked, in figures.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct WorkScore {
    /// The share of the done tasks whose first attempt landed; null if none is done.
    pub first_attempt_rate: Option<f64>,
    /// Attempts after the first of their task.
    pub retries: usize,
    /// Attempts that collided with work that had landed meanwhile.
    pub conflicts: usize,
    /// The median of how far estimates were off, as a share; null if no agent reports tokens.
    pub estimate_error: Option<f64>,
}

/// Whether an attempt collided with other work.
pub(super) fn is_conflict(event: &Event) -> bool {
    matches!(event, Event::AttemptRejected { reason: Rejection::Conflict { .. }, .. })
}

/// The time that a driver was running, in milliseconds, and what was used in it.
pub(super) struct RunTotals {
    pub(super) state: RunState,
    pub(super) driven_ms: u64,
    pub(super) accounts: UsageReport,
}

impl ForecastReport {
    pub(super) fn new(run: &Run, tasks: &[TaskReport], totals: &RunTotals) -> Option<Self> {
        let forecast = run.forecast()?;
        let by_task = forecast.by_task();
        let compared = tasks
            .iter()
            .filter_map(|task| Some(TaskEstimateReport::new(by_task.get(&task.id)?, task)));
        // What is not finished is not more or less than expected.
        let expected = RunForecastStatus::new(forecast)
            .filter(|_| totals.state == RunState::Done)
            .map(|status| status.figures);
        let accounts = &totals.accounts;
        let tokens = |it: ForecastStatus| {
            let known = accounts.without_tokens == 0;
            it.tokens.filter(|_| known).map(|it| ForecastComparison::of_tokens(it, accounts.tokens))
        };
        let cost = |it: ForecastStatus| {
            let actual = accounts.usage.cost_usd.filter(|_| accounts.without_price == 0)?;
            it.cost_usd.map(|range| ForecastComparison::of_figures(range, actual))
        };
        let minutes = |it: ForecastStatus| {
            let actual = to_minutes(totals.driven_ms);
            it.minutes.map(|range| ForecastComparison::of_figures(range, actual))
        };
        Some(Self {
            samples: forecast.samples,
            tokens: expected.and_then(tokens),
            cost_usd: expected.and_then(cost),
            minutes: expected.and_then(minutes),
            tasks: compared.collect(),
        })
    }
}

impl TaskEstimateReport {
    fn new(forecast: &TaskForecast, task: &TaskReport) -> Self {
        let sum = |all: Usage, one: &AttemptReport| all.plus(&one.used);
        let used = task.attempts.iter().fold(Usage::default(), sum);
        // Only what is done can be compared.
        let is_known = task.state == TaskPhase::Done && used.tokens() > 0;
        let new = is_known.then(|| used.new_tokens());
        let range = forecast.expected.and_then(|expected| expected.tokens).filter(|_| is_known);
        Self {
            task: task.id.clone(),
            estimated_tokens: forecast.raw_tokens,
            used_tokens: new,
            error: new.and_then(|new| estimate_error(forecast.raw_tokens, new)),
            tokens: range.map(|range| ForecastComparison::of_tokens(range, used.tokens())),
        }
    }
}

impl WorkScore {
    pub(super) fn new(
        tasks: &[TaskReport],
        conflicts: usize,
        forecast: Option<&ForecastReport>,
    ) -> Self {
        let tried =
            |task: &TaskReport| task.attempts.iter().filter(|one| one.had_process()).count();
        let done = tasks.iter().filter(|task| task.state == TaskPhase::Done && tried(task) > 0);
        let (mut all, mut at_once) = (0_u32, 0_u32);
        for task in done {
            all += 1;
            at_once += u32::from(tried(task) == 1);
        }
        let rate = f64::from(at_once) / f64::from(all.max(1));
        let errors = forecast.into_iter().flat_map(|it| &it.tasks).filter_map(|task| task.error);
        Self {
            first_attempt_rate: (all > 0).then(|| (rate * 1_000.0).round() / 1_000.0),
            retries: tasks.iter().map(|task| tried(task).saturating_sub(1)).sum(),
            conflicts,
            estimate_error: median(errors.map(f64::abs).collect()),
        }
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}
