//! Budgets as the user set them, and agents on which they have no effect.
//!
//! The core enforces them.

use std::collections::BTreeSet;

use afresh_core::run::settings::Settings;
use afresh_core::usage::Budget;
use afresh_core::{Plan, Run};
use afresh_engine::execution_config::WorkerConfig;

use crate::notice::Notice;
use crate::text::count;

/// A budget, with the earlier limit where it has none.
pub fn or_earlier(budget: Budget, earlier: Budget) -> Budget {
    Budget {
        cost_micros: budget.cost_micros.or(earlier.cost_micros),
        tokens: budget.tokens.or(earlier.tokens),
    }
}

/// Before the run: the agents that report no usage, if there is a budget.
pub fn agents_without_usage(
    plan: &Plan,
    settings: &Settings,
    workers: &WorkerConfig,
) -> Option<Notice> {
    if settings.budget.is_unlimited() && settings.task_budget.is_unlimited() {
        return None;
    }
    let used = workers.agents_of(plan).into_iter();
    let silent: BTreeSet<&str> = used
        .filter(|name| workers.agents.get(*name).is_some_and(|agent| agent.reader().is_none()))
        .collect();
    if silent.is_empty() {
        return None;
    }
    let names: Vec<&str> = silent.into_iter().collect();
    Some(Notice::note(format!(
        "the budget does not limit {}: agents of kind \"command\" report no usage",
        names.join(", ")
    )))
}

/// Before the run: agents of other programs, which may report their usage only at the end of an attempt, and models
/// without a price, if there is a budget.
pub fn weak_budgets(plan: &Plan, settings: &Settings, workers: &WorkerConfig) -> Vec<Notice> {
    let budgets = [settings.budget, settings.task_budget];
    if budgets.iter().all(Budget::is_unlimited) {
        return Vec::new();
    }
    let mut late = BTreeSet::new();
    let mut unpriced = BTreeSet::new();
    let named = plan.tasks().iter().flat_map(|task| task.agents().map(move |name| (task, name)));
    for (task, name) in named {
        let name = name.unwrap_or(&workers.default_agent);
        let Some(agent) = workers.agents.get(name) else { continue };
        if agent.reports_late() {
            late.insert(name);
        }
        let model = agent.model(settings.tier_of(task));
        unpriced.extend(model.filter(|model| !workers.prices.has_price(model)));
    }
    let list = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
    let mut notices = Vec::new();
    if !late.is_empty() {
        notices.push(Notice::note(format!(
            "{} may report usage only when an attempt ends: the budget stops it then, and not before",
            list(late)
        )));
    }
    let in_dollars = budgets.iter().any(|budget| budget.cost_micros.is_some());
    if in_dollars && !unpriced.is_empty() {
        notices.push(Notice::note(format!(
            "no price is known for {} (prices as of {}): unless the agent reports its cost, a budget in dollars does \
             not count it; add [prices.\"NAME\"] to the configuration, or limit tokens too",
            list(unpriced),
            workers.prices.as_of
        )));
    }
    notices
}

/// After the run: attempts with tokens but no price, where a budget in dollars is set.
pub fn attempts_without_price(run: &Run) -> Option<Notice> {
    let settings = run.settings();
    let budgets = [settings.budget, settings.task_budget];
    if budgets.iter().all(|budget| budget.cost_micros.is_none()) {
        return None;
    }
    let attempts = run.tasks().flat_map(|(_, state)| state.records.usages.values());
    let unpriced = attempts.filter(|used| used.cost_micros.is_none() && used.tokens() > 0).count();
    (unpriced > 0).then(|| {
        Notice::new(format!(
            "  {} reported tokens without a price, which a budget in dollars does not count; limit tokens too",
            count(unpriced, "attempt")
        ))
    })
}
