//! Who would do a plan's tasks, as far as the configuration says: for `afresh show`.

use std::path::Path;
use std::sync::Arc;

use afresh_core::plan::Task;
use afresh_core::settings::Settings;
use afresh_engine::ExecutionConfig;

use crate::app::config;
use crate::app::plan_source::PlanFile;
use crate::app::plan_source::prompt_sizes::PromptSizes;
use crate::app::session::briefing;
use crate::app::session::{Driving, rules};
use crate::cli::Common;
use crate::terminal::output::{Output, safe};

/// Agents and models by task. Nobody where the configuration cannot be used: showing a plan needs
/// no agent, and `afresh run` says what is wrong.
#[derive(Debug)]
pub(crate) struct Staff(Option<(Settings, ExecutionConfig)>);

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
    ) -> Option<(Settings, ExecutionConfig)> {
        let settings = config.settings.clone();
        let (mut rules, adopted) = rules(config, driving, file, output).ok()?;
        let root = file.root();
        let mut briefing = briefing::load(&root, file, output).ok()?;
        adopted.brief(&root, &mut briefing);
        rules.briefing = Arc::new(briefing);
        Some((settings, rules))
    }

    /// What they would be told, in tokens.
    pub(crate) fn prompts(&self, file: &PlanFile) -> Option<PromptSizes> {
        self.0.as_ref().map(|(settings, rules)| PromptSizes::of(file, settings, rules))
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
