//! Is everything there that a run needs? One line per thing, each good, or with its cure.
//!
//! Nothing is changed, nobody is asked, and everything that is started has a time limit.
//!
//! | module | looks at |
//! | --- | --- |
//! | [`repository`] | git, who the user is, the repository |
//! | [`places`] | state and cache directories, journal, disk, lock |
//! | [`machine`] | how processes are held here |
//! | [`configured`] | the configuration and its commands |
//! | [`agents`] | the agents: really started |
//! | [`last_run`] | what waits for a person |

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

/// One thing that was looked at.
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

    /// A command would fail this way.
    fn failed(name: &str, failure: &AppError) -> Self {
        let mut text = failure.message.clone();
        for cause in &failure.causes {
            text = format!("{text}: {cause}");
        }
        let cure = failure.hint.clone();
        Self { state: State::Fail, cure, ..Self::ok(name, text) }
    }
}

/// Looks at everything.
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
