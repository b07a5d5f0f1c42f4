//! Checks that everything a run needs is in place: one line per check, each OK or with a hint.
//!
//! Nothing is changed, no questions are asked, and every program that is started has a time limit.
//!
//! | module | what it checks |
//! | --- | --- |
//! | `agents` | the agents, by starting them |
//! | `agent_sandbox` | the agents inside the sandbox |
//! | `checks` | the checks of every merge, by running them |
//! | `configured` | the configuration and its commands |
//! | `last_run` | the last run: halted, interrupted, open questions |
//! | `machine` | containment, limits, sandbox, network |
//! | `places` | state and cache directories, journal, disk, lock |
//! | `repository` | git, the user's identity, the repository |

mod agent_sandbox;
mod agents;
mod checks;
mod configured;
mod last_run;
mod machine;
mod places;
mod repository;

use serde::Serialize;

use crate::agents::probe::ProbeRunner;
use crate::context::AppContext;
use crate::error::AppError;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorLine {
    pub name: String,
    pub state: CheckState,
    pub text: String,
    #[serde(rename = "cure")]
    pub hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    Ok,
    /// A run works, but not as well as it could.
    Warn,
    /// A run would not start.
    Fail,
}

impl CheckState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

impl DoctorLine {
    fn ok(name: &str, text: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state: CheckState::Ok, text: text.into(), hint: None }
    }

    fn warn(name: &str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { state: CheckState::Warn, hint: Some(hint.into()), ..Self::ok(name, text) }
    }

    fn fail(name: &str, text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { state: CheckState::Fail, hint: Some(hint.into()), ..Self::ok(name, text) }
    }

    /// A check that fails like a command would.
    fn failed(name: &str, failure: &AppError) -> Self {
        let mut text = failure.message.clone();
        for cause in &failure.causes {
            text = format!("{text}: {cause}");
        }
        let hint = failure.hint.clone();
        Self { state: CheckState::Fail, hint, ..Self::ok(name, text) }
    }
}

/// Takes each line as soon as it is known.
struct LineSink<'a> {
    report: &'a mut dyn FnMut(DoctorLine),
}

impl LineSink<'_> {
    fn push(&mut self, line: DoctorLine) {
        (self.report)(line);
    }

    fn extend(&mut self, lines: impl IntoIterator<Item = DoctorLine>) {
        lines.into_iter().for_each(|line| self.push(line));
    }
}

/// Whether the repository's checks run where no sandbox is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsandboxedChecks {
    Skip,
    /// The user asked for it.
    Run,
}

/// Runs all checks; some take seconds, so `report` gets each line as soon as it is known.
pub fn run_checks(
    context: &AppContext,
    unsandboxed: UnsandboxedChecks,
    report: &mut dyn FnMut(DoctorLine),
) {
    let mut lines = LineSink { report };
    let trial = ProbeRunner::new(&context.environment);
    let place = repository::check_repository(context, &mut lines);
    if let Some(place) = &place {
        places::check_directories(place, &mut lines);
    }
    machine::check_machine(&context.environment, trial.as_ref(), &mut lines);
    match context.directory() {
        Ok(directory) => {
            let sandbox = agent_sandbox::find(place.as_ref(), &context.environment);
            let probes = agents::AgentProbes {
                trial: trial.as_ref(),
                sandbox: sandbox.as_ref(),
                repository: place.as_ref(),
                unsandboxed,
            };
            configured::check_configuration(context, &directory, &probes, &mut lines);
        }
        Err(failure) => lines.push(DoctorLine::failed("directory", &failure)),
    }
    if let Some(place) = &place {
        last_run::check_last_run(place, &mut lines);
    }
}
