//! What a plan is expected to take (PL-20): recorded when a run starts, and compared with what it took.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::history::AgentHistory;
use crate::estimate::schedule::{SchedulePolicy, simulate};
use crate::ids::TaskId;
use crate::plan::Plan;
use crate::usage::Usage;

/// As likely more as less, and what nine of ten stay below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ForecastRange {
    pub p50: u64,
    pub p90: u64,
}

impl ForecastRange {
    #[must_use]
    pub(crate) fn map(self, change: impl Fn(u64) -> u64) -> Self {
        Self { p50: change(self.p50), p90: change(self.p90) }
    }

    fn plus(self, other: Self) -> Self {
        Self { p50: self.p50.saturating_add(other.p50), p90: self.p90.saturating_add(other.p90) }
    }

    fn max(self, other: Self) -> Self {
        Self { p50: self.p50.max(other.p50), p90: self.p90.max(other.p90) }
    }
}

/// What a task or a run is expected to take; nothing where the history does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct TaskExpectation {
    /// All tokens, also those that are read from caches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<ForecastRange>,
    /// Nothing also where a price is unknown: it is not zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<ForecastRange>,
    /// How full the context becomes; of a run, the fullest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<ForecastRange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<ForecastRange>,
}

/// The estimate of one task, and what history makes of it.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct TaskForecast {
    pub task: TaskId,
    pub agent: String,
    /// The estimate that no history has corrected.
    pub raw_tokens: u64,
    /// The context window of its model.
    pub window: u64,
    /// None without history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<TaskExpectation>,
}

/// The forecast of a run: of each task that a worker does, and of all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct RunForecast {
    pub tasks: Vec<TaskForecast>,
    /// Finished tasks of earlier runs that it is made from.
    pub samples: usize,
    /// None without history of every agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<TaskExpectation>,
}

/// One task to be forecast.
#[derive(Debug, Clone)]
pub struct ForecastSubject {
    pub task: TaskId,
    pub agent: String,
    pub raw_tokens: u64,
    pub window: u64,
}

impl RunForecast {
    /// `price` is what a usage of a task costs, if the price of its model is known.
    pub fn new(
        plan: &Plan,
        subjects: Vec<ForecastSubject>,
        histories: &BTreeMap<String, AgentHistory>,
        policy: SchedulePolicy,
        price: impl Fn(&ForecastSubject, &Usage) -> Option<u64>,
    ) -> Self {
        let tasks: Vec<TaskForecast> = subjects
            .into_iter()
            .map(|subject| {
                let history = histories.get(&subject.agent);
                let expected =
                    history.map(|it| it.expect(subject.raw_tokens, |usage| price(&subject, usage)));
                let ForecastSubject { task, agent, raw_tokens, window } = subject;
                TaskForecast { task, agent, raw_tokens, window, expected }
            })
            .collect();
        let used = histories.iter().filter(|(agent, _)| tasks.iter().any(|it| it.agent == **agent));
        let samples = used.map(|(_, history)| history.samples).sum();
        let expected = expect_all(plan, &tasks, policy);
        Self { tasks, samples, expected }
    }

    /// The forecast of each task.
    pub fn by_task(&self) -> BTreeMap<&TaskId, &TaskForecast> {
        self.tasks.iter().map(|forecast| (&forecast.task, forecast)).collect()
    }

    /// Takes over what a later forecast says about tasks that have not been tried yet.
    pub(crate) fn adopt(&mut self, later: &Self, is_untried: impl Fn(&TaskId) -> bool) {
        let later: BTreeMap<&TaskId, &TaskForecast> =
            later.by_task().into_iter().filter(|(task, _)| is_untried(task)).collect();
        self.tasks.retain(|known| !later.contains_key(&known.task));
        self.tasks.extend(later.into_values().cloned());
    }
}

