//! Which agent and which model each task gets.

use std::collections::BTreeMap;
use std::path::Path;

use afresh_agents::{Agent, AgentKind, AgentProgram, ModelNames};
use afresh_core::estimate::DEFAULT_WINDOW;
use afresh_core::estimate::forecast::RunForecast;
use afresh_core::estimate::history::TaskSample;
use afresh_core::plan::Task;
use afresh_core::run::settings::Settings;
use afresh_engine::execution_config::WorkerConfig;

use super::definitions::{self, AdoptedDefinitions};
use super::programs;
use crate::config::{self, Config};
use crate::context::AppContext;
use crate::context::environment::Environment;
use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::PlanFile;
use crate::plan_source::estimates::ContextEstimates;
use crate::plan_source::estimates::forecast::forecast_plan;
use crate::plan_source::estimates::prompt_sizes::PromptSizes;
use crate::session::start::options::default_agent;
use crate::session::{RunOptions, worker_config};

/// The agents that a plan's tasks can name.
#[derive(Debug)]
pub struct AgentSet {
    /// The default agent.
    pub default_agent: String,
    pub agents: BTreeMap<String, Agent>,
    pub definitions: AdoptedDefinitions,
}

impl AgentSet {
    /// Agents of the configuration, built-in ones, and definitions that the plan names.
    pub fn load(
        config: &Config,
        options: &RunOptions,
        file: &PlanFile,
        environment: &Environment,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, AppError> {
        let default_agent = default_agent(config, options);
        let mut agents = with_built_in(config.agents.clone());
        programs::resolve(&mut agents, environment);
        let home = definitions::home(environment);
        let definitions =
            definitions::adopt(file, home.as_deref(), &default_agent, &mut agents, notices)?;
        if let Some(model) = &options.model {
            for agent in agents.values_mut() {
                set_model(agent, model);
            }
        }
        Ok(Self { default_agent, agents, definitions })
    }

    /// Definitions among the files of the repository: no worker may change them.
    pub fn definitions_inside(&self, root: &Path) -> Vec<String> {
        self.definitions.inside(root)
    }
}

/// The agents that need no configuration, and those that have one.
pub fn with_built_in(mut agents: BTreeMap<String, Agent>) -> BTreeMap<String, Agent> {
    for program in AgentProgram::ALL {
        let name = program.name().to_owned();
        let kind = AgentKind::Program(program.default_agent());
        agents.entry(name.clone()).or_insert(Agent { name, kind, env: Vec::new() });
    }
    agents
}

/// One model for tasks of every size.
fn set_model(agent: &mut Agent, model: &str) {
    match &mut agent.kind {
        AgentKind::Program(program) => program.models = ModelNames::all(model),
        AgentKind::Acp(acp) => acp.models = Some(ModelNames::all(model)),
        AgentKind::Command { .. } | AgentKind::Scripted { .. } => {}
    }
}

/// Agents and models by task, for `afresh show`. Empty where the configuration cannot be used: showing
/// a plan needs no agent, and `afresh run` reports what is wrong.
#[derive(Debug)]
pub struct TaskAssignments(Option<(Settings, WorkerConfig)>);

/// The agent and the model of one task.
#[derive(Debug, Default)]
pub struct AssignedAgent {
    pub agent: Option<String>,
    /// None where the program chooses.
    pub model: Option<String>,
}

impl TaskAssignments {
    /// By the configuration around `here`, or around the plan's target.
    pub fn load(
        file: &PlanFile,
        here: &Path,
        context: &AppContext,
        notices: &mut Vec<Notice>,
    ) -> Self {
        let directory = file.target.clone().unwrap_or_else(|| here.to_owned());
        let config_file = context.config_file.as_deref().map(|path| here.join(path));
        match config::load(&directory, config_file.as_deref()) {
            Ok(config) => Self::with_options(
                &config,
                &RunOptions::default(),
                file,
                &context.environment,
                notices,
            ),
            Err(_) => Self(None),
        }
    }

    pub fn with_options(
        config: &Config,
        options: &RunOptions,
        file: &PlanFile,
        environment: &Environment,
        notices: &mut Vec<Notice>,
    ) -> Self {
        let workers = AgentSet::load(config, options, file, environment, notices).and_then(|set| {
            worker_config(config, options, file, set, &file.root(), environment, notices)
        });
        let configured = config.settings.clone();
        let settings = Settings {
            parallel: options.parallel.unwrap_or(configured.parallel),
            schedule: options.schedule.unwrap_or(configured.schedule),
            ..configured
        };
        Self(workers.ok().map(|workers| (settings, workers)))
    }

    /// The sizes of their prompts, in tokens.
    pub fn prompt_sizes(&self, file: &PlanFile) -> Option<PromptSizes> {
        self.0.as_ref().map(|(settings, workers)| PromptSizes::measure(file, settings, workers))
    }

    /// What a run of the plan is expected to take.
    pub fn forecast(
        &self,
        file: &PlanFile,
        estimates: &ContextEstimates,
        samples: &[TaskSample],
    ) -> Option<RunForecast> {
        let (settings, workers) = self.0.as_ref()?;
        Some(forecast_plan(&file.plan, estimates, settings, workers, samples))
    }

    /// The context window of a task's model, in tokens.
    pub fn window(&self, task: &Task) -> u64 {
        let Some((settings, workers)) = &self.0 else { return DEFAULT_WINDOW };
        let windows = task.agents().map(|agent| workers.window(agent, settings.tier_of(task)));
        windows.min().unwrap_or(DEFAULT_WINDOW)
    }

    pub fn assigned_to(&self, task: &Task) -> AssignedAgent {
        let Some((settings, workers)) = &self.0 else { return AssignedAgent::default() };
        // No worker gets a task that a person decides, or that is done.
        if task.checkpoint.is_some() || task.done_before.is_some() {
            return AssignedAgent::default();
        }
        let names: Vec<&str> =
            task.agents().map(|agent| agent.unwrap_or(&workers.default_agent)).collect();
        // Several have several models.
        let model = match names[..] {
            [name] => workers.agents.get(name).and_then(|one| one.model(settings.tier_of(task))),
            _ => None,
        };
        AssignedAgent { model: model.map(str::to_owned), agent: Some(names.join(", ")) }
    }
}
