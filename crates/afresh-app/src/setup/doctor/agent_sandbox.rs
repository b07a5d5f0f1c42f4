//! Agents inside the sandbox of a worker: a program may start outside, and not there.

use std::collections::BTreeMap;

use afresh_agents::Agent;
use afresh_agents::adapters::versions;
use afresh_core::time::render_span;
use afresh_engine::{ProbeSandbox, RepoContext};
use afresh_process::ProcessEnd;

use crate::agents::probe;
use crate::agents::programs;
use crate::agents::programs::inspect::{self, AgentInspection};
use crate::config::policy::network::ChosenNetwork;
use crate::config::policy::sandbox::{self, SandboxRequest};
use crate::context::environment::Environment;
use crate::session::RunOptions;
use crate::setup::doctor::DoctorLine;
use crate::setup::doctor::agents::AgentProbes;

/// The sandbox of a worker here; none where runs have none.
pub(super) fn find(place: Option<&RepoContext>, environment: &Environment) -> Option<ProbeSandbox> {
    let chosen =
        sandbox::choose(SandboxRequest::default(), &RunOptions::default(), environment).ok()?;
    if chosen.level.is_off() {
        return None;
    }
    let mut hidden: Vec<_> = environment.cache_directory().into_iter().collect();
    if let Some(place) = place {
        hidden.extend([place.layout.state.clone(), place.layout.cache.clone()]);
        hidden.extend(place.git.root().map(std::path::Path::to_owned));
        hidden.push(place.git.common_dir().to_owned());
    }
    hidden.retain(|path| path.parent().is_some());
    Some(ProbeSandbox {
        config: chosen.with_network(ChosenNetwork::default(), environment),
        exe: environment.executable.clone(),
        hidden,
        environment: environment.all(),
    })
}

impl AgentProbes<'_> {
    /// The sandbox in which an agent starts, or a line that says that it does not. None where that cannot be tried.
    pub(super) fn check_inside(
        &self,
        agent: &Agent,
        look: &AgentInspection,
        environment: &Environment,
    ) -> Option<Result<String, DoctorLine>> {
        let (trial, sandbox) = (self.trial.ok()?, self.sandbox?);
        if look.trouble.is_some() || look.path.is_none() {
            return None;
        }
        let mut agents = BTreeMap::from([(agent.name.clone(), agent.clone())]);
        programs::resolve(&mut agents, environment);
        let agent = agents.remove(&agent.name)?;
        let argv = version_command(agent.command()?)?;
        let pin = versions::find_pin(argv.get(argv.len().checked_sub(2)?)?);
        let limit =
            if pin.is_some_and(inspect::is_known) { inspect::KNOWN_LIMIT } else { probe::LIMIT };
        let level = sandbox.config.level.describe();
        let why = match trial.run_inside(&argv, &agent, sandbox, limit) {
            Err(why) => why,
            Ok(tried) => match &tried.report.ended {
                Ok(ProcessEnd::Exited(0)) => return Some(Ok(level)),
                // Its `--version` did not work outside either.
                Ok(_) if look.said.is_empty() && !tried.said.starts_with("afresh: ") => {
                    return None;
                }
                Ok(ProcessEnd::Exited(code)) => format!("exit code {code}: {}", tried.said),
                Ok(ProcessEnd::TimedOut) => {
                    format!("`{}` did not end within {}", argv.join(" "), render_span(limit))
                }
                Ok(ended) => format!("`{}`: {}", argv.join(" "), ended.describe()),
                Err(failure) => failure.message.clone(),
            },
        };
        let text = format!("{} does not start in the sandbox ({level}): {why}", agent.name);
        let hint = "name the directories of its program in AFRESH_SANDBOX_READ; docs/sandbox.md lists what \
                    workers can read";
        Some(Err(DoctorLine::fail(&format!("agent {} in the sandbox", agent.name), text, hint)))
    }
}

/// The program of a command line, with an argument that does no work. None for a program of the repository, which
/// needs a workspace.
fn version_command(command: &[String]) -> Option<Vec<String>> {
    let program = inspect::real_program(command);
    let at = command.iter().position(|word| word == program)?;
    let relative = program.contains('/') && !program.starts_with('/');
    let words = command[..=at].iter().cloned().chain(["--version".to_owned()]);
    (!relative).then(|| words.collect())
}
