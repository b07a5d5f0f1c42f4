//! Configured agents and other installed ones: each is really started, with an argument that does no work.

use std::collections::BTreeMap;

use afresh_agents::Agent;
use afresh_engine::{ProbeSandbox, RepoContext};

use crate::agents::agent_files::{self, MissingFile};
use crate::agents::assignment::with_built_in;
use crate::agents::probe::ProbeRunner;
use crate::agents::programs;
use crate::agents::programs::inspect::{self, AgentInspection};
use crate::agents::programs::version::VersionAge;
use crate::config::Config;
use crate::context::environment::Environment;
use crate::session::RunOptions;
use crate::session::start::options::default_agent;
use crate::setup::doctor::{DoctorLine, LineSink, UnsandboxedChecks};

/// Where agents are started: outside of a sandbox, and inside, if there is one.
#[derive(Debug)]
pub(super) struct AgentProbes<'a> {
    pub(super) trial: Result<&'a ProbeRunner, &'a String>,
    pub(super) sandbox: Option<&'a ProbeSandbox>,
    /// Workers get only what is committed in it.
    pub(super) repository: Option<&'a RepoContext>,
    pub(super) unsandboxed: UnsandboxedChecks,
}

pub(super) fn check_agents(
    config: &Config,
    environment: &Environment,
    probes: &AgentProbes<'_>,
    sink: &mut LineSink<'_>,
) {
    let others = others(config, environment);
    let is_named = |agent: &Agent| {
        config.agents.contains_key(&agent.name) || config.agent.as_ref() == Some(&agent.name)
    };
    // Without a configuration, tasks go to the default agent.
    let is_default = |agent: &Agent| {
        config.agents.is_empty() && default_agent(config, &RunOptions::default()) == agent.name
    };
    let need = |agent: &Agent| {
        let is_needed = is_named(agent) || is_default(agent);
        if is_needed { AgentNeed::Configured } else { AgentNeed::Installed }
    };
    // All at the same time: some take seconds to print their version.
    std::thread::scope(|scope| {
        let check = |agent| {
            let need = need(agent);
            scope.spawn(move || probes.check_agent(config, agent, need, environment))
        };
        let checks: Vec<_> = config.agents.values().chain(&others).map(check).collect();
        for check in checks {
            sink.extend(check.join().unwrap_or_default());
        }
    });
}

impl AgentProbes<'_> {
    fn check_agent(
        &self,
        config: &Config,
        agent: &Agent,
        need: AgentNeed,
        environment: &Environment,
    ) -> Vec<DoctorLine> {
        let look = inspect::at(agent, &config.home, environment, self.trial);
        let mut own = lines(agent, need, &look);
        if look.trouble.is_none()
            && let Some(line) = self.check_files(config, agent)
        {
            return vec![line];
        }
        match self.check_inside(agent, &look, environment) {
            // It was started outside, so the one line about it says both.
            Some(Ok(place)) => own[0].text = format!("{}; starts in {place}", own[0].text),
            Some(Err(line)) => own.push(line),
            None => {}
        }
        own
    }

    /// A file of the repository that its command needs, and that workers would not get.
    fn check_files(&self, config: &Config, agent: &Agent) -> Option<DoctorLine> {
        let name = format!("agent {}", agent.name);
        let commit = self.repository?.git.head().ok().flatten()?;
        match agent_files::find_missing(self.repository?, agent, &commit).ok()?? {
            MissingFile::Uncommitted(path) => Some(DoctorLine::fail(
                &name,
                format!("it runs {path:?}, which is not committed"),
                "commit it: workers get only what is committed",
            )),
            // The set-up commands may create it.
            MissingFile::Absent(_) if !config.setup.is_empty() => None,
            MissingFile::Absent(path) => Some(DoctorLine::fail(
                &name,
                format!("it runs {path:?}, which does not exist in the repository"),
                format!("create and commit it, or change `command` under [agents.{}]", agent.name),
            )),
        }
    }
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
