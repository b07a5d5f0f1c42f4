//! The hosts that workers may reach: from the user's options, the project's configuration, and the needs
//! of agents.
//!
//! A project can only ask for less. The user adds hosts with `AFRESH_SANDBOX_HOSTS`.

mod needs;
mod registries;

use afresh_core::plan::Plan;
use afresh_engine::execution_config::{AgentNetwork, WorkerConfig};
use afresh_proxy::{HostPattern, UpstreamError, UpstreamProxy};
use afresh_sandbox::SandboxLevel;
use needs::AgentHosts;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::context::environment::Environment;
use crate::error::AppError;
use crate::text::count;

/// The values of `--agent-network` and `AFRESH_AGENT_NETWORK`.
pub const WORDS: &[&str] = &["listed", "open", "off"];

/// Network access of workers, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NetworkMode {
    Open,
    /// An allowlist for agents whose needs are known; others are open.
    Known,
    Listed,
    Off,
}

impl NetworkMode {
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "open" => Some(Self::Open),
            "listed" => Some(Self::Listed),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}

/// What the decision is based on.
#[derive(Debug)]
pub struct NetworkRequest<'a> {
    /// The value of `--agent-network`.
    pub option: Option<&'a str>,
    /// The project's configuration; can only restrict.
    pub config: Option<NetworkMode>,
    /// Hosts that afresh adds.
    pub more_hosts: &'a [HostPattern],
    pub level: &'a SandboxLevel,
    /// The root of the repository.
    pub root: &'a Path,
    pub environment: &'a Environment,
}

/// The network of each agent, and notices for the user.
#[derive(Debug, Default)]
pub struct ChosenNetwork {
    pub agents: BTreeMap<String, AgentNetwork>,
    pub upstream: UpstreamProxy,
    /// For status and reports; empty without a sandbox.
    pub summary: String,
    pub notices: Vec<String>,
}

impl ChosenNetwork {
    /// Agents whose workers reach only the hosts of an allowlist.
    pub fn listed_agents(&self) -> BTreeSet<String> {
        let listed = self.agents.iter().filter(|(_, it)| matches!(it, AgentNetwork::Listed(_)));
        listed.map(|(name, _)| name.clone()).collect()
    }
}

pub fn choose(
    request: &NetworkRequest<'_>,
    workers: &WorkerConfig,
    plan: &Plan,
) -> Result<ChosenNetwork, AppError> {
    let opened = opened(request.environment)?;
    let mode = mode(request, !opened.is_empty())?;
    if request.level.is_off() {
        return Ok(ChosenNetwork::default());
    }
    let (mode, upstream, mut notices) = match UpstreamProxy::from_variables(&workers.environment) {
        Ok(upstream) => (mode, upstream, Vec::new()),
        Err(problem) if mode == NetworkMode::Known => {
            (NetworkMode::Open, UpstreamProxy::default(), vec![cannot_be_listed(&problem)])
        }
        Err(problem) => return Err(other_kind(&problem)),
    };
    let more: Vec<HostPattern> = opened
        .into_iter()
        .chain(request.more_hosts.iter().cloned())
        .chain(registries::registry_hosts(request.root).filter_map(|host| host.parse().ok()))
        .collect();
    let has_own_loopback = matches!(request.level, SandboxLevel::Bubblewrap { .. });
    let used = used(workers, plan);
    let mut agents = BTreeMap::new();
    for (name, agent) in &workers.agents {
        let network = match (mode, needs::find(agent, workers)) {
            (NetworkMode::Open, _) | (NetworkMode::Known, None) => AgentNetwork::Open,
            (NetworkMode::Known, Some(AgentHosts { own_port: true, .. })) if !has_own_loopback => {
                AgentNetwork::Open
            }
            (NetworkMode::Off, _) => AgentNetwork::Off,
            (NetworkMode::Known | NetworkMode::Listed, known) => {
                let AgentHosts { hosts, told, .. } = known.unwrap_or_default();
                if used.contains(name.as_str()) {
                    notices.extend(told);
                }
                AgentNetwork::Listed(hosts.into_iter().chain(more.iter().cloned()).collect())
            }
        };
        if used.contains(name.as_str()) {
            notices.extend(needs::wishes_of_project(agent, &network));
        }
        agents.insert(name.clone(), network);
    }
    let summary = summarize(&agents, &used, request.level);
    Ok(ChosenNetwork { agents, upstream, summary, notices })
}

/// The network access without a plan, for `afresh doctor`.
pub fn outlook(level: &SandboxLevel, environment: &Environment) -> Result<String, AppError> {
    let opened = opened(environment)?;
    let root = Path::new("");
    let request =
        NetworkRequest { option: None, config: None, more_hosts: &[], level, root, environment };
    let besides = match opened.len() {
        0 => String::new(),
        _ => format!(", and {} of AFRESH_SANDBOX_HOSTS", opened.len()),
    };
    Ok(match mode(&request, !opened.is_empty())? {
        _ if level.is_off() => "open: there is no sandbox".to_owned(),
        NetworkMode::Open => "open".to_owned(),
        NetworkMode::Off => "off".to_owned(),
        _ if UpstreamProxy::from_variables(&environment.all()).is_err() => {
            "open: the proxy in your environment is not an http:// proxy".to_owned()
        }
        _ if !level.limits_ports() => "allowlist, but this kernel cannot enforce it".to_owned(),
        NetworkMode::Known => {
            "allowlist: model, login, package registries; open for unknown programs".to_owned()
        }
        NetworkMode::Listed => format!("allowlist: model, login, package registries{besides}"),
    })
}

