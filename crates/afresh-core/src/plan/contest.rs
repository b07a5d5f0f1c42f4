//! Competing attempts: several agents try one task, and one of their results lands (BE-08).
//!
//! They try it one after the other, because a task has at most one attempt at a time; other tasks run beside them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most agents that may compete for one task.
pub const MAX_CONTESTANTS: usize = 8;

/// Who competes for a task, and whose work lands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contest {
    /// Names of agents, in the order in which they try.
    pub agents: Vec<String>,
    #[serde(default)]
    pub land: ContestRule,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContestRule {
    /// The first work that passes its checks lands, and no other agent starts.
    #[default]
    First,
    /// Each agent tries from the same start, and of the work that passes its checks the cheapest lands.
    Cheapest,
}

impl ContestRule {
    pub const WORDS: &[(&str, Self)] = &[("first", Self::First), ("cheapest", Self::Cheapest)];

    pub fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Cheapest => "cheapest",
        }
    }
}

impl Contest {
    /// The agent of this turn, counted from 0; after the last one it is the first one's turn again.
    pub fn agent(&self, turn: usize) -> &str {
        &self.agents[turn % self.agents.len()]
    }
}
