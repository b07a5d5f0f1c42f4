//! Which sandbox a run gets: from the user's options, the project's configuration, and what the
//! machine offers.
//!
//! A project can only ask for more isolation (`level = "required"`). Turning the sandbox off, or opening
//! paths and hosts, is reserved to the user at the command line.

use std::path::{Path, PathBuf};

use afresh_engine::execution_config::SandboxConfig;
use afresh_sandbox::{DetectedSandbox, ProcessRlimits, SandboxLevel, detect_sandbox};

use super::{limits, network};
use crate::context::environment::Environment;
use crate::error::AppError;
use crate::notice::Notice;
use crate::session::RunOptions;

/// The values of `--sandbox` and `AFRESH_SANDBOX`.
pub const WORDS: &[&str] = &["auto", "required", "bubblewrap", "landlock", "off"];

/// What a project's configuration asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct SandboxRequest {
    pub required: bool,
    /// Only takes effect where it allows less than the default.
    pub agent_network: Option<network::NetworkMode>,
    /// The largest file, in bytes; only takes effect below the built-in limit.
    pub file: Option<u64>,
    pub limits: limits::LimitRequest,
}

/// The sandbox of a run, before its network is decided.
#[derive(Debug)]
pub struct ChosenSandbox {
    pub level: SandboxLevel,
    pub notice: Option<Notice>,
    /// Why nothing stronger is used.
    pub passed_over: Vec<String>,
    check_network: bool,
    limits: ProcessRlimits,
}

/// The largest file that a worker or a check may write.
const FILE_BYTES: u64 = 16 << 30;

/// Chooses the sandbox, or refuses where one is required and none is available.
pub fn choose(
    request: SandboxRequest,
    options: &RunOptions,
    environment: &Environment,
) -> Result<ChosenSandbox, AppError> {
    let word = options.sandbox.as_deref().or_else(|| environment.sandbox()).unwrap_or("auto");
    if !WORDS.contains(&word) {
        let message = format!("AFRESH_SANDBOX has the unknown value {word:?}");
        return Err(
            AppError::usage("sandbox", message).hint(format!("use one of: {}", WORDS.join(", ")))
        );
    }
    let found = detect(word, environment);
    if found.level.is_off() && (request.required || !matches!(word, "auto" | "off")) {
        return Err(refuse(word, &found));
    }
    // A user who named a level does not need to hear about others.
    let any_level = matches!(word, "auto" | "required");
    let notice = match (word, found.level.is_off()) {
        ("off", _) => Some(Notice::note(
            "the sandbox is off, as you asked: workers and checks run with all your permissions",
        )),
        (_, true) => Some(warn_no_sandbox(&found)),
        (_, false) if any_level => weaker_sandbox(&found),
        _ => None,
    };
    let passed_over = if any_level { found.unavailable } else { Vec::new() };
    Ok(ChosenSandbox {
        level: found.level,
        notice,
        passed_over,
        check_network: options.check_network,
        limits: process_limits(request),
    })
}

impl ChosenSandbox {
    pub fn with_network(
        self,
        network: network::ChosenNetwork,
        environment: &Environment,
    ) -> SandboxConfig {
        SandboxConfig {
            level: self.level,
            check_network: self.check_network,
            agents: network.agents,
            upstream: network.upstream,
            readable: environment.paths("AFRESH_SANDBOX_READ"),
            writable: environment.paths("AFRESH_SANDBOX_WRITE"),
            hidden: Vec::new(),
            sockets: environment.sandbox_sockets(),
            limits: self.limits,
        }
    }
}

/// The sandbox in use, and why nothing stronger is, for status and reports.
pub fn describe(level: &SandboxLevel, passed_over: &[String], network: &str) -> String {
    let mut level = level.describe();
    if !passed_over.is_empty() {
        level = format!("{level} ({})", passed_over.join("; "));
    }
    if network.is_empty() { level } else { format!("{level}; agent network: {network}") }
}

/// Whether programs would run without a sandbox although the user did not turn it off.
pub fn is_unavailable(environment: &Environment) -> bool {
    let word = environment.sandbox().unwrap_or("auto");
    word == "auto" && detect(word, environment).level.is_off()
}

