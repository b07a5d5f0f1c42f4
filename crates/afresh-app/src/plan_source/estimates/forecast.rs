//! What a plan is expected to take, from the journal of earlier runs in this repository (PL-20).

use std::collections::BTreeMap;

use afresh_agents::prices::PriceTable;
use afresh_core::Plan;
use afresh_core::estimate::forecast::{ForecastSubject, RunForecast};
use afresh_core::estimate::history::{AgentHistory, TaskSample};
use afresh_core::estimate::schedule::SchedulePolicy;
use afresh_core::plan::Task;
use afresh_core::run::settings::Settings;
use afresh_core::usage::Usage;
use afresh_engine::RepoContext;
use afresh_engine::execution_config::WorkerConfig;

use super::ContextEstimates;

/// Finished tasks of earlier runs. A journal that cannot be read is no history: `afresh status` says what is wrong.
pub fn read_samples(repository: &RepoContext) -> Vec<TaskSample> {
    repository.task_samples().unwrap_or_default()
}

/// The forecast of a run that starts now.
pub fn forecast_plan(
    plan: &Plan,
    estimates: &ContextEstimates,
    settings: &Settings,
    workers: &WorkerConfig,
    samples: &[TaskSample],
) -> RunForecast {
    let is_wanted = |task: &&Task| {
        task.has_worker() && settings.only.as_ref().is_none_or(|only| *only == task.id)
    };
    let subject = |task: &Task| {
        let (agent, tier) = (task.agents().next().flatten(), settings.tier_of(task));
        let window = workers.window(agent, tier);
        ForecastSubject {
            task: task.id.clone(),
            agent: agent.unwrap_or(&workers.default_agent).to_owned(),
            raw_tokens: estimates.estimate(task, window).tokens,
            window,
        }
    };
    let subjects: Vec<ForecastSubject> =
        plan.tasks().iter().filter(is_wanted).map(subject).collect();
    let mut histories: BTreeMap<String, AgentHistory> = BTreeMap::new();
    for agent in subjects.iter().map(|subject| &subject.agent) {
        if !histories.contains_key(agent)
            && let Some(history) = AgentHistory::from_samples(agent, samples)
        {
            histories.insert(agent.clone(), history);
        }
    }
    let models: BTreeMap<_, _> = plan
        .tasks()
        .iter()
        .filter_map(|task| {
            let agent = task.agents().next().flatten().unwrap_or(&workers.default_agent);
            let assigned = workers.agents.get(agent)?.model(settings.tier_of(task));
            let reported = histories.get(agent)?.model.as_deref();
            Some((&task.id, priced_model(&workers.prices, assigned, reported)?))
        })
        .collect();
    let price = |subject: &ForecastSubject, usage: &Usage| {
        let unpriced = Usage { cost_micros: None, ..*usage };
        workers.prices.with_cost(models.get(&subject.task)?, unpriced).cost_micros
    };
    RunForecast::new(plan, subjects, &histories, SchedulePolicy::from(settings), price)
}

/// The model whose price counts. A short name such as `sonnet` stands for whichever version the program takes: the one
/// that its workers reported.
fn priced_model<'a>(
    prices: &PriceTable,
    assigned: Option<&'a str>,
    reported: Option<&'a str>,
) -> Option<&'a str> {
    if let Some(assigned) = assigned
        && prices.find(assigned).is_some()
    {
        return Some(assigned);
    }
    let is_meant = |reported: &str| {
        assigned
            .is_none_or(|short| reported.to_ascii_lowercase().contains(&short.to_ascii_lowercase()))
    };
    reported.filter(|reported| is_meant(reported) && prices.find(reported).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PL-20, R14: a price is that of the chosen model; a short name means the version that was reported.
    #[test]
    fn a_short_model_name_has_the_price_of_the_version_that_was_reported() {
        let prices = PriceTable::built_in();
        let priced = |assigned, reported| priced_model(&prices, assigned, reported);
        assert_eq!(priced(Some("gpt-5"), Some("gpt-5.5")), Some("gpt-5"));
        assert_eq!(priced(Some("sonnet"), Some("claude-sonnet-5-5")), Some("claude-sonnet-5-5"));
        assert_eq!(priced(Some("opus"), Some("claude-sonnet-5-5")), None);
        assert_eq!(priced(None, Some("claude-sonnet-5")), Some("claude-sonnet-5"));
        assert_eq!(priced(Some("sonnet"), None), None);
        assert_eq!(priced(None, Some("mine")), None);
    }
}
