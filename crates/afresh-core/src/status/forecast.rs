//! A forecast in the units that people and scripts see, and how wrong it was (PL-20).

use schemars::JsonSchema;
use serde::Serialize;

use crate::estimate::forecast::{ForecastRange, RunForecast, TaskExpectation, TaskForecast};

/// What a plan is expected to take; null where the history, or a price, is unknown.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct ForecastStatus {
    pub tokens: Option<ForecastRange>,
    pub cost_usd: Option<FigureRange>,
    pub minutes: Option<FigureRange>,
    /// The share of a context window; of a run, the fullest one.
    pub context: Option<FigureRange>,
}

/// A forecast of a whole run.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct RunForecastStatus {
    #[serde(flatten)]
    pub figures: ForecastStatus,
    /// Finished tasks of earlier runs that it is made from.
    pub samples: usize,
}

/// As likely more as less, and what nine of ten stay below.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct FigureRange {
    pub p50: f64,
    pub p90: f64,
}

impl FigureRange {
    /// `unit` is how many make one, such as the milliseconds of a minute.
    fn in_units(range: ForecastRange, unit: u64) -> Self {
        Self { p50: in_units(range.p50, unit), p90: in_units(range.p90, unit) }
    }
}

const MICROS: u64 = 1_000_000;
const MINUTE_MS: u64 = 60_000;

impl ForecastStatus {
    /// What one task is expected to take; none without history.
    pub fn from_task(forecast: &TaskForecast) -> Option<Self> {
        let expected = forecast.expected.as_ref()?;
        let context = expected.context_tokens.map(|it| FigureRange::in_units(it, forecast.window));
        Some(Self::new(expected, context))
    }

    fn new(expected: &TaskExpectation, context: Option<FigureRange>) -> Self {
        Self {
            tokens: expected.tokens,
            cost_usd: expected.cost_micros.map(|it| FigureRange::in_units(it, MICROS)),
            minutes: expected.duration_ms.map(|it| FigureRange::in_units(it, MINUTE_MS)),
            context,
        }
    }
}

impl RunForecastStatus {
    /// None without history.
    pub fn new(forecast: &RunForecast) -> Option<Self> {
        let expected = forecast.expected.as_ref()?;
        let contexts = forecast.tasks.iter().map(|task| ForecastStatus::from_task(task)?.context);
        let fullest = contexts.reduce(|one, other| {
            let (one, other) = (one?, other?);
            Some(FigureRange { p50: one.p50.max(other.p50), p90: one.p90.max(other.p90) })
        });
        let figures = ForecastStatus::new(expected, fullest.flatten());
        Some(Self { figures, samples: forecast.samples })
    }
}

/// A forecast figure, and what it came to.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct ForecastComparison {
    pub p50: f64,
    pub p90: f64,
    pub actual: f64,
    /// How much more than `p50` it was, as a share of it; less is negative.
    pub error: Option<f64>,
}

impl ForecastComparison {
    pub fn of_tokens(range: ForecastRange, actual: u64) -> Self {
        Self::of_figures(FigureRange::in_units(range, 1), in_units(actual, 1))
    }

    pub fn of_figures(range: FigureRange, actual: f64) -> Self {
        let error = (range.p50 > 0.0).then(|| round(actual / range.p50 - 1.0));
        Self { p50: range.p50, p90: range.p90, actual, error }
    }
}

/// Milliseconds as minutes.
pub fn to_minutes(ms: u64) -> f64 {
    in_units(ms, MINUTE_MS)
}

/// How much more an actual figure is than an estimate, as a share of it.
pub fn estimate_error(estimated: u64, actual: u64) -> Option<f64> {
    (estimated > 0).then(|| round(in_units(actual, 1) / in_units(estimated, 1) - 1.0))
}

fn in_units(value: u64, unit: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "it is shown, not counted with")]
    let exact = value as f64 / unit.max(1) as f64;
    // Millionths of a dollar are the smallest amount that is recorded.
    (exact * 1e6).round() / 1e6
}

fn round(share: f64) -> f64 {
    (share * 1_000.0).round() / 1_000.0
}
