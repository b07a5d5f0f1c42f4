//! How to drive: flags win over the configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use afresh_agents::{Agent, AgentKind, AgentProgram, ModelNames};
use afresh_core::ids::TaskId;
use afresh_core::settings::{OnDecision, OnFailure, OnOrphan, Schedule, Settings};
use afresh_engine::execution_config::SandboxConfig;
use afresh_engine::{ExecutionConfig, RepoContext};
use afresh_proxy::Host;
use afresh_sandbox::Level;

use crate::app::agents::definitions;
use crate::app::agents::definitions::Adopted;
use crate::app::agents::programs;
use crate::app::config::Config;
use crate::app::environment;
use crate::app::error::Failure;
use crate::app::plan_source::PlanFile;
use crate::app::policy::budget;
use crate::app::policy::network;
use crate::app::policy::network::Wish;
use crate::app::policy::sandbox;
use crate::app::policy::sandbox::Decided;
use crate::app::session::briefing;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;

/// How to drive; flags win over the configuration.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Driving {
    /// Workers at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    parallel: Option<u16>,
    /// The agent of tasks that name none
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The model of every task, whatever its size; by the agent program's own name
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// eager: as soon as its own dependencies are merged; waves: with a barrier between waves
    #[arg(long, value_parser = words(Schedule::WORDS))]
    schedule: Option<String>,
    /// Run this task only
    #[arg(long, value_name = "ID", add = completion::tasks())]
    task: Option<String>,
    /// Ask before each task
    #[arg(long)]
    interactive: bool,
    /// What holds workers and checks: auto takes the strongest that is there, required refuses to run without
    #[arg(long, value_name = "LEVEL", value_parser = words(sandbox::WORDS))]
    sandbox: Option<String>,
    /// Let checks reach the network
    #[arg(long)]
    check_network: bool,
    /// Whom workers reach on the network: who is on their list, everybody, nobody. Without it, agents whose needs are known have a list
    #[arg(long, value_name = "WHOM", value_parser = words(network::WORDS))]
    agent_network: Option<String>,
    /// Never ask in this terminal: leave with exit code 4 where only a person can go on
    #[arg(long)]
    pub(super) no_input: bool,
    /// What becomes of attempts that were running when afresh was killed
    #[arg(long, value_parser = words(OnOrphan::WORDS))]
    on_orphan: Option<String>,
    /// Who answers a worker that needs a decision
    #[arg(long, value_parser = words(OnDecision::WORDS))]
    on_decision: Option<String>,
    /// What follows when a task's attempts are spent
    #[arg(long, value_parser = words(OnFailure::WORDS))]
    on_failure: Option<String>,
    /// Stop spending at this many dollars, in the whole run
    #[arg(long, value_name = "X", value_parser = parse_usd)]
    budget_usd: Option<u64>,
    /// Stop spending at this many tokens, in the whole run
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u64>,
    /// Give a task up at this many dollars, all its attempts together
    #[arg(long, value_name = "X", value_parser = parse_usd)]
    task_budget_usd: Option<u64>,
    /// Give a task up at this many tokens, all its attempts together
    #[arg(long, value_name = "N")]
    task_budget_tokens: Option<u64>,
    /// Variables of workers and checks that are not the user's.
    #[arg(skip)]
    variables: BTreeMap<String, String>,
    /// Hosts that workers reach besides.
    #[arg(skip)]
    hosts: Vec<Host>,
}

impl Driving {
    /// Which sandbox there will be.
    pub(super) fn sandbox(&self, asked: sandbox::Asked) -> Result<Decided, Failure> {
        sandbox::decide(asked, self.sandbox.as_deref(), self.check_network)
    }

    /// Whom workers will reach in it.
    pub(super) fn network(
        &self,
        asked: sandbox::Asked,
        level: &Level,
        file: &PlanFile,
        rules: &ExecutionConfig,
    ) -> Result<network::Decided, Failure> {
        let wish = Wish {
            said: self.agent_network.as_deref(),
            asked: asked.agent_network,
            more: &self.hosts,
            level,
            root: &file.root(),
        };
        network::decide(&wish, rules, &file.plan)
    }

    /// Everything as configured; without a person the first answer counts.
    pub(crate) fn for_demo(
        asks: bool,
        variables: BTreeMap<String, String>,
        hosts: Vec<Host>,
    ) -> Self {
        let on_decision = (!asks).then(|| OnDecision::First.word().to_owned());
        Self { no_input: !asks, on_decision, variables, hosts, ..Self::default() }
    }
}

fn words(words: &'static [&'static str]) -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(words)
}

/// Dollars as whole millionths.
fn parse_usd(text: &str) -> Result<u64, String> {
    let dollars = text.parse().ok().and_then(afresh_agents::stream::usage::micros);
    dollars.ok_or_else(|| "not an amount of dollars from 0 to 1000000".to_owned())
}

