//! Tokens and money: what was used, and what may be.
//!
//! Amounts are whole numbers (millionths of a dollar), so totals are exact. Reading them from an
//! agent's output, and throwing out nonsense, is the adapters' job.

use serde::{Deserialize, Serialize};

/// What one attempt, task or run used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    /// Field by field the larger one: reports of one attempt are running totals, and may come twice
    /// or out of order.
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

/// An amount of both currencies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    pub cost_micros: u64,
    pub tokens: u64,
}

impl Amount {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            cost_micros: self.cost_micros.saturating_add(other.cost_micros),
            tokens: self.tokens.saturating_add(other.tokens),
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

impl From<&Usage> for Amount {
    fn from(usage: &Usage) -> Self {
        Self { cost_micros: usage.cost_micros.unwrap_or(0), tokens: usage.tokens() }
    }
}

/// What a run may use in all; nothing set means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub cost_micros: Option<u64>,
    pub tokens: Option<u64>,
}

impl Budget {
    /// Nothing is left.
    pub fn is_reached_by(&self, spent: Amount) -> bool {
        self.cost_micros.is_some_and(|limit| spent.cost_micros >= limit)
            || self.tokens.is_some_and(|limit| spent.tokens >= limit)
    }

    /// `planned` would go over the limit.
    pub fn is_exceeded_by(&self, planned: Amount) -> bool {
        self.cost_micros.is_some_and(|limit| planned.cost_micros > limit)
            || self.tokens.is_some_and(|limit| planned.tokens > limit)
    }

    /// An even share for each of `parallel` workers, for as long as nothing has been measured.
    pub fn share(&self, parallel: u16) -> Amount {
        let share = |limit: Option<u64>| limit.map_or(0, |l| l / u64::from(parallel.max(1)));
        Amount { cost_micros: share(self.cost_micros), tokens: share(self.tokens) }
    }
}
