//! The limits of a whole process tree, and what enforces them.
//!
//! Limits of a single process are not handled here.

use afresh_core::process::{LimitExceeded, LimitedResource};
use serde::{Deserialize, Serialize};

use crate::limits::disk::DiskLimit;

/// The limits of one job's whole process tree; `None` means unlimited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeLimits {
    /// Memory of all processes together, in bytes.
    pub memory: Option<u64>,
    /// Processes and threads at the same time.
    pub processes: Option<u64>,
    pub disk: Option<DiskLimit>,
    pub method: LimitMethod,
}

/// How limits on memory and processes are enforced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitMethod {
    /// By the kernel if a cgroup is available, else by polling.
    #[default]
    Best,
    Polling,
}

/// What enforces a limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitEnforcer {
    /// There is no limit, or nothing was started.
    #[default]
    Unlimited,
    CgroupV2,
    CgroupV1,
    /// The supervisor polls a few times a second: a fast tree can exceed the limit for a moment.
    Polled,
}

/// What enforced the limits of a tree, and which it exceeded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnforcedLimits {
    pub memory: LimitEnforcer,
    pub processes: LimitEnforcer,
    /// How often a limit was exceeded; once if the tree was ended for it.
    pub exceeded: Vec<(LimitExceeded, u64)>,
}

impl TreeLimits {
    /// The limits that a cgroup can enforce.
    pub(crate) fn cgroup_limits(&self) -> Vec<LimitExceeded> {
        let all =
            [(LimitedResource::Memory, self.memory), (LimitedResource::Processes, self.processes)];
        all.into_iter()
            .filter_map(|(of, limit)| Some(LimitExceeded { of, limit: limit? }))
            .collect()
    }
}

impl LimitEnforcer {
    pub fn describe(self) -> &'static str {
        match self {
            Self::Unlimited => "not limited",
            Self::CgroupV2 => "cgroup v2",
            Self::CgroupV1 => "cgroup v1",
            Self::Polled => "counted",
        }
    }
}

impl EnforcedLimits {
    pub(crate) fn set_enforcer(&mut self, of: LimitedResource, enforcer: LimitEnforcer) {
        match of {
            LimitedResource::Memory => self.memory = enforcer,
            LimitedResource::Processes => self.processes = enforcer,
            LimitedResource::Disk | LimitedResource::FreeDisk => {}
        }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        if self.memory == self.processes {
            return self.memory.describe().to_owned();
        }
        format!("memory {}, processes {}", self.memory.describe(), self.processes.describe())
    }
}