/// What the core decides by.
pub(super) fn settings(
    config: &Config,
    driving: &Driving,
    place: &RepoContext,
    file: &PlanFile,
) -> Result<Settings, Failure> {
    let mut settings = config.settings.clone();
    settings.source = file.path.to_string_lossy().into_owned();
    file.how.note(&mut settings);
    settings.pinned = pinned(config, place, file);
    if let Some(parallel) = driving.parallel {
        settings.parallel = parallel;
    }
    let word = |flag: &Option<String>| flag.clone().unwrap_or_default();
    settings.schedule = Schedule::from_word(&word(&driving.schedule)).unwrap_or(settings.schedule);
    settings.on_orphan =
        OnOrphan::from_word(&word(&driving.on_orphan)).unwrap_or(settings.on_orphan);
    settings.on_decision =
        OnDecision::from_word(&word(&driving.on_decision)).unwrap_or(settings.on_decision);
    settings.on_failure =
        OnFailure::from_word(&word(&driving.on_failure)).unwrap_or(settings.on_failure);
    settings.budget = budget::limited(driving.budget_usd, driving.budget_tokens, settings.budget);
    settings.task_budget =
        budget::limited(driving.task_budget_usd, driving.task_budget_tokens, settings.task_budget);
    settings.agent = agent_name(config, driving);
    settings.interactive = driving.interactive;
    if let Some(task) = &driving.task {
        let id = TaskId::new(task.as_str()).ok().filter(|id| file.plan.position(id).is_some());
        settings.only = Some(id.ok_or_else(|| {
            let near = afresh_core::plan::nearest(
                task,
                file.plan.tasks().iter().map(|task| task.id.as_str()),
            );
            let failure = Failure::usage("task", format!("the plan has no task {task:?}"));
            match near {
                Some(near) => failure.help(format!("did you mean {near:?}?")),
                None => failure,
            }
        })?);
    }
    Ok(settings)
}

/// The files inside the repository that the run rests on: its plan, scripts of its agents, and the
/// template of its prompts.
fn pinned(config: &Config, place: &RepoContext, file: &PlanFile) -> Vec<String> {
    let Some(root) = place.repository.root().and_then(|root| root.canonicalize().ok()) else {
        return Vec::new();
    };
    let scripts = config.agents.values().filter_map(|agent| match &agent.kind {
        AgentKind::Scripted { script } => Some(&script.path),
        AgentKind::Command { .. } | AgentKind::Program(_) | AgentKind::Acp(_) => None,
    });
    let plan = std::iter::once(&file.path).chain(&file.files).filter(|path| !path.is_dir());
    let template = root.join(briefing::TEMPLATE);
    plan.chain(scripts)
        .chain(std::iter::once(&template).filter(|template| template.is_file()))
        .filter_map(|path| path.strip_prefix(&root).ok())
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

/// How the world carries things out, and the agent definitions that the plan rests on.
pub(crate) fn rules(
    config: Config,
    driving: &Driving,
    file: &PlanFile,
    output: &Output,
) -> Result<(ExecutionConfig, Adopted), Failure> {
    let mut rules = configured(config, driving)?;
    let adopted = definitions::adopt(file, &file.root(), &mut rules, output)?;
    if let Some(model) = &driving.model {
        rules.agents.values_mut().for_each(|agent| give_model(agent, model));
    }
    Ok((rules, adopted))
}

/// The agent of tasks that name none.
fn agent_name(config: &Config, driving: &Driving) -> String {
    driving.agent.clone().unwrap_or_else(|| default_agent(config))
}

/// The same without flags.
pub(crate) fn default_agent(config: &Config) -> String {
    config.agent.clone().unwrap_or_else(|| "claude".to_owned())
}

fn configured(config: Config, driving: &Driving) -> Result<ExecutionConfig, Failure> {
    let exe = std::env::current_exe()
        .map_err(|error| Failure::new(Exit::Bug, "exe", error.to_string()))?;
    let agent = agent_name(&config, driving);
    let mut agents = with_built_in(config.agents);
    programs::resolve(&mut agents, &environment::path());
    Ok(ExecutionConfig {
        agent,
        agents,
        prices: Arc::new(config.prices),
        briefing: Arc::default(),
        attempt_timeout: Some(config.attempt_timeout),
        silence_timeout: Some(config.silence_timeout),
        output_bytes: config.output_bytes,
        check_timeout: config.check_timeout,
        checks_parallel: config.checks_parallel,
        check_env: config.check_env,
        setup: config.setup,
        keep: config.keep,
        containment: environment::containment().unwrap_or(afresh_process::Containment::Auto),
        bounds: afresh_process::Bounds::default(),
        quota: config.quota,
        sandbox: SandboxConfig::off(),
        environment: environment::all().into_iter().chain(driving.variables.clone()).collect(),
        exe,
    })
}

/// The agents that need no configuration, besides those that have one.
pub(crate) fn with_built_in(mut agents: BTreeMap<String, Agent>) -> BTreeMap<String, Agent> {
    for program in AgentProgram::ALL {
        let name = program.word().to_owned();
        let kind = AgentKind::Program(program.agent());
        agents.entry(name.clone()).or_insert(Agent { name, kind, env: Vec::new() });
    }
    agents
}

/// One model for tasks of every size.
fn give_model(agent: &mut Agent, model: &str) {
    match &mut agent.kind {
        AgentKind::Program(program) => program.models = ModelNames::all(model),
        AgentKind::Acp(acp) => acp.models = Some(ModelNames::all(model)),
        AgentKind::Command { .. } | AgentKind::Scripted { .. } => {}
    }
}
