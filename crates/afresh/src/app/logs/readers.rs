//! Which agent made an attempt, and so who can read what it reported.

use std::collections::BTreeMap;

use afresh_agents::{Agent, StreamReader};
use afresh_core::Run;

use crate::app::config;
use crate::app::session::select_run;
use crate::app::session::workplace;
use crate::app::session::{Driving, rules};
use crate::cli::Common;
use crate::terminal::output::Output;

/// The agents of a run. Nobody where they cannot be known any more: then output is shown as it is.
#[derive(Debug, Default)]
pub(crate) struct Readers(BTreeMap<String, Agent>);

impl Readers {
    /// As the configuration has them now.
    pub(crate) fn of(run: &Run, common: &Common, output: &Output) -> Self {
        let found = || {
            let directory = workplace::directory(common).ok()?;
            let file = select_run::plan_file(run).ok()?;
            let config = config::load(&directory, common.config.as_deref()).ok()?;
            let (rules, _) = rules(config, &Driving::default(), &file, output).ok()?;
            Some(Self(rules.agents))
        };
        found().unwrap_or_default()
    }

    /// None where its output is its answer and nothing else.
    pub(super) fn reader(&self, agent: Option<&str>) -> Option<Box<dyn StreamReader>> {
        self.0.get(agent?)?.reader()
    }
}
