//! The hosts that agents need, by the user's settings; and hosts that only a project names.

use afresh_agents::adapters::network::base_urls;
use afresh_agents::{Agent, AgentKind};
use afresh_engine::execution_config::{AgentNetwork, WorkerConfig};
use afresh_proxy::{HostAllowlist, HostPattern};
use std::fs;
use std::io::Read;
use std::path::Path;

/// How much of a settings file is read.
const MOST_SETTINGS_BYTES: u64 = 1024 * 1024;

/// The hosts that an agent needs, and notices about them.
#[derive(Debug, Default)]
pub(super) struct AgentHosts {
    pub(super) hosts: Vec<HostPattern>,
    pub(super) told: Vec<String>,
    /// See [`afresh_agents::NetworkNeeds`].
    pub(super) own_port: bool,
}

/// None where they are unknown.
pub(super) fn find(agent: &Agent, workers: &WorkerConfig) -> Option<AgentHosts> {
    let variables = workers.variables(&agent.variables());
    let variable = |name: &str| variables.get(name).cloned();
    let home = variable("HOME");
    let reach = agent.network_needs(home.as_deref().map(Path::new), &variable)?;
    let mut hosts: Vec<HostPattern> =
        reach.hosts.iter().filter_map(|host| host.parse().ok()).collect();
    hosts.extend(reach.urls.iter().filter_map(|url| HostPattern::from_url(url)));
    let mut told = Vec::new();
    for file in &reach.files {
        for host in base_urls(&start_of(file)).iter().filter_map(|url| HostPattern::from_url(url)) {
            // A worker can write this file, so the user should know.
            if !hosts.contains(&host) {
                let (name, file) = (&agent.name, file.display());
                told.push(format!(
                    "note: workers of {name} may reach {host}, which is set in {file}"
                ));
                hosts.push(host);
            }
        }
    }
    Some(AgentHosts { hosts, told, own_port: reach.own_port })
}

/// A worker may have put something else there, even a pipe.
fn start_of(file: &Path) -> String {
    let mut text = String::new();
    if !file.metadata().is_ok_and(|found| found.is_file()) {
        return text;
    }
    let read = fs::File::open(file)
        .and_then(|file| file.take(MOST_SETTINGS_BYTES).read_to_string(&mut text));
    read.map_or_else(|_| String::new(), |_| text)
}

/// Hosts that the project's configuration names and that are not on the allowlist.
pub(super) fn wishes_of_project(agent: &Agent, network: &AgentNetwork) -> Vec<String> {
    let AgentNetwork::Listed(hosts) = network else { return Vec::new() };
    let given: &[String] = match &agent.kind {
        AgentKind::Program(program) => &program.args,
        AgentKind::Acp(acp) => &acp.command,
        AgentKind::Command { .. } | AgentKind::Scripted { .. } => &[],
    };
    let urls = given.iter().flat_map(|argument| base_urls(argument));
    let closed =
        urls.filter_map(|url| HostPattern::from_url(&url)).filter(|host| !holds(hosts, host));
    let name = &agent.name;
    closed
        .map(|host| {
            format!(
                "warning: the configuration lets {name} use {host}, which a project cannot allow\n  \
                 hint: set AFRESH_SANDBOX_HOSTS={host} to allow it"
            )
        })
        .collect()
}

fn holds(hosts: &HostAllowlist, host: &HostPattern) -> bool {
    hosts.iter().any(|known| known == host)
}

#[cfg(test)]
mod tests {
    use afresh_agents::AgentProgram;

    use super::*;

    /// R5: no host of a program's list is dropped because it cannot be read.
    #[test]
    fn every_host_of_every_program_is_one() {
        for program in AgentProgram::ALL {
            let kind = AgentKind::Program(program.default_agent());
            let agent = Agent { name: program.name().to_owned(), kind, env: Vec::new() };
            let reach =
                agent.network_needs(None, &|_| Some("eu-west-1".to_owned())).expect("it is known");
            assert!(reach.hosts.len() >= 3, "{reach:?}");
            for host in &reach.hosts {
                assert!(host.parse::<HostPattern>().is_ok(), "{host}");
            }
        }
    }
}
