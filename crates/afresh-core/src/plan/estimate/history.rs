//! What earlier tasks took, compared with what was estimated for them (PL-20).
//!
//! The caller reads the samples from the journal. A ratio is always of the estimate that no history has corrected:
//! otherwise each forecast would undo the correction of the one before.

use crate::estimate::forecast::{ForecastRange, TaskExpectation};
use crate::usage::Usage;

/// With fewer samples, there is no forecast.
pub const MIN_SAMPLES: usize = 3;
/// Only the newest samples count: models and repositories change.
const MAX_SAMPLES: usize = 100;
/// The least and the most that an estimate is corrected by, in thousandths.
const RATIOS: (u64, u64) = (500, 3_000);
/// Ratios are whole numbers, so that a forecast is the same on every machine.
const THOUSANDTHS: u64 = 1_000;
/// A pace is in millionths of a millisecond for each estimated token.
const MILLIONTHS: u64 = 1_000_000;

/// A finished task that a worker did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSample {
    pub agent: String,
    /// As the agent's program reported it.
    pub model: Option<String>,
    /// What was estimated for it before it ran.
    pub raw_tokens: u64,
    /// Of all its attempts: failed ones are part of the price.
    pub usage: Usage,
    /// How full the fullest context of its workers became.
    pub context_tokens: Option<u64>,
    /// How long its workers and its checks took.
    pub worked_ms: u64,
}

/// What tasks of one agent took, as ratios.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentHistory {
    pub samples: usize,
    /// The model that its newest workers reported.
    pub model: Option<String>,
    tokens: Option<ForecastRange>,
    context: Option<ForecastRange>,
    pace: Option<ForecastRange>,
    /// The usage of all samples that reported any: its kinds of tokens, and its cost if all have one.
    used: Usage,
}

impl AgentHistory {
    /// The history of one agent, from samples in the order in which they ended; none if there are too few.
    pub fn from_samples(agent: &str, samples: &[TaskSample]) -> Option<Self> {
        let own: Vec<&TaskSample> =
            samples.iter().filter(|one| one.agent == agent && one.raw_tokens > 0).collect();
        let own = &own[own.len().saturating_sub(MAX_SAMPLES)..];
        if own.len() < MIN_SAMPLES {
            return None;
        }
        let ratios = |actual: &dyn Fn(&TaskSample) -> Option<u64>, unit: u64| -> Vec<u64> {
            own.iter().filter_map(|one| Some(ratio(actual(one)?, one.raw_tokens, unit))).collect()
        };
        let used = |one: &TaskSample| Some(one.usage.new_tokens()).filter(|tokens| *tokens > 0);
        let worked = |one: &TaskSample| Some(one.worked_ms).filter(|ms| *ms > 0);
        Some(Self {
            samples: own.len(),
            model: own.iter().rev().find_map(|one| one.model.clone()),
            tokens: clamped(ratios(&used, THOUSANDTHS)),
            context: clamped(ratios(&|one| one.context_tokens, THOUSANDTHS)),
            pace: pace(ratios(&worked, MILLIONTHS)),
            used: add_up(own.iter().filter(|one| used(one).is_some()).map(|one| &one.usage)),
        })
    }

    /// What a task is expected to take. `price` is what a usage costs, if the price of its model is known; else what
    /// the samples reported counts.
    pub fn expect(
        &self,
        raw_tokens: u64,
        price: impl Fn(&Usage) -> Option<u64>,
    ) -> TaskExpectation {
        let scaled = |by: ForecastRange, unit| by.map(|by| scale(raw_tokens, by, unit));
        let usage = self.tokens.map(|by| scaled(by, THOUSANDTHS)).map(|new| self.mixed(new));
        let cost = |usage: &Usage| price(usage).or(usage.cost_micros);
        TaskExpectation {
            tokens: usage
                .as_ref()
                .map(|(p50, p90)| ForecastRange { p50: p50.tokens(), p90: p90.tokens() }),
            cost_micros: usage
                .as_ref()
                .and_then(|(p50, p90)| Some(ForecastRange { p50: cost(p50)?, p90: cost(p90)? })),
            context_tokens: self.context.map(|by| scaled(by, THOUSANDTHS)),
            duration_ms: self.pace.map(|by| scaled(by, MILLIONTHS)),
        }
    }

    /// So many new tokens, with what was read from caches, by kind: in the shares of the samples.
    fn mixed(&self, new: ForecastRange) -> (Usage, Usage) {
        let all = self.used.new_tokens().max(1);
        let usage = |new: u64| {
            let share = |tokens: u64| scale(tokens, new, all);
            Usage {
                input: share(self.used.input),
                output: share(self.used.output),
                cache_read: share(self.used.cache_read),
                cache_write: share(self.used.cache_write),
                cost_micros: self.used.cost_micros.map(share),
            }
        };
        (usage(new.p50), usage(new.p90))
    }
}

/// The sum; its cost is unknown if that of one part is.
fn add_up<'a>(usages: impl Iterator<Item = &'a Usage>) -> Usage {
    let (mut sum, mut is_priced) = (Usage::default(), true);
    for usage in usages {
        is_priced &= usage.cost_micros.is_some();
        sum = sum.plus(usage);
    }
    Usage { cost_micros: sum.cost_micros.filter(|_| is_priced), ..sum }
}

