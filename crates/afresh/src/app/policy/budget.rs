//! Budgets as people set them, and where they cannot be kept.
//!
//! Keeping them is the core's; a limit that cannot hold is said to be none.

use std::collections::BTreeSet;

use afresh_core::settings::Settings;
use afresh_core::usage::Budget;
use afresh_core::{Plan, Run};
use afresh_engine::ExecutionConfig;

use crate::terminal::output::{Output, count};

/// The limits that are given, else those that are there.
pub(crate) fn limited(cost_micros: Option<u64>, tokens: Option<u64>, other: Budget) -> Budget {
    Budget { cost_micros: cost_micros.or(other.cost_micros), tokens: tokens.or(other.tokens) }
}

/// Before the run: names the agents that report no use at all.
pub(crate) fn name_silent_agents(
    plan: &Plan,
    settings: &Settings,
    rules: &ExecutionConfig,
    output: &Output,
) {
    if settings.budget.is_unlimited() && settings.task_budget.is_unlimited() {
        return;
    }
    let used = plan.tasks().iter().map(|task| task.agent.as_deref().unwrap_or(&rules.agent));
    let silent: BTreeSet<&str> = used
        .filter(|name| rules.agents.get(*name).is_some_and(|agent| agent.reader().is_none()))
        .collect();
    if !silent.is_empty() {
        let names: Vec<&str> = silent.into_iter().collect();
        output.note(&format!(
            "note: a budget cannot stop {}: agents of kind \"command\" report no use",
            names.join(", ")
        ));
    }
}

/// After the run: tells of attempts that used something without a price, where dollars are limited.
pub(crate) fn tell_of_unknown_prices(run: &Run, output: &Output) {
    let settings = run.settings();
    let in_dollars = [settings.budget, settings.task_budget];
    if in_dollars.iter().all(|budget| budget.cost_micros.is_none()) {
        return;
    }
    let attempts = run.tasks().flat_map(|(_, state)| state.usages.values());
    let unpriced = attempts.filter(|used| used.cost_micros.is_none() && used.tokens() > 0).count();
    if unpriced > 0 {
        output.note(&format!(
            "  {} told tokens and no price: a budget in dollars does not count them; limit tokens as well",
            count(unpriced, "attempt")
        ));
    }
}
