//! How a job went.
//!
//! Facts only: whether an exit status is good or bad is for the caller to decide.

use afresh_core::process::ProcessEnd;
use serde::{Deserialize, Serialize};

use crate::limits::tree_limits::EnforcedLimits;

/// Made exactly once per job, after its whole process tree is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobReport {
    pub ended: Result<ProcessEnd, SpawnError>,
    pub wall_ms: u64,
    /// User and system time of everything that was reaped.
    pub cpu_ms: Option<u64>,
    /// The largest single process of the tree.
    pub max_rss_kb: Option<u64>,
    /// Bytes that the program wrote, kept or not. Merged output counts as stdout.
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    /// Something in the middle of the output was left out.
    pub truncated: bool,
    /// The first failure to store output (a full disk, say): the files are incomplete.
    pub output_error: Option<String>,
    /// Processes of the tree, besides the main one, that were alive when it ended.
    pub left_behind: u32,
    /// Processes that were sent a SIGKILL, but still hang in the kernel or belong to another user.
    /// The registry entry stays, so that the next sweep tries again.
    pub unkillable: u32,
    pub containment: ContainmentLevel,
    /// Why stronger containment was not available, strongest first.
    pub unavailable: Vec<String>,
    /// What enforced the limits of its tree, and which were exceeded.
    pub enforced_limits: EnforcedLimits,
}

/// Why the program could not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpawnError {
    pub kind: SpawnErrorKind,
    pub message: String,
}

impl SpawnError {
    pub(crate) fn new(kind: SpawnErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SpawnErrorKind {
    NotFound,
    NotExecutable,
    WrongArchitecture,
    BadDirectory,
    /// The requested containment is not available here.
    NoContainment,
    Other,
}

/// What contained the process tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContainmentLevel {
    Cgroup,
    Namespace,
    Group,
    /// Nothing was started.
    None,
}

impl JobReport {
    /// A report of which only the end is known.
    pub(crate) fn without_measurements(ended: Result<ProcessEnd, SpawnError>) -> Self {
        Self {
            ended,
            wall_ms: 0,
            cpu_ms: None,
            max_rss_kb: None,
            stdout_bytes: 0,
            stderr_bytes: 0,
            truncated: false,
            output_error: None,
            left_behind: 0,
            unkillable: 0,
            containment: ContainmentLevel::None,
            unavailable: Vec::new(),
            enforced_limits: EnforcedLimits::default(),
        }
    }
}