/// Median and 90th percentile, each within the limits of a correction.
fn clamped(ratios: Vec<u64>) -> Option<ForecastRange> {
    let (least, most) = RATIOS;
    quantiles(ratios).map(|range| range.map(|ratio| ratio.clamp(least, most)))
}

/// A pace has no estimate of its own to be compared with, so its outliers are limited by its median.
fn pace(paces: Vec<u64>) -> Option<ForecastRange> {
    let range = quantiles(paces)?;
    let most = scale(range.p50, RATIOS.1, THOUSANDTHS);
    Some(ForecastRange { p50: range.p50, p90: range.p90.min(most) })
}

fn quantiles(mut values: Vec<u64>) -> Option<ForecastRange> {
    if values.len() < MIN_SAMPLES {
        return None;
    }
    values.sort_unstable();
    let (middle, count) = (values.len() / 2, values.len());
    let p50 = if count % 2 == 1 {
        values[middle]
    } else {
        u64::midpoint(values[middle - 1], values[middle])
    };
    // The nearest rank: a value that was seen.
    let p90 = values[(count * 9).div_ceil(10) - 1];
    Some(ForecastRange { p50, p90: p90.max(p50) })
}

/// How many units `actual` is of `raw`.
fn ratio(actual: u64, raw: u64, unit: u64) -> u64 {
    scale(actual, unit, raw.max(1))
}

/// `value * by / unit`, without overflow.
fn scale(value: u64, by: u64, unit: u64) -> u64 {
    let scaled = u128::from(value) * u128::from(by) / u128::from(unit.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(raw: u64, tokens: u64) -> TaskSample {
        TaskSample {
            agent: "a".to_owned(),
            model: None,
            raw_tokens: raw,
            usage: Usage { input: tokens, ..Usage::default() },
            context_tokens: None,
            worked_ms: tokens * 10,
        }
    }

    fn expect(samples: &[TaskSample], raw: u64) -> Option<TaskExpectation> {
        AgentHistory::from_samples("a", samples).map(|history| history.expect(raw, |_| None))
    }

    fn range(p50: u64, p90: u64) -> ForecastRange {
        ForecastRange { p50, p90 }
    }

    /// PL-20: the median ratio of actual to raw corrects the estimate, and the 90th percentile says how bad it may get.
    #[test]
    fn a_forecast_is_the_estimate_times_the_median_ratio() {
        let samples = [sample(100, 110), sample(100, 130), sample(1_000, 1_200), sample(50, 90)];
        let expected = expect(&samples, 10_000).expect("enough samples");
        assert_eq!(expected.tokens, Some(range(12_500, 18_000)));
        assert_eq!(expected.context_tokens, None, "no sample has one");
        assert_eq!(expected.cost_micros, None, "no price is known");
    }

    /// PL-20: fewer than three samples are no history, and other agents have their own.
    #[test]
    fn fewer_than_three_samples_are_no_history() {
        let mut samples = vec![sample(100, 100), sample(100, 100)];
        assert_eq!(expect(&samples, 100), None);
        samples.push(TaskSample { agent: "b".to_owned(), ..sample(100, 100) });
        assert_eq!(expect(&samples, 100), None);
        samples.push(sample(100, 100));
        assert_eq!(expect(&samples, 100).and_then(|it| it.tokens), Some(range(100, 100)));
    }

    /// PL-20: a correction is at least 0.5 and at most 3, whatever was measured.
    #[test]
    fn a_correction_is_clamped() {
        let many = [sample(100, 9_000), sample(100, 8_000), sample(100, 7_000)];
        assert_eq!(expect(&many, 1_000).and_then(|it| it.tokens), Some(range(3_000, 3_000)));
        let few = [sample(100, 1), sample(100, 2), sample(100, 3)];
        assert_eq!(expect(&few, 1_000).and_then(|it| it.tokens), Some(range(500, 500)));
        let slow = [sample(100, 100), sample(100, 100), sample(100, 900)];
        assert_eq!(expect(&slow, 100).and_then(|it| it.duration_ms), Some(range(1_000, 3_000)));
    }

    /// LO-03: what is read from caches is not new, and is added in the share that was measured.
    #[test]
    fn cached_tokens_are_added_in_their_measured_share() {
        let cached = |raw| TaskSample {
            usage: Usage { input: 60, output: 40, cache_read: 900, ..Usage::default() },
            ..sample(raw, 0)
        };
        let history = AgentHistory::from_samples("a", &[cached(100), cached(100), cached(100)]);
        let history = history.expect("three samples");
        let expected = history.expect(200, |usage| Some(usage.output));
        assert_eq!(expected.tokens, Some(range(2_000, 2_000)));
        assert_eq!(expected.cost_micros, Some(range(80, 80)), "output tokens have their own price");
    }

    /// R14: a cost that one sample did not report is unknown.
    #[test]
    fn reported_costs_count_where_no_price_is_known() {
        let priced = |cost| {
            let mut one = sample(100, 100);
            one.usage.cost_micros = cost;
            one
        };
        let all = [priced(Some(7)), priced(Some(7)), priced(Some(7))];
        assert_eq!(expect(&all, 200).and_then(|it| it.cost_micros), Some(range(14, 14)));
        let one_unknown = [priced(Some(7)), priced(None), priced(Some(7))];
        assert_eq!(expect(&one_unknown, 200).and_then(|it| it.cost_micros), None);
    }
}
