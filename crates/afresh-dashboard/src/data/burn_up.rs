//! Tokens and cost over time, with the lines that they must not cross.

use afresh_core::Run;
use schemars::JsonSchema;
use serde::Serialize;

use crate::history::RunHistory;

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BurnUp {
    pub from_ms: i64,
    pub to_ms: i64,
    /// Each says what was used up to then.
    pub points: Vec<BurnUpPoint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_cost_micros: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u64>,
    /// What was expected of the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast_cost_micros: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BurnUpPoint {
    pub at_ms: i64,
    pub tokens: u64,
    pub cost_micros: u64,
}

impl BurnUp {
    pub(crate) fn new(run: &Run, history: &RunHistory, now_ms: i64) -> Self {
        let points = history.spending().samples().iter().map(|sample| BurnUpPoint {
            at_ms: sample.at_ms,
            tokens: sample.tokens,
            cost_micros: sample.cost_micros,
        });
        let budget = run.settings().budget;
        let expected = run.forecast().and_then(|forecast| forecast.expected.as_ref());
        Self {
            from_ms: history.started_ms(),
            to_ms: now_ms,
            points: points.collect(),
            budget_cost_micros: budget.cost_micros,
            budget_tokens: budget.tokens,
            forecast_tokens: expected.and_then(|it| it.tokens).map(|range| range.p50),
            forecast_cost_micros: expected.and_then(|it| it.cost_micros).map(|range| range.p50),
        }
    }
}
