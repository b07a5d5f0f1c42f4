//! Configured agents and other installed ones: each is really started, with an argument that does no work.

use std::collections::BTreeMap;

use afresh_agents::Agent;
use afresh_engine::ProbeSandbox;

use crate::agents::assignment::with_built_in;
use crate::agents::probe::ProbeRunner;
use crate::agents::programs;
use crate::agents::programs::inspect::{self, AgentInspection};
use crate::agents::programs::version::VersionAge;
use crate::config::Config;
use crate::context::environment::Environment;
use crate::doctor::DoctorLine;

/// Where agents are started: outside of a sandbox, and inside, if there is one.
#[derive(Debug)]
pub(super) struct AgentProbes<'a> {
    pub(super) trial: Result<&'a ProbeRunner, &'a String>,
    pub(super) sandbox: Option<&'a ProbeSandbox>,
}

pub(super) fn check_agents(
    config: &Config,
    environment: &Environment,
    probes: &AgentProbes<'_>,
) -> Vec<DoctorLine> {
    let others = others(config, environment);
    let agents = config.agents.values().chain(&others);
    let looks = inspect::at_all(agents, &config.home, environment, probes.trial);
    let is_named = |agent: &Agent| {
        config.agents.contains_key(&agent.name) || config.agent.as_ref() == Some(&agent.name)
    };
    let need = |agent| if is_named(agent) { AgentNeed::Configured } else { AgentNeed::Installed };
    let inside = probes.check_inside(&looks, environment);
    let mut all = Vec::new();
    for ((agent, look), inside) in looks.iter().zip(inside) {
        let mut own = lines(agent, need(agent), look);
        match inside {
            // It was started outside, so the one line about it says both.
            Some(Ok(place)) => own[0].text = format!("{}; starts in {place}", own[0].text),
            Some(Err(line)) => own.push(line),
            None => {}
        }
        all.extend(own);
    }
    all
}

/// Why an agent is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgentNeed {
    Configured,
    /// It is installed but not configured.
    Installed,
}

/// Built-in agents without a table in the configuration: the default one, and installed ones.
fn others(config: &Config, environment: &Environment) -> Vec<Agent> {
    let known = with_built_in(BTreeMap::new()).into_values();
    let is_here = |agent: &Agent| {
        agent.program().is_some_and(|program| programs::find(program, environment).is_ok())
    };
    known
        .filter(|agent| !config.agents.contains_key(&agent.name))
        .filter(|agent| config.agent.as_ref() == Some(&agent.name) || is_here(agent))
        .collect()
}

fn lines(agent: &Agent, need: AgentNeed, look: &AgentInspection) -> Vec<DoctorLine> {
    let name = format!("agent {}", agent.name);
    let mut lines = vec![match &look.trouble {
        Some(trouble) if trouble.is_certain && need == AgentNeed::Configured => {
            DoctorLine::fail(&name, &trouble.text, &trouble.hint)
        }
        Some(trouble) => DoctorLine::warn(&name, &trouble.text, &trouble.hint),
        None => started(&name, need, look),
    }];
    let wants_login = need == AgentNeed::Configured && look.trouble.is_none();
    if let Some(hint) = look.login.as_ref().filter(|_| wants_login) {
        let text = format!("{} seems to have neither a key nor a login", agent.name);
        lines.push(DoctorLine::warn(&format!("login {}", agent.name), text, hint));
    }
    lines
}

fn started(name: &str, need: AgentNeed, look: &AgentInspection) -> DoctorLine {
    let Some(path) = &look.path else { return DoctorLine::ok(name, "built in") };
    let path = path.display();
    let besides = match need {
        AgentNeed::Configured => "",
        AgentNeed::Installed => " (not in the configuration)",
    };
    let text = match look.said.as_str() {
        "" => format!("{path} starts{besides}"),
        said => format!("{path}: {said}{besides}"),
    };
    match look.beside_tested() {
        Some((VersionAge::Older, note)) => {
            let package = look.tested.map(|pin| format!("{}@{}", pin.package, pin.version));
            let hint = format!("update it: npm install -g {}", package.unwrap_or_default());
            DoctorLine::warn(name, format!("{text}; {note}"), hint)
        }
        Some((VersionAge::Newer, note)) => DoctorLine::ok(name, format!("{text}; {note}")),
        None => DoctorLine::ok(name, text),
    }
}