/// All tasks together; none if one of them has no history.
fn expect_all(
    plan: &Plan,
    tasks: &[TaskForecast],
    policy: SchedulePolicy,
) -> Option<TaskExpectation> {
    let expected: Vec<TaskExpectation> =
        tasks.iter().map(|task| task.expected).collect::<Option<_>>()?;
    let add = ForecastRange::plus;
    let durations: Option<BTreeMap<&TaskId, ForecastRange>> = tasks
        .iter()
        .zip(&expected)
        .map(|(task, expected)| Some((&task.task, expected.duration_ms?)))
        .collect();
    let lasting = |durations: BTreeMap<&TaskId, ForecastRange>| {
        let end = |which: fn(&ForecastRange) -> u64| {
            simulate(plan, policy, |task| durations.get(task).map_or(0, which))
        };
        ForecastRange { p50: end(|range| range.p50), p90: end(|range| range.p90) }
    };
    (!expected.is_empty()).then(|| TaskExpectation {
        tokens: combine(expected.iter().map(|it| it.tokens), add),
        cost_micros: combine(expected.iter().map(|it| it.cost_micros), add),
        context_tokens: combine(expected.iter().map(|it| it.context_tokens), ForecastRange::max),
        duration_ms: durations.map(lasting),
    })
}

/// None if one part is unknown.
fn combine(
    mut parts: impl Iterator<Item = Option<ForecastRange>>,
    with: fn(ForecastRange, ForecastRange) -> ForecastRange,
) -> Option<ForecastRange> {
    let first = parts.next()??;
    parts.try_fold(first, |sum, part| Some(with(sum, part?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::history::TaskSample;
    use crate::plan::{PlanDraft, TaskDraft};
    use crate::run::settings::Schedule;

    fn plan(needs: &[(&str, &[&str])]) -> Plan {
        let task = |(id, needs): &(&str, &[&str])| TaskDraft {
            id: (*id).to_owned(),
            title: (*id).to_owned(),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
            files: vec![crate::plan::FileDraft { path: format!("{id}.rs"), action: None }],
            ..TaskDraft::default()
        };
        let tasks = needs.iter().map(task).collect();
        Plan::new(PlanDraft { tasks, ..PlanDraft::default() }).expect("a plan")
    }

    fn forecast(agents: [&str; 3]) -> RunForecast {
        let plan = plan(&[("A", &[]), ("B", &[]), ("C", &["A"])]);
        let subject = |(task, agent): (&crate::plan::Task, &str)| ForecastSubject {
            task: task.id.clone(),
            agent: agent.to_owned(),
            raw_tokens: 1_000,
            window: 10_000,
        };
        let sample = TaskSample {
            agent: "a".to_owned(),
            model: None,
            raw_tokens: 100,
            usage: Usage { input: 200, ..Usage::default() },
            context_tokens: Some(150),
            worked_ms: 60,
        };
        let history = AgentHistory::from_samples("a", &[sample.clone(), sample.clone(), sample]);
        let histories = BTreeMap::from([("a".to_owned(), history.expect("three samples"))]);
        let policy = SchedulePolicy {
            parallel: 2,
            schedule: Schedule::Eager,
            unlisted_beside_others: false,
        };
        let subjects = plan.tasks().iter().zip(agents).map(subject).collect();
        RunForecast::new(&plan, subjects, &histories, policy, |subject, usage| {
            (subject.task.as_str() != "B").then(|| usage.tokens())
        })
    }

    /// PL-20: tokens add up, contexts do not, and time follows the dependencies.
    #[test]
    fn a_run_is_its_tasks_in_their_order() {
        let expected = forecast(["a"; 3]).expected.expect("history");
        let at = |range: Option<ForecastRange>| range.map(|it| it.p50);
        assert_eq!(at(expected.tokens), Some(6_000));
        assert_eq!(at(expected.context_tokens), Some(1_500));
        assert_eq!(at(expected.duration_ms), Some(1_200), "A and B at once, then C");
    }

    /// R14, PL-20: if one price is unknown, so is the sum; the tasks with a price keep theirs.
    #[test]
    fn one_unknown_price_makes_the_sum_unknown() {
        let forecast = forecast(["a"; 3]);
        assert_eq!(forecast.expected.expect("history").cost_micros, None);
        let costs = forecast.tasks.iter().map(|it| it.expected.expect("history").cost_micros);
        assert_eq!(costs.flatten().count(), 2);
    }

    /// PL-20: an agent without history makes no forecast of the run.
    #[test]
    fn a_run_with_an_unknown_agent_has_no_forecast() {
        let forecast = forecast(["a", "a", "other"]);
        assert_eq!((forecast.samples, forecast.expected), (3, None));
        assert_eq!(forecast.tasks.iter().filter(|it| it.expected.is_some()).count(), 2);
    }
}
