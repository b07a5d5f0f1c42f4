//! Inspecting an agent: its program is really started, with an argument that does no work.

use afresh_agents::adapters::versions::{self, PinnedProgram};
use afresh_agents::agent::COMMON_VARIABLES;
use afresh_agents::{Agent, AgentKind};
use afresh_core::time::render_span;
use afresh_process::ProcessEnd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::agents::probe::{self, ProbeRunner};
use crate::agents::programs::version::{ProgramVersion, VersionAge};
use crate::agents::programs::{find, login, remedy};
use crate::agents::which;
use crate::context::environment::Environment;

/// Known programs answer `--version`, but some are slow.
pub(crate) const KNOWN_LIMIT: Duration = Duration::from_secs(20);

/// The result of an inspection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentInspection {
    /// The path of its program; none where it is built in, or missing.
    pub path: Option<PathBuf>,
    /// The first line that it printed.
    pub said: String,
    pub version: Option<ProgramVersion>,
    /// The version that afresh is tested with.
    pub tested: Option<&'static PinnedProgram>,
    pub trouble: Option<AgentProblem>,
    /// A hint where it seems to have neither key nor login.
    pub login: Option<String>,
}

/// Why an agent cannot be used, or perhaps not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProblem {
    pub text: String,
    pub hint: String,
    /// Certainly not; otherwise only its `--version` failed, which not every program has.
    pub is_certain: bool,
}

/// Inspects several at the same time: some take seconds to print their version.
pub fn at_all<'a>(
    agents: impl IntoIterator<Item = &'a Agent>,
    home: &Path,
    environment: &Environment,
    trial: Result<&ProbeRunner, &String>,
) -> Vec<(&'a Agent, AgentInspection)> {
    std::thread::scope(|scope| {
        let look = |agent| (agent, scope.spawn(move || at(agent, home, environment, trial)));
        let looks: Vec<_> = agents.into_iter().map(look).collect();
        looks.into_iter().filter_map(|(agent, look)| Some((agent, look.join().ok()?))).collect()
    })
}

/// Inspects one. `home` is the directory that relative programs are searched in.
pub(crate) fn at(
    agent: &Agent,
    home: &Path,
    environment: &Environment,
    trial: Result<&ProbeRunner, &String>,
) -> AgentInspection {
    let Some(command) = agent.command() else { return AgentInspection::default() };
    let program = real_program(command);
    let pin = versions::find_pin(program);
    let seen = AgentInspection { tested: pin, ..AgentInspection::default() };
    let trouble = |text: String, is_certain: bool| {
        Some(AgentProblem { text, hint: remedy(&agent.name, program), is_certain })
    };
    // A relative path is searched in the workspace.
    let relative = program.contains('/') && !program.starts_with('/');
    let place = if relative {
        home.join(program).to_string_lossy().into_owned()
    } else {
        program.to_owned()
    };
    let found = match find(&place, environment) {
        Ok(found) => found,
        Err(why) => {
            return AgentInspection { trouble: trouble(format!("{program} {why}"), true), ..seen };
        }
    };
    let argv = [found.to_string_lossy().into_owned(), "--version".to_owned()];
    // Other programs may not have this argument.
    let must_answer = pin.is_some_and(is_known);
    let limit = if must_answer { KNOWN_LIMIT } else { probe::LIMIT };
    let tried = trial.map_err(Clone::clone);
    let tried = match tried.and_then(|trial| trial.run(&argv, &agent.variables(), limit)) {
        Ok(tried) => tried,
        Err(why) => {
            return AgentInspection { trouble: trouble(why, true), path: Some(found), ..seen };
        }
    };
    let shown = format!("{} --version", found.display());
    let why = match &tried.report.ended {
        Err(failure) => trouble(failure.message.clone(), true),
        Ok(ProcessEnd::TimedOut | ProcessEnd::WentSilent) => {
            trouble(format!("{shown} did not end within {}", render_span(limit)), must_answer)
        }
        Ok(ProcessEnd::Exited(0)) => None,
        Ok(ProcessEnd::Exited(code)) if must_answer => {
            let said = if tried.said.is_empty() { "nothing" } else { &tried.said };
            trouble(format!("{shown} exits with code {code} and prints: {said}"), true)
        }
        _ if must_answer => trouble(format!("{shown} was ended by a signal"), true),
        _ => None,
    };
    let said =
        if tried.report.ended == Ok(ProcessEnd::Exited(0)) { tried.said } else { String::new() };
    AgentInspection {
        version: ProgramVersion::parse(&said),
        said,
        trouble: why,
        login: pin.and_then(|pin| login_of(agent, pin, environment)),
        path: Some(found),
        ..seen
    }
}

/// What to do where the program of an agent seems to have neither a key nor a login; it is not started.
pub fn missing_login(agent: &Agent, environment: &Environment) -> Option<String> {
    let program = real_program(agent.command()?);
    login_of(agent, versions::find_pin(program)?, environment)
}

/// A hint where its worker would see neither a key nor a login.
fn login_of(agent: &Agent, pin: &PinnedProgram, environment: &Environment) -> Option<String> {
    let mut visible = environment.all();
    let own = agent.variables();
    visible.retain(|name, _| {
        COMMON_VARIABLES.contains(&name.as_str()) || own.iter().any(|own| own == name)
    });
    let hint = login::missing(pin.program, &visible)?;
    // A program that is not on the PATH is started by its path.
    let is_on_path = which::find(pin.program, &environment.search_path()).is_ok();
    let elsewhere = find(pin.program, environment).ok().filter(|_| !is_on_path);
    let hint = elsewhere.map_or_else(
        || hint.to_owned(),
        |path| hint.replacen(&format!("`{}", pin.program), &format!("`{}", path.display()), 1),
    );
    match agent.kind {
        AgentKind::Program(_) => Some(hint),
        // These get only the variables that `env` names.
        AgentKind::Acp(_) => {
            Some(format!("{hint}, and name it in `env` under [agents.{}]", agent.name))
        }
        AgentKind::Command { .. } | AgentKind::Scripted { .. } => None,
    }
}

/// Programs that answer `--version`; the others only speak their protocol.
pub(crate) fn is_known(pin: &PinnedProgram) -> bool {
    afresh_agents::AgentProgram::from_name(pin.program).is_some()
}

impl AgentInspection {
    /// How its version compares to the tested one, also in words.
    pub fn beside_tested(&self) -> Option<(VersionAge, String)> {
        let (version, tested) = (self.version?, self.tested?.version);
        let age = version.beside(tested)?;
        let how = match age {
            VersionAge::Older => "older",
            VersionAge::Newer => "newer",
        };
        Some((age, format!("{how} than {tested}, which afresh is tested with")))
    }
}

/// The program behind `env NAME=VALUE …`.
pub(crate) fn real_program(command: &[String]) -> &str {
    let first = command.first().map_or("", String::as_str);
    if first != "env" {
        return first;
    }
    let behind = command.iter().skip(1).find(|word| !word.contains('=') && !word.starts_with('-'));
    behind.map_or(first, String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_behind_env_is_found() {
        let line = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(real_program(&line(&["env", "A=1", "gemini", "-x"])), "gemini");
        assert_eq!(real_program(&line(&["claude", "-p"])), "claude");
    }
}
