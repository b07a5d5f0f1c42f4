//! Usage, as people and scripts see it. A price that was not reported is unknown, not zero (LO-03, R14).

use crate::plan::TaskIndex;
use schemars::JsonSchema;
use serde::Serialize;

use crate::run::{Run, TaskState};
use crate::usage::Usage;

#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct UsageStatus {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub cost_usd: Option<f64>,
}

impl From<&Usage> for UsageStatus {
    fn from(usage: &Usage) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "money is shown here, not counted")]
        let cost_usd = usage.cost_micros.map(|micros| micros as f64 / 1e6);
        let Usage { input, output, cache_read, cache_write, .. } = *usage;
        Self { input, output, cache_read, cache_write, cost_usd }
    }
}

/// What the attempts of one wave used.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct WaveStatus {
    pub wave: u32,
    pub tasks: usize,
    pub usage: UsageStatus,
    /// Attempts that used tokens, and whose price is unknown.
    pub without_price: usize,
}

pub(super) fn waves(run: &Run) -> Vec<WaveStatus> {
    let of_wave = |(wave, tasks): (u32, Vec<TaskIndex>)| {
        let states = || tasks.iter().map(|at| run.task(*at));
        let used = states().fold(Usage::default(), |sum, state| sum.plus(&state.usage()));
        WaveStatus {
            wave,
            tasks: tasks.len(),
            usage: UsageStatus::from(&used),
            without_price: states().map(without_price).sum(),
        }
    };
    (1..).zip(run.plan().waves()).map(of_wave).collect()
}

/// Attempts of a task that used tokens, and whose price is unknown.
pub(super) fn without_price(state: &TaskState) -> usize {
    let unknown = |usage: &&Usage| usage.cost_micros.is_none() && usage.tokens() > 0;
    let records = &state.records;
    records.usages.values().chain(records.review_usages.values()).filter(unknown).count()
}
