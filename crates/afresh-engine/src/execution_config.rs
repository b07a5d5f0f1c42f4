//! How the executor carries out effects. No decision depends on these values, so they are not in the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use afresh_agents::agent::COMMON_VARIABLES;
use afresh_agents::bundle::surroundings::WorkerSurroundings;
use afresh_agents::{Agent, Briefing, PriceTable};
use afresh_core::estimate::DEFAULT_WINDOW;
use afresh_core::hook::HookPoint;
use afresh_core::plan::{ModelTier, Plan, Task};
use afresh_process::{Containment, TreeLimits};
use afresh_proxy::{HostAllowlist, UpstreamProxy};
use afresh_sandbox::{ProcessRlimits as SandboxLimits, SandboxLevel};
use afresh_secrets::is_secret_variable;

#[derive(Debug, Clone)]
pub struct ExecutionConfig {
    pub workers: WorkerConfig,
    pub attempt_timeout: Option<Duration>,
    pub silence_timeout: Option<Duration>,
    /// How many bytes of an attempt's output are kept, per stream.
    pub output_bytes: u64,
    pub check_timeout: Duration,
    pub checks_parallel: u16,
    /// The time limit of all checks before the work together.
    pub probe_limit: Duration,
    /// Where results of checks before the work are kept between runs; none: nowhere.
    pub probe_cache: Option<PathBuf>,
    /// Commands that run once in a new workspace, and again when a manifest changes.
    pub setup: Vec<String>,
    /// Ignored paths that stay warm between attempts.
    pub keep: Vec<String>,
    pub containment: Containment,
    /// Resource limits for each job and all processes that it starts.
    pub bounds: TreeLimits,
    /// The size limit of a workspace with its temporary files, in bytes.
    pub quota: Option<u64>,
    pub sandbox: SandboxConfig,
    pub hooks: HookConfig,
    /// Our own program, for supervisors and for the workers' PATH.
    pub exe: PathBuf,
}

/// Which agents do the work, what they are given, and what they may see. This is enough to make bundles.
#[derive(Debug, Clone)]
pub struct WorkerConfig {
    pub agents: BTreeMap<String, Agent>,
    /// The default agent.
    pub default_agent: String,
    /// The agent that reviews; none if nothing is reviewed.
    pub reviewer: Option<String>,
    /// What models cost, and how large their context windows are.
    pub prices: Arc<PriceTable>,
    /// What every prompt of the run contains.
    pub briefing: Arc<Briefing>,
    /// Variables that checks may see in addition to the common ones.
    pub check_env: Vec<String>,
    /// Our own environment; workers and checks see only allowed variables.
    pub environment: BTreeMap<String, String>,
    /// What workers have around them, for their prompts.
    pub surroundings: WorkerSurroundings,
}

/// The user's commands before and after steps of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookConfig {
    pub commands: BTreeMap<HookPoint, Vec<String>>,
    /// The time limit of each.
    pub limit: Duration,
}

impl Default for HookConfig {
    fn default() -> Self {
        Self { commands: BTreeMap::new(), limit: Duration::from_secs(30) }
    }
}

/// How workers and checks are sandboxed.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    pub level: SandboxLevel,
    /// Whether checks have network access.
    pub check_network: bool,
    /// The workers' network access, by the name of their agent.
    pub agents: BTreeMap<String, AgentNetwork>,
    /// The user's own proxy.
    pub upstream: UpstreamProxy,
    /// Additional paths that the user allowed.
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// Additional paths that no job may see.
    pub hidden: Vec<PathBuf>,
    /// Whether file-system sockets may be used if the sandbox cannot hide those of services.
    pub sockets: bool,
    pub limits: SandboxLimits,
}

/// The network access of an agent's workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentNetwork {
    /// Any host.
    Open,
    Listed(HostAllowlist),
    Off,
}

impl SandboxConfig {
    /// An agent without a setting may reach any host.
    pub(crate) fn network_of(&self, agent: &str) -> AgentNetwork {
        self.agents.get(agent).cloned().unwrap_or(AgentNetwork::Open)
    }

    /// No sandbox.
    pub fn off() -> Self {
        Self {
            level: SandboxLevel::Off,
            check_network: true,
            agents: BTreeMap::new(),
            upstream: UpstreamProxy::default(),
            readable: Vec::new(),
            writable: Vec::new(),
            hidden: Vec::new(),
            sockets: true,
            limits: SandboxLimits::default(),
        }
    }
}

impl WorkerConfig {
    /// The agents that a run of this plan starts, by name.
    pub fn agents_of<'a>(&'a self, plan: &'a Plan) -> BTreeSet<&'a str> {
        let tasks = plan.tasks().iter();
        let named = tasks.flat_map(Task::agents);
        let workers = named.map(|agent| agent.unwrap_or(&self.default_agent));
        workers.chain(self.reviewer.as_deref()).collect()
    }

    /// The agent that runs a task.
    pub fn agent_for(&self, wanted: Option<&str>) -> Option<&Agent> {
        self.agents.get(wanted.unwrap_or(&self.default_agent))
    }

    /// The context size of that worker's model, in tokens.
    pub fn window(&self, agent: Option<&str>, tier: ModelTier) -> u64 {
        let model = self.agent_for(agent).and_then(|agent| agent.model(tier));
        model.map_or(DEFAULT_WINDOW, |model| self.prices.window(model))
    }

    /// The secret values that agents and checks are given: they must not appear in any output.
    pub fn secrets(&self) -> Vec<String> {
        let names = self.agents.values().flat_map(Agent::variables).chain(self.check_env.clone());
        let names: BTreeSet<String> = names.filter(|name| is_secret_variable(name)).collect();
        names.iter().filter_map(|name| self.environment.get(name).cloned()).collect()
    }

    /// The common variables and the named ones, if they are set.
    pub fn variables(&self, more: &[String]) -> BTreeMap<String, String> {
        let named = COMMON_VARIABLES.iter().copied().chain(more.iter().map(String::as_str));
        named
            .filter_map(|name| {
                self.environment.get(name).map(|value| (name.to_owned(), value.clone()))
            })
            .collect()
    }
}
