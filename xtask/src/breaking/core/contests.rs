//! Several agents that compete for one task.

use crate::breaking::{Edit, Mutation};

const CONTEST: &str = "afresh-core/src/decide/contest.rs";

pub(super) const ALL: &[Mutation] = &[
    Mutation {
        name: "contests: the dearest work is chosen",
        promise: "BE-08: the cheapest work that passes lands",
        edits: &[Edit {
            file: CONTEST,
            text: "usable.min_by_key(|entry| self.price_of(at, entry))",
            instead: "usable.max_by_key(|entry| self.price_of(at, entry))",
        }],
    },
    Mutation {
        name: "contests: the first work that passes is chosen before all have tried",
        promise: "BE-08: each agent has its turn",
        edits: &[Edit {
            file: CONTEST,
            text: "!self.has_contest_turn(at) && self.choose_entry(at)",
            instead: "self.choose_entry(at)",
        }],
    },
    Mutation {
        name: "contests: the first agent tries again and again",
        promise: "BE-08: the agents take turns",
        edits: &[Edit {
            file: "afresh-core/src/plan/contest.rs",
            text: "&self.agents[turn % self.agents.len()]",
            instead: "&self.agents[turn * 0]",
        }],
    },
    Mutation {
        name: "contests: work that waits is forgotten when the budget is used up",
        promise: "BE-08: work that passed lands when nothing is left to pay the others with",
        edits: &[Edit {
            file: CONTEST,
            text: "if self.run.budget_reached() || self.task_budget_reached(at).is_some() {",
            instead: "if self.run.budget_reached() {",
        }],
    },
    Mutation {
        name: "contests: the next agent continues with the steps of the one before",
        promise: "BE-08: all agents start alike",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/contests.rs",
            text: "state.steps.finished.clear();",
            instead: "",
        }],
    },
];
