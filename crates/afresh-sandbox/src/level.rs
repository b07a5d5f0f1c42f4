//! Finds the strongest sandbox that this machine offers, and why no stronger one.
//!
//! Nothing is assumed: bubblewrap counts as available if a sandbox could be made with it just now.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::landlock;

/// One kind of sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SandboxLevel {
    /// Its own view of files and processes, and its own network if that is off.
    Bubblewrap { program: PathBuf, version: String },
    /// Kernel rules for files and connections. Other processes are visible, and other kinds of
    /// connections are refused one by one.
    Landlock { abi: i32 },
    /// No sandbox.
    Off,
}

/// The strongest level, and why stronger ones are not available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedSandbox {
    pub level: SandboxLevel,
    pub unavailable: Vec<String>,
}

impl SandboxLevel {
    /// For scripts.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Bubblewrap { .. } => "bubblewrap",
            Self::Landlock { .. } => "landlock",
            Self::Off => "off",
        }
    }

    /// For people.
    pub fn describe(&self) -> String {
        match self {
            Self::Bubblewrap { version, .. } => version.clone(),
            Self::Landlock { abi } => format!("Landlock (ABI {abi}) and seccomp"),
            Self::Off => "none".to_owned(),
        }
    }

    /// Whether a program can be limited to some ports. Older kernels have no rules for connections.
    pub fn limits_ports(&self) -> bool {
        match self {
            Self::Bubblewrap { .. } => true,
            Self::Landlock { abi } => *abi >= 4,
            Self::Off => false,
        }
    }

    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}

/// Finds the strongest level; `path` is the PATH to search for programs.
pub fn detect_sandbox(path: &str) -> DetectedSandbox {
    let mut passed_over = Vec::new();
    match bubblewrap(path) {
        Ok(level) => return DetectedSandbox { level, unavailable: passed_over },
        Err(why) => passed_over.push(format!("bubblewrap: {why}")),
    }
    match landlock::abi() {
        Ok(abi) => {
            DetectedSandbox { level: SandboxLevel::Landlock { abi }, unavailable: passed_over }
        }
        Err(why) => {
            passed_over.push(format!("Landlock: {why}"));
            DetectedSandbox { level: SandboxLevel::Off, unavailable: passed_over }
        }
    }
}

fn bubblewrap(path: &str) -> Result<SandboxLevel, String> {
    let program = path
        .split(':')
        .map(|directory| Path::new(directory).join("bwrap"))
        .find(|program| program.is_absolute() && program.is_file())
        .ok_or("bwrap is not on the PATH; install the package bubblewrap")?;
    let trial = [
        "--die-with-parent",
        "--unshare-pid",
        "--unshare-net",
        "--cap-drop",
        "ALL",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--tmpfs",
        "/tmp",
        "--",
        "/bin/sh",
        "-c",
        "exit 0",
    ];
    run_and_read(&program, &trial)?;
    let version = run_and_read(&program, &["--version"])?;
    Ok(SandboxLevel::Bubblewrap { program, version })
}

/// What it printed, or why it failed.
fn run_and_read(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{} cannot be started: {error}", program.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let output_text = text(&output.stderr);
    Err(output_text.lines().next().unwrap_or("it failed without a message").to_owned())
}
