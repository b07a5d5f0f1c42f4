//! Which agent made an attempt, and so how its output is read.

use std::collections::BTreeMap;

use afresh_agents::{Agent, StreamReader};
use afresh_core::Run;

use crate::agents::assignment::AgentSet;
use crate::config;
use crate::context::AppContext;
use crate::session::RunOptions;
use crate::session::runs::select;

/// The agents of a run. Empty where they are unknown: then output is printed as it is.
#[derive(Debug, Default)]
pub struct AgentReaders(BTreeMap<String, Agent>);

impl AgentReaders {
    /// By the current configuration.
    pub fn load(run: &Run, context: &AppContext) -> Self {
        let found = || {
            let directory = context.directory().ok()?;
            let file = select::load_plan(run, &directory).ok()?;
            let config = config::load(&directory, context.config_file.as_deref()).ok()?;
            let options = RunOptions::default();
            // What is worth a notice was shown when the run started.
            let set =
                AgentSet::load(&config, &options, &file, &context.environment, &mut Vec::new());
            Some(Self(set.ok()?.agents))
        };
        found().unwrap_or_default()
    }

    /// None where its output is plain text.
    pub fn reader(&self, agent: Option<&str>) -> Option<Box<dyn StreamReader>> {
        self.0.get(agent?)?.reader()
    }
}
