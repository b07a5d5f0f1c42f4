//! Tokens and cost: what was used, and what may be used.
//!
//! Amounts are whole numbers (millionths of a dollar), so totals are exact. The adapters read them from an agent's
//! output and discard implausible values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one attempt, task or run used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// Unknown prices are unknown, never zero.
    pub cost_micros: Option<u64>,
}

impl Usage {
    pub fn tokens(&self) -> u64 {
        [self.output, self.cache_read, self.cache_write]
            .iter()
            .fold(self.input, |a, b| a.saturating_add(*b))
    }

    /// Those that were not read from a cache: about as many as the context holds in the end.
    pub fn new_tokens(&self) -> u64 {
        self.input.saturating_add(self.output).saturating_add(self.cache_write)
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    /// What remains without `other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let cost = |cost: u64| cost.saturating_sub(other.cost_micros.unwrap_or(0));
        Self { cost_micros: self.cost_micros.map(cost), ..self.combine(other, u64::saturating_sub) }
    }

    /// The larger one, field by field: usage reports of one attempt are running totals, and may come twice or out of
    /// order.
    #[must_use]
    pub fn at_least(&self, other: &Self) -> Self {
        self.combine(other, u64::max)
    }

    fn combine(&self, other: &Self, with: fn(u64, u64) -> u64) -> Self {
        Self {
            input: with(self.input, other.input),
            output: with(self.output, other.output),
            cache_read: with(self.cache_read, other.cache_read),
            cache_write: with(self.cache_write, other.cache_write),
            cost_micros: match (self.cost_micros, other.cost_micros) {
                (Some(a), Some(b)) => Some(with(a, b)),
                (a, b) => a.or(b),
            },
        }
    }
}

/// Usage of one model in an attempt.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ModelUsage {
    pub model: String,
    pub usage: Usage,
}

/// How full a worker's context is, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ContextFill {
    pub used: u64,
    /// Assumed if the program does not report it.
    pub window: u64,
}

impl ContextFill {
    /// In whole per cent.
    pub fn percent(&self) -> u64 {
        self.used.saturating_mul(100) / self.window.max(1)
    }
}

/// An amount of cost and tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct BudgetAmount {
    pub cost_micros: u64,
    pub tokens: u64,
}

impl BudgetAmount {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            cost_micros: self.cost_micros.saturating_add(other.cost_micros),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// What remains without `other`.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            cost_micros: self.cost_micros.saturating_sub(other.cost_micros),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }

    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            cost_micros: self.cost_micros.max(other.cost_micros),
            tokens: self.tokens.max(other.tokens),
        }
    }
}

impl From<&Usage> for BudgetAmount {
    fn from(usage: &Usage) -> Self {
        Self { cost_micros: usage.cost_micros.unwrap_or(0), tokens: usage.tokens() }
    }
}

/// What a run or a task may use in all; an empty value means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Budget {
    pub cost_micros: Option<u64>,
    pub tokens: Option<u64>,
}

impl Budget {
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Whether nothing is left.
    pub fn is_reached_by(&self, spent: BudgetAmount) -> bool {
        self.cost_micros.is_some_and(|limit| spent.cost_micros >= limit)
            || self.tokens.is_some_and(|limit| spent.tokens >= limit)
    }

    /// Whether `planned` would exceed the limit.
    pub fn is_exceeded_by(&self, planned: BudgetAmount) -> bool {
        self.cost_micros.is_some_and(|limit| planned.cost_micros > limit)
            || self.tokens.is_some_and(|limit| planned.tokens > limit)
    }

    /// Whether this many workers may run in parallel. Each may have used another `step` since its last report, and
    /// one of them yet another before it can be stopped. A single worker always may.
    pub fn holds(&self, spent: BudgetAmount, step: BudgetAmount, workers: usize) -> bool {
        let steps = u64::try_from(workers).unwrap_or(u64::MAX).saturating_add(1);
        let at_most = BudgetAmount {
            cost_micros: step.cost_micros.saturating_mul(steps),
            tokens: step.tokens.saturating_mul(steps),
        };
        workers <= 1 || !self.is_exceeded_by(spent.plus(at_most))
    }

    /// The limits, for people.
    pub fn describe_limits(&self) -> String {
        let cost = self.cost_micros.map(dollars);
        let tokens = self.tokens.map(|limit| format!("{limit} tokens"));
        let limits: Vec<String> = cost.into_iter().chain(tokens).collect();
        if limits.is_empty() { "none".to_owned() } else { limits.join(" and ") }
    }

    /// Used and available amounts, of each limit that is used up.
    pub fn describe(&self, spent: BudgetAmount) -> String {
        let by_cost = self.cost_micros.filter(|limit| spent.cost_micros >= *limit);
        let by_tokens = self.tokens.filter(|limit| spent.tokens >= *limit);
        let cost =
            by_cost.map(|limit| format!("{} of {}", dollars(spent.cost_micros), dollars(limit)));
        let tokens = by_tokens.map(|limit| format!("{} of {limit} tokens", spent.tokens));
        cost.into_iter().chain(tokens).collect::<Vec<_>>().join(" and ")
    }

    /// An even share for each of `parallel` workers, as long as no usage has been measured.
    pub fn share(&self, parallel: u16) -> BudgetAmount {
        let share = |limit: Option<u64>| limit.map_or(0, |l| l / u64::from(parallel.max(1)));
        BudgetAmount { cost_micros: share(self.cost_micros), tokens: share(self.tokens) }
    }
}

/// Millionths of a dollar as people read them: `$0.50`, `$12.3456`.
pub fn dollars(micros: u64) -> String {
    let fraction = format!("{:06}", micros % 1_000_000);
    let shown = fraction.trim_end_matches('0');
    format!("${}.{shown:0<2}", micros / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_exact_and_have_cents() {
        let shown = [0, 500_000, 12_345_600, 1_000_001, 4_120_000].map(dollars);
        assert_eq!(shown, ["$0.00", "$0.50", "$12.3456", "$1.000001", "$4.12"]);
    }

    /// R14: near the limit there is no budget for several workers, and always for one.
    #[test]
    fn near_the_limit_there_is_no_room_for_several() {
        let budget = Budget { tokens: Some(100), cost_micros: None };
        let amount = |tokens| BudgetAmount { tokens, cost_micros: 0 };
        let holds = |spent, workers| budget.holds(amount(spent), amount(10), workers);
        assert!(holds(0, 9) && !holds(0, 10) && holds(60, 3) && !holds(61, 3));
        assert!(holds(200, 1) && !holds(200, 2));
        assert!(Budget::default().holds(amount(200), amount(10), 1_000));
    }
}
