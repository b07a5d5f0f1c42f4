//! The results of each agent, if a plan was given to several (BE-08).

use std::collections::BTreeMap;

use afresh_core::Event;
use afresh_core::ids::TaskId;
use afresh_core::plan::Plan;
use schemars::JsonSchema;
use serde::Serialize;

use super::{AttemptReport, AttemptResult, UsageReport};

/// One agent, for comparison with the others.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct AgentReport {
    pub agent: String,
    /// Attempts whose work landed.
    pub merged: usize,
    /// Failed attempts that counted.
    pub rejected: usize,
    pub accounts: UsageReport,
}

/// All attempts, grouped by agent.
pub(super) fn by_agent<'a>(
    attempts: impl IntoIterator<Item = &'a AttemptReport>,
) -> Vec<AgentReport> {
    let mut own: BTreeMap<&str, Vec<&AttemptReport>> = BTreeMap::new();
    for attempt in attempts {
        if let Some(agent) = &attempt.agent {
            own.entry(agent).or_default().push(attempt);
        }
    }
    let one = |(agent, attempts): (&str, Vec<&AttemptReport>)| AgentReport {
        agent: agent.to_owned(),
        merged: attempts.iter().filter(|one| one.result == AttemptResult::Merged).count(),
        rejected: attempts.iter().filter(|one| one.counted).count(),
        accounts: UsageReport::from_attempts(attempts),
    };
    own.into_iter().map(one).collect()
}

/// The agent of a task's next worker, updated with each event: plan and settings may change.
#[derive(Debug, Default)]
pub(super) struct AgentSelection {
    named: BTreeMap<TaskId, String>,
    /// The default agent.
    other: String,
}

impl AgentSelection {
    pub(super) fn note_event(&mut self, event: &Event) {
        match event {
            Event::RunStarted { plan, settings, .. } => {
                self.plan(plan);
                self.other.clone_from(&settings.agent);
            }
            Event::PlanChanged { plan } => self.plan(plan),
            Event::SettingsChanged { settings } => self.other.clone_from(&settings.agent),
            _ => {}
        }
    }

    fn plan(&mut self, plan: &Plan) {
        let named =
            plan.tasks().iter().filter_map(|task| Some((task.id.clone(), task.agent.clone()?)));
        self.named = named.collect();
    }

    pub(super) fn agent_of_task(&self, task: &TaskId) -> Option<String> {
        self.named.get(task).or(Some(&self.other)).filter(|name| !name.is_empty()).cloned()
    }
}