/// The hosts that the user added.
fn opened(environment: &Environment) -> Result<Vec<HostPattern>, AppError> {
    let value = environment.sandbox_hosts().unwrap_or_default();
    let parts = value.split([',', ' ']).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            part.parse().map_err(|error: afresh_proxy::HostPatternError| {
                AppError::usage("sandbox", "AFRESH_SANDBOX_HOSTS cannot be read")
                    .cause(error.to_string())
                    .hint(
                        "example: AFRESH_SANDBOX_HOSTS=crates.io,registry.npmjs.org:443,*.example.com",
                    )
            })
        })
        .collect()
}

/// The more restrictive of the user's option and the project's configuration.
fn mode(request: &NetworkRequest<'_>, has_list: bool) -> Result<NetworkMode, AppError> {
    let said = request.option.or_else(|| request.environment.agent_network());
    let said =
        said.map(|word| NetworkMode::from_word(word).ok_or(word)).transpose().map_err(|word| {
            AppError::usage(
                "sandbox",
                format!("AFRESH_AGENT_NETWORK has the unknown value {word:?}"),
            )
            .hint(format!("one of: {}", WORDS.join(", ")))
        })?;
    if matches!(said, Some(NetworkMode::Listed | NetworkMode::Off)) && request.level.is_off() {
        let message = "agent network access cannot be restricted without a sandbox";
        return Err(AppError::usage("sandbox", message)
            .hint("remove `--agent-network`, or use a sandbox (see `afresh doctor`)"));
    }
    let usual = if has_list { NetworkMode::Listed } else { NetworkMode::Known };
    Ok(said.unwrap_or(usual).max(request.config.unwrap_or(NetworkMode::Open)))
}

fn cannot_be_listed(problem: &UpstreamError) -> String {
    format!("note: agent network access is open: {problem}")
}

fn other_kind(problem: &UpstreamError) -> AppError {
    AppError::usage("sandbox", problem.to_string())
        .hint("remove `--agent-network listed`, or use a proxy such as http://host:port")
}

/// Agents of this plan's tasks.
fn used<'a>(workers: &'a WorkerConfig, plan: &'a Plan) -> BTreeSet<&'a str> {
    workers.agents_of(plan)
}

/// `allowlist (9 hosts)`, or each agent's by name where they differ.
fn summarize(
    agents: &BTreeMap<String, AgentNetwork>,
    used: &BTreeSet<&str>,
    level: &SandboxLevel,
) -> String {
    let word = |network: &AgentNetwork| match network {
        AgentNetwork::Open => "open".to_owned(),
        AgentNetwork::Off => "off".to_owned(),
        AgentNetwork::Listed(hosts) if level.limits_ports() => {
            format!("allowlist ({})", count(hosts.len(), "host"))
        }
        AgentNetwork::Listed(hosts) => {
            format!("allowlist ({}), not enforced by this kernel", count(hosts.len(), "host"))
        }
    };
    let by_name: Vec<(&str, String)> = used
        .iter()
        .filter_map(|name| agents.get(*name).map(|network| (*name, word(network))))
        .collect();
    let words: BTreeSet<&String> = by_name.iter().map(|(_, words)| words).collect();
    if let (1, Some((_, words))) = (words.len(), by_name.first()) {
        return words.clone();
    }
    let each: Vec<String> = by_name.iter().map(|(name, words)| format!("{name} {words}")).collect();
    each.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        option: Option<&str>,
        config: Option<NetworkMode>,
        level: &SandboxLevel,
        has_list: bool,
    ) -> Option<NetworkMode> {
        let environment = &Environment::default();
        let request = NetworkRequest {
            option,
            config,
            more_hosts: &[],
            level,
            root: Path::new(""),
            environment,
        };
        mode(&request, has_list).ok()
    }

    /// B22: the more restrictive of user and project counts; what cannot be enforced is refused.
    #[test]
    fn the_tighter_request_counts() {
        let level = SandboxLevel::Landlock { abi: 6 };
        assert_eq!(of(None, None, &level, false), Some(NetworkMode::Known));
        assert_eq!(of(None, None, &level, true), Some(NetworkMode::Listed));
        assert_eq!(of(Some("open"), None, &level, true), Some(NetworkMode::Open));
        assert_eq!(of(Some("open"), Some(NetworkMode::Off), &level, false), Some(NetworkMode::Off));
        assert_eq!(
            of(Some("off"), Some(NetworkMode::Listed), &level, false),
            Some(NetworkMode::Off)
        );
        assert_eq!(of(Some("listed"), None, &SandboxLevel::Off, false), None);
        assert_eq!(of(None, None, &SandboxLevel::Off, false), Some(NetworkMode::Known));
    }

    #[test]
    fn agents_that_differ_are_named() {
        let agents = BTreeMap::from([
            (
                "claude".to_owned(),
                AgentNetwork::Listed(["a.test".parse().expect("one")].into_iter().collect()),
            ),
            ("mine".to_owned(), AgentNetwork::Open),
        ]);
        let level = SandboxLevel::Landlock { abi: 6 };
        let both = summarize(&agents, &BTreeSet::from(["claude", "mine"]), &level);
        assert_eq!(both, "claude allowlist (1 host), mine open");
        assert_eq!(summarize(&agents, &BTreeSet::from(["mine"]), &level), "open");
        let old =
            summarize(&agents, &BTreeSet::from(["claude"]), &SandboxLevel::Landlock { abi: 3 });
        assert_eq!(old, "allowlist (1 host), not enforced by this kernel");
    }
}
