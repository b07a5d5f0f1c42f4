//! Which sandbox a run gets: what the person says, what the project asks for, what the machine
//! offers.
//!
//! A project can only ask for more (`level = "required"`); turning it off, or opening something, is
//! for the person at the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use afresh_engine::execution_config::SandboxConfig;
use afresh_proxy::Upstream;
use afresh_sandbox::{Found, Level, Limits, find};

use crate::app::environment;
use crate::app::error::Failure;
use crate::app::policy::limits;
use crate::app::policy::network;

/// What a person can say: `--sandbox`, `AFRESH_SANDBOX`.
pub(crate) const WORDS: &[&str] = &["auto", "required", "bubblewrap", "landlock", "off"];

/// What a project's configuration says.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked {
    pub(crate) required: bool,
    /// Of agents: less than they would have, or nothing.
    pub(crate) agent_network: Option<network::Mode>,
    /// The largest file; smaller than the built-in limit, or nothing.
    pub(crate) file: Option<u64>,
    pub(crate) limits: limits::Asked,
}

/// A decision, and what people have to know about it.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) sandbox: SandboxConfig,
    pub(crate) notice: Option<String>,
    /// Why nothing stronger holds them.
    pub(crate) passed_over: Vec<String>,
}

/// The largest file that a worker or a check may write.
const FILE_BYTES: u64 = 16 << 30;

/// `said` is the flag's word, `check_network` the other flag.
pub(crate) fn decide(
    asked: Asked,
    said: Option<&str>,
    check_network: bool,
) -> Result<Decided, Failure> {
    let said = said.map(str::to_owned).or_else(environment::sandbox);
    let said = said.as_deref().unwrap_or("auto");
    if !WORDS.contains(&said) {
        let message = format!("AFRESH_SANDBOX is {said:?}");
        return Err(
            Failure::usage("sandbox", message).help(format!("one of: {}", WORDS.join(", ")))
        );
    }
    let found = look(said);
    if found.level.is_off() && (asked.required || !matches!(said, "auto" | "off")) {
        return Err(refused(said, &found));
    }
    // Somebody who named a level knows.
    let is_open = matches!(said, "auto" | "required");
    let notice = match (said, found.level.is_off()) {
        ("off", _) => Some(
            "note: no sandbox, as you said: workers and checks run as you, with your rights"
                .to_owned(),
        ),
        (_, true) => Some(loud(&found)),
        (_, false) if is_open => weaker(&found),
        _ => None,
    };
    let passed_over = if is_open { found.passed_over } else { Vec::new() };
    let sandbox = SandboxConfig {
        level: found.level,
        check_network,
        agents: BTreeMap::new(),
        upstream: Upstream::default(),
        readable: environment::paths("AFRESH_SANDBOX_READ"),
        writable: environment::paths("AFRESH_SANDBOX_WRITE"),
        sockets: environment::sandbox_sockets(),
        limits: limits(asked),
    };
    Ok(Decided { sandbox, notice, passed_over })
}

/// What is in force, and why nothing stronger is, for status and reports.
pub(crate) fn describe(level: &Level, passed_over: &[String], agents: &str) -> String {
    let mut level = level.describe();
    if !passed_over.is_empty() {
        level = format!("{level} ({})", passed_over.join("; "));
    }
    if agents.is_empty() { level } else { format!("{level}; network of agents: {agents}") }
}

/// What this machine offers for a wish.
pub(crate) fn look(said: &str) -> Found {
    let path = environment::path().to_string_lossy().into_owned();
    match said {
        "off" => Found { level: Level::Off, passed_over: vec!["it was turned off".to_owned()] },
        // No program is found there.
        "landlock" => find(""),
        "bubblewrap" => match find(&path) {
            Found { level: level @ Level::Bubblewrap { .. }, passed_over } => {
                Found { level, passed_over }
            }
            other => Found { level: Level::Off, ..other },
        },
        _ => find(&path),
    }
}

fn refused(said: &str, found: &Found) -> Failure {
    let message = if said == "off" {
        "the project's configuration requires a sandbox, and you turned it off"
    } else {
        "a sandbox is required, and this machine offers none"
    };
    let failure = Failure::usage("sandbox", message).cause(found.passed_over.join("; "));
    if said == "off" {
        failure.help("leave out --sandbox off, or change level under [sandbox]")
    } else {
        failure.help("install bubblewrap; `afresh doctor` says what is missing")
    }
}

/// That there is a sandbox, and not the strongest one.
fn weaker(found: &Found) -> Option<String> {
    if found.passed_over.is_empty() {
        return None;
    }
    let (level, why) = (found.level.describe(), found.passed_over.join("; "));
    Some(format!("note: sandbox: {level}; stronger ones were passed over ({why})"))
}

/// What nobody may overlook (B22, F22).
fn loud(found: &Found) -> String {
    format!(
        "warning: NO SANDBOX: workers and checks run as you, with your rights\n  cause: {}\n  \
         help: install bubblewrap, or run afresh in a container; `--sandbox off` says that you know",
        found.passed_over.join("; ")
    )
}

/// Of one process. That a single one takes all that its tree may have is told it sooner, and gently.
fn limits(asked: Asked) -> Limits {
    Limits {
        memory: limits::bounds(asked.limits).memory,
        file: limits::less(asked.file, Some(FILE_BYTES)),
    }
}

/// Paths of a variable, `~` and all.
pub(crate) fn split(value: &str, home: Option<&Path>) -> Vec<PathBuf> {
    let place = |part: &str| match (part.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(part),
    };
    value
        .split(':')
        .filter(|part| !part.is_empty())
        .map(place)
        .filter(|it| it.is_absolute())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F22: nothing runs where a sandbox is required and there is none.
    #[test]
    fn what_is_required_and_not_there_is_refused() {
        let asked = Asked { required: true, ..Asked::default() };
        assert!(decide(asked, Some("off"), false).is_err());
        assert!(decide(Asked::default(), Some("off"), false).is_ok());
        let nothing = Found { level: Level::Off, passed_over: vec!["because".to_owned()] };
        assert!(refused("required", &nothing).to_text().contains("because"));
        assert!(loud(&nothing).contains("NO SANDBOX"));
    }

    /// A project's limits can only be smaller.
    #[test]
    fn the_largest_file_of_a_project_is_not_larger() {
        let asked = Asked { file: Some(u64::MAX), ..Asked::default() };
        assert_eq!(limits(asked).file, Some(FILE_BYTES));
    }

    #[test]
    fn paths_of_a_variable_are_absolute() {
        let home = Some(Path::new("/home/me"));
        let paths = split("~/.aider:/opt/x::relative", home);
        assert_eq!(paths, [PathBuf::from("/home/me/.aider"), PathBuf::from("/opt/x")]);
    }
}