/// What this machine offers for one of [`WORDS`].
pub fn detect(word: &str, environment: &Environment) -> DetectedSandbox {
    let path = environment.search_path().to_string_lossy().into_owned();
    match word {
        "off" => DetectedSandbox {
            level: SandboxLevel::Off,
            unavailable: vec!["it was turned off".to_owned()],
        },
        // With an empty PATH, bubblewrap is not found.
        "landlock" => detect_sandbox(""),
        "bubblewrap" => match detect_sandbox(&path) {
            DetectedSandbox {
                level: level @ SandboxLevel::Bubblewrap { .. },
                unavailable: passed_over,
            } => DetectedSandbox { level, unavailable: passed_over },
            other => DetectedSandbox { level: SandboxLevel::Off, ..other },
        },
        _ => detect_sandbox(&path),
    }
}

fn refuse(word: &str, found: &DetectedSandbox) -> AppError {
    let message = if word == "off" {
        "the project's configuration requires a sandbox, but it was turned off"
    } else {
        "a sandbox is required, but none is available on this machine"
    };
    let failure = AppError::usage("sandbox", message).cause(found.unavailable.join("; "));
    if word == "off" {
        failure.hint("remove `--sandbox off`, or change `level` under [sandbox]")
    } else {
        failure.hint("install bubblewrap; `afresh doctor` shows what is missing")
    }
}

/// There is a sandbox, but not the strongest one.
fn weaker_sandbox(found: &DetectedSandbox) -> Option<Notice> {
    if found.unavailable.is_empty() {
        return None;
    }
    let (level, why) = (found.level.describe(), found.unavailable.join("; "));
    Some(Notice::note(format!(
        "using the sandbox {level}; a stronger one is not available ({why})"
    )))
}

/// This must not be overlooked (B22, F22).
fn warn_no_sandbox(found: &DetectedSandbox) -> Notice {
    Notice::warning(format!(
        "NO SANDBOX: workers and checks run with all your permissions\n  cause: {}\n  \
         hint: install bubblewrap, or run afresh in a container; `--sandbox off` silences this warning",
        found.unavailable.join("; ")
    ))
}

/// Limits of one process. A process that uses all of its tree's memory gets an allocation failure
/// before the whole tree is ended.
fn process_limits(request: SandboxRequest) -> ProcessRlimits {
    ProcessRlimits {
        memory: limits::bounds(request.limits).memory,
        file: limits::smaller(request.file, Some(FILE_BYTES)),
    }
}

/// The absolute paths in a variable; `~/` is the home directory.
pub fn split(value: &str, home: Option<&Path>) -> Vec<PathBuf> {
    let expand = |part: &str| match (part.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(part),
    };
    value
        .split(':')
        .filter(|part| !part.is_empty())
        .map(expand)
        .filter(|path| path.is_absolute())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F22: nothing runs where a sandbox is required and none is available.
    #[test]
    fn a_required_sandbox_that_is_missing_is_refused() {
        let environment = Environment::default();
        let off = RunOptions { sandbox: Some("off".to_owned()), ..RunOptions::default() };
        let required = SandboxRequest { required: true, ..SandboxRequest::default() };
        assert!(choose(required, &off, &environment).is_err());
        assert!(choose(SandboxRequest::default(), &off, &environment).is_ok());
        let nothing =
            DetectedSandbox { level: SandboxLevel::Off, unavailable: vec!["because".to_owned()] };
        assert_eq!(refuse("required", &nothing).causes, ["because"]);
        assert!(warn_no_sandbox(&nothing).text.contains("NO SANDBOX"));
    }

    /// A project's limits can only be smaller.
    #[test]
    fn a_project_cannot_raise_the_file_limit() {
        let request = SandboxRequest { file: Some(u64::MAX), ..SandboxRequest::default() };
        assert_eq!(process_limits(request).file, Some(FILE_BYTES));
    }

    #[test]
    fn relative_paths_of_a_variable_are_ignored() {
        let home = Some(Path::new("/home/me"));
        let paths = split("~/.aider:/opt/x::relative", home);
        assert_eq!(paths, [PathBuf::from("/home/me/.aider"), PathBuf::from("/opt/x")]);
    }
}
