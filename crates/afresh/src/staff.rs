//! Who would do a plan's tasks, as far as the configuration says: for `afresh show`.

use std::path::Path;

use afresh_core::plan::Task;
use afresh_core::settings::Settings;
use afresh_engine::Rules;

use crate::cli::Common;
use crate::config;
use crate::driving::{Driving, rules};
use crate::output::{Output, safe};
use crate::plan_file::PlanFile;

/// Agents and models by task. Nobody where the configuration cannot be used: showing a plan needs
/// no agent, and `afresh run` says what is wrong.
#[derive(Debug)]
pub(crate) struct Staff(Option<(Settings, Rules)>);

/// Who does one task.
#[derive(Debug, Default)]
pub(crate) struct Assigned {
    pub(crate) agent: Option<String>,
    /// None where the program decides.
    pub(crate) model: Option<String>,
}

impl Staff {
    pub(crate) fn here(file: &PlanFile, here: &Path, common: &Common, output: &Output) -> Self {
        let directory = file.target.clone().unwrap_or_else(|| here.to_owned());
        let config_file = common.config.as_deref().map(|path| here.join(path));
        let config = config::load(&directory, config_file.as_deref()).ok();
        Self(config.and_then(|config| Self::with(config, &Driving::default(), file, output)))
    }

    /// With what the command line says besides.
    pub(crate) fn chosen(
        config: config::Config,
        driving: &Driving,
        file: &PlanFile,
        output: &Output,
    ) -> Self {
        Self(Self::with(config, driving, file, output))
    }

    fn with(
        config: config::Config,
        driving: &Driving,
        file: &PlanFile,
        output: &Output,
    ) -> Option<(Settings, Rules)> {
        let settings = config.settings.clone();
        let (rules, _) = rules(config, driving, file, output).ok()?;
        Some((settings, rules))
    }

    pub(crate) fn of(&self, task: &Task) -> Assigned {
        let Some((settings, rules)) = &self.0 else { return Assigned::default() };
        // Nobody works on what a person decides, or what is done.
        if task.checkpoint.is_some() || task.done_before.is_some() {
            return Assigned::default();
        }
        let agent = task.agent.clone().unwrap_or_else(|| rules.agent.clone());
        let model = rules.agents.get(&agent).and_then(|one| one.model(settings.tier_of(task)));
        Assigned { model: model.map(str::to_owned), agent: Some(agent) }
    }
}

impl Assigned {
    /// For the line of a task.
    pub(crate) fn words(&self) -> String {
        match (&self.agent, &self.model) {
            (Some(agent), Some(model)) => format!("  {} ({})", safe(agent), safe(model)),
            (Some(agent), None) => format!("  {}", safe(agent)),
            (None, _) => String::new(),
        }
    }
}
