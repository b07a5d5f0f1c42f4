//! Tokens and cost over time.

use std::collections::BTreeMap;

use afresh_core::ids::AttemptId;
use afresh_core::usage::Usage;

/// More samples are thinned out: a picture has no more points than this.
const MAX_SAMPLES: usize = 1_024;

/// What had been used at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpendingSample {
    pub at_ms: i64,
    pub tokens: u64,
    pub cost_micros: u64,
}

/// The total of all workers and reviewers as it grew.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpendingCurve {
    samples: Vec<SpendingSample>,
    /// Only every so many reports is kept.
    stride: usize,
    skipped: usize,
    workers: BTreeMap<(AttemptId, u32), Usage>,
    total: Usage,
}

impl SpendingCurve {
    /// A running total of one worker (review 0) or reviewer; repeated and late reports change nothing.
    pub(super) fn note(&mut self, attempt: &AttemptId, review: u32, usage: &Usage, at_ms: i64) {
        let known = self.workers.entry((attempt.clone(), review)).or_default();
        let now = known.at_least(usage);
        if now == *known {
            return;
        }
        self.total = self.total.plus(&now.minus(known));
        *known = now;
        self.push(at_ms);
    }

    fn push(&mut self, at_ms: i64) {
        let sample = SpendingSample {
            at_ms,
            tokens: self.total.tokens(),
            cost_micros: self.total.cost_micros.unwrap_or(0),
        };
        // The last sample always is the present total.
        let stride = self.stride.max(1);
        if self.skipped + 1 < stride
            && let Some(last) = self.samples.last_mut()
        {
            self.skipped += 1;
            *last = sample;
            return;
        }
        self.skipped = 0;
        self.samples.push(sample);
        if self.samples.len() >= MAX_SAMPLES {
            let last = self.samples.len() - 1;
            let mut at = 0;
            self.samples.retain(|_| {
                at += 1;
                (at - 1) % 2 == 0 || at - 1 == last
            });
            self.stride = stride * 2;
        }
    }

    pub fn samples(&self) -> &[SpendingSample] {
        &self.samples
    }

    pub fn total(&self) -> &Usage {
        &self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afresh_core::ids::TaskId;

    fn attempt(number: u32) -> AttemptId {
        AttemptId { task: TaskId::new("T").expect("an id"), number }
    }

    /// R14: running totals are counted once, however often they are reported.
    #[test]
    fn repeated_reports_are_counted_once() {
        let mut curve = SpendingCurve::default();
        let used = |input| Usage { input, cost_micros: Some(input), ..Usage::default() };
        curve.note(&attempt(1), 0, &used(10), 1);
        curve.note(&attempt(1), 0, &used(10), 2);
        curve.note(&attempt(1), 1, &used(3), 3);
        curve.note(&attempt(1), 0, &used(7), 4);
        curve.note(&attempt(2), 0, &used(5), 5);
        let seen: Vec<_> = curve.samples().iter().map(|it| (it.at_ms, it.tokens)).collect();
        assert_eq!(seen, [(1, 10), (3, 13), (5, 18)]);
        assert_eq!(curve.total().cost_micros, Some(18));
    }

    #[test]
    fn a_long_run_keeps_a_bounded_curve_that_ends_at_the_total() {
        let mut curve = SpendingCurve::default();
        for at in 1..=50_000_u64 {
            let usage = Usage { input: at, ..Usage::default() };
            curve.note(&attempt(1), 0, &usage, i64::try_from(at).expect("small"));
        }
        let samples = curve.samples();
        assert!(samples.len() <= MAX_SAMPLES && samples.len() > MAX_SAMPLES / 4);
        assert!(samples.is_sorted_by_key(|sample| (sample.at_ms, sample.tokens)));
        assert_eq!(samples.last().map(|it| it.tokens), Some(50_000));
    }
}
