//! The configuration: defaults, then the file, then options.
//!
//! The file is read with positions, so that a mistake is shown where it is. An unknown key is an error: a
//! misspelt limit must not silently mean no limit.

mod agents;
mod checks;
mod hooks;
mod list;
mod merge;
mod origin;
pub mod policy;
mod read;
mod review;
pub mod script;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use afresh_agents::bundle::FileChecksum;
use afresh_agents::{Agent, PriceTable};
use afresh_core::run::settings::{ProbeScope, Settings, WritebackMode};
use afresh_engine::execution_config::HookConfig;
use afresh_formats::Finding;
use afresh_planner::audit::metrics::AuditLimits;
use afresh_planner::stages::AcceptanceTests;

use crate::config::origin::WrittenValue;
use crate::config::policy::sandbox::SandboxRequest;
use crate::error::AppError;
use crate::text::files;

/// More than any configuration written by hand.
const MAX_BYTES: usize = 1024 * 1024;

/// Everything that can be configured.
#[derive(Debug, Clone)]
pub struct Config {
    /// What the core decides by.
    pub settings: Settings,
    pub agent: Option<String>,
    pub agents: BTreeMap<String, Agent>,
    /// What models cost: the built-in table, overridden by the file.
    pub prices: PriceTable,
    pub attempt_timeout: Duration,
    pub silence_timeout: Duration,
    pub output_bytes: u64,
    pub setup: Vec<String>,
    pub keep: Vec<String>,
    /// The size limit of a workspace, in bytes.
    pub quota: Option<u64>,
    pub check_timeout: Duration,
    pub checks_parallel: u16,
    pub probe_limit: Duration,
    pub check_env: Vec<String>,
    pub sandbox: SandboxRequest,
    /// Thresholds of `afresh audit`.
    pub audit: AuditLimits,
    /// Whose tests judge planned work.
    pub acceptance: AcceptanceTests,
    /// Whether progress is written into the plan's own files.
    pub writeback: WritebackMode,
    /// The user's commands before and after steps of a run.
    pub hooks: HookConfig,
    /// Whether the terminal draws attention to questions and to the end of a run.
    pub notify: TerminalNotify,
    /// The directory that paths in the file are relative to.
    pub home: PathBuf,
    /// The file, for messages; where there is none, the one to write.
    pub shown: String,
    /// The checksum of the file.
    pub checksum: Option<FileChecksum>,
    /// The values of the file, by dotted key.
    pub written: BTreeMap<String, WrittenValue>,
    /// Problems that are no errors.
    pub warnings: Vec<Finding>,
}

/// When escape codes for attention go to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalNotify {
    /// If standard error is a terminal.
    Auto,
    Off,
}

impl TerminalNotify {
    pub const WORDS: [(&'static str, Self); 2] = [("auto", Self::Auto), ("off", Self::Off)];

    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Off => "off",
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            settings: Settings {
                probe: ProbeScope::All,
                rerun: 1,
                merge: merge::DEFAULT,
                ..Settings::default()
            },
            agent: None,
            agents: BTreeMap::new(),
            prices: PriceTable::built_in(),
            attempt_timeout: Duration::from_secs(30 * 60),
            silence_timeout: Duration::from_secs(10 * 60),
            output_bytes: 32 * 1024 * 1024,
            setup: Vec::new(),
            keep: Vec::new(),
            quota: None,
            check_timeout: Duration::from_secs(10 * 60),
            checks_parallel: 2,
            probe_limit: Duration::from_secs(10 * 60),
            check_env: Vec::new(),
            sandbox: SandboxRequest::default(),
            audit: AuditLimits::default(),
            acceptance: AcceptanceTests::Authored,
            writeback: WritebackMode::Auto,
            hooks: HookConfig::default(),
            notify: TerminalNotify::Auto,
            home: PathBuf::new(),
            shown: ".afresh/config.toml".to_owned(),
            checksum: None,
            written: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }
}

impl Config {
    /// Whether there is a file.
    pub fn is_from_file(&self) -> bool {
        !self.home.as_os_str().is_empty()
    }
}

/// Loads the configuration for work in `directory`.
pub fn load(directory: &Path, given: Option<&Path>) -> Result<Config, AppError> {
    let mut config = Config::default();
    let path = match given {
        Some(given) => Some(directory.join(given)),
        None => project_file(directory),
    };
    let Some(path) = path else { return Ok(config) };
    let shown = path.strip_prefix(directory).unwrap_or(&path).display().to_string();
    let bytes =
        files::read_bounded(&path, MAX_BYTES).map_err(|error| cannot_read(&shown, &error))?;
    config.home = home(&path);
    let findings = read::read(&shown, &bytes, &mut config);
    if findings.iter().any(Finding::is_error) {
        return Err(AppError::with_findings(
            "config",
            &format!("cannot use the configuration {shown}"),
            findings,
        ));
    }
    config.warnings = findings;
    config.checksum = Some(FileChecksum::from_bytes(&shown, &bytes));
    config.shown = shown;
    Ok(config)
}

/// Checks that the file that `--config` names can be read, for commands that do not use it.
pub fn check_given_file(directory: &Path, given: Option<&Path>) -> Result<(), AppError> {
    let Some(given) = given else { return Ok(()) };
    match std::fs::File::open(directory.join(given)) {
        Ok(_) => Ok(()),
        Err(error) => Err(cannot_read(&given.display().to_string(), &error)),
    }
}

fn cannot_read(shown: &str, error: &std::io::Error) -> AppError {
    AppError::usage("config", format!("cannot read the configuration {shown}"))
        .cause(error.to_string())
        .hint("`--config` names a configuration file; `afresh init` writes one")
}

/// The directory that paths are relative to: that of `.afresh`, or of a file elsewhere.
fn home(file: &Path) -> PathBuf {
    let directory = file.parent().unwrap_or(Path::new("."));
    let inside = directory.file_name().is_some_and(|name| name == ".afresh");
    if inside { directory.parent().unwrap_or(directory) } else { directory }.to_owned()
}

/// The nearest `.afresh/config.toml`, up to the root of the checkout.
fn project_file(directory: &Path) -> Option<PathBuf> {
    for place in directory.ancestors() {
        let file = place.join(".afresh/config.toml");
        if file.is_file() {
            return Some(file);
        }
        if place.join(".git").exists() {
            return None;
        }
    }
    None
}
