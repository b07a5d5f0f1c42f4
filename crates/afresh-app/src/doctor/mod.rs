//! Checks that everything a run needs is in place: one line per check, each OK or with a hint.
//!
//! Nothing is changed, no questions are asked, and every program that is started has a time limit.
//!
//! | module | what it checks |
//! | --- | --- |
//! | [`agents`] | the agents, by starting them |
//! | [`configured`] | the configuration and its commands |
//! | [`last_run`] | the last run: halted, interrupted, open questions |
//! | [`machine`] | containment, limits, sandbox, network |
//! | [`places`] | state and cache directories, journal, disk, lock |
//! | [`repository`] | git, the user's identity, the repository |

mod agents;
mod configured;
mod last_run;
mod machine;
mod places;
mod repository;

use serde::Serialize;

use crate::agents::probe::Trial;
use crate::context::AppContext;
use crate::error::AppError;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    pub name: String,
    pub state: State,
    pub text: String,
    /// What to do about it.
    pub cure: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Ok,
    /// A run works, but not as well as it could.
    Warn,
    /// A run would not start.
    Fail,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

impl Line {
    fn ok(name: &str, text: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state: State::Ok, text: text.into(), cure: None }
    }

    fn warn(name: &str, text: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { state: State::Warn, cure: Some(cure.into()), ..Self::ok(name, text) }
    }

    fn fail(name: &str, text: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { state: State::Fail, cure: Some(cure.into()), ..Self::ok(name, text) }
    }

    /// A check that fails like a command would.
    fn failed(name: &str, failure: &AppError) -> Self {
        let mut text = failure.message.clone();
        for cause in &failure.causes {
            text = format!("{text}: {cause}");
        }
        let cure = failure.hint.clone();
        Self { state: State::Fail, cure, ..Self::ok(name, text) }
    }
}

/// Runs all checks.
pub fn look(context: &AppContext) -> Vec<Line> {
    let mut lines = Vec::new();
    let trial = Trial::new(&context.environment);
    let place = repository::look(context, &mut lines);
    if let Some(place) = &place {
        places::look(place, &mut lines);
    }
    machine::look(&context.environment, trial.as_ref(), &mut lines);
    match context.directory() {
        Ok(directory) => configured::look(context, &directory, trial.as_ref(), &mut lines),
        Err(failure) => lines.push(Line::failed("directory", &failure)),
    }
    if let Some(place) = &place {
        last_run::look(place, &mut lines);
    }
    lines
}
