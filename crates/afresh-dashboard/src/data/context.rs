//! How full the contexts of workers are: estimate beside actual, with marks at the limits.

use afresh_core::Run;
use afresh_core::estimate::forecast::{RunForecast, TaskForecast};
use afresh_core::usage::ContextFill;
use schemars::JsonSchema;
use serde::Serialize;

use crate::history::RunHistory;
use crate::history::attempt::AttemptTrack;

/// One worker's context, in per cent of its window.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct ContextBar {
    pub attempt: String,
    /// Where the worker is warned.
    pub soft: u8,
    /// Where it is stopped.
    pub hard: u8,
    /// What its prompt filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<u64>,
    /// What it holds now, or held at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<u64>,
    /// What was expected before it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<u64>,
    /// In tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

impl ContextBar {
    pub(crate) fn new(run: &Run, track: &AttemptTrack, forecast: Option<&TaskForecast>) -> Self {
        let limits = run.settings().context;
        let estimate = forecast.map(|forecast| {
            let expected = forecast.expected.as_ref().and_then(|it| it.context_tokens);
            let used = expected.map_or(forecast.raw_tokens, |range| range.p50);
            ContextFill { used, window: forecast.window }.percent()
        });
        let known = track.context.or(track.prompt);
        Self {
            attempt: track.id.to_string(),
            soft: limits.soft,
            hard: limits.hard,
            prompt: track.prompt.map(|fill| fill.percent()),
            used: track.context.map(|fill| fill.percent()),
            estimate,
            window: known.map(|fill| fill.window),
        }
    }

    /// Of every attempt about which something is known.
    pub(crate) fn list(run: &Run, history: &RunHistory) -> Vec<Self> {
        let forecasts = run.forecast().map(RunForecast::by_task).unwrap_or_default();
        let bar =
            |track: &AttemptTrack| Self::new(run, track, forecasts.get(&track.id.task).copied());
        let bars = history.attempts().iter().map(bar);
        bars.filter(|bar| bar.prompt.is_some() || bar.used.is_some()).collect()
    }

    /// The fullest that is known.
    pub fn percent(&self) -> Option<u64> {
        self.used.or(self.prompt)
    }
}
