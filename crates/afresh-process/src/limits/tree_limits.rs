//! How much a whole tree of processes may use, and who keeps it to that.
//!
//! Limits of one process are not here: those are for whoever prepares the program.

use afresh_core::process::{LimitExceeded, LimitedResource};
use serde::{Deserialize, Serialize};

use crate::limits::disk::DiskLimit;

/// The bounds of one job's whole tree; without a number there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeLimits {
    /// Memory of all of them together, in bytes.
    pub memory: Option<u64>,
    /// Processes and their threads, at one time.
    pub processes: Option<u64>,
    pub disk: Option<DiskLimit>,
    pub method: LimitMethod,
}

/// How memory and processes are kept within their bounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitMethod {
    /// By the kernel where a cgroup can be had, else by counting.
    #[default]
    Best,
    Polling,
}

/// Who keeps a tree within a bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LimitEnforcer {
    /// There is no bound, or nothing was started.
    #[default]
    Unlimited,
    CgroupV2,
    CgroupV1,
    /// The supervisor counts a few times a second: a quick tree is over it for a moment.
    Polled,
}

/// What kept a tree within its bounds, and what it wanted beyond them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnforcedLimits {
    pub memory: LimitEnforcer,
    pub processes: LimitEnforcer,
    /// How often something was refused, or that the tree was ended for it (once).
    pub exceeded: Vec<(LimitExceeded, u64)>,
}

impl TreeLimits {
    /// Those that a cgroup can keep.
    pub(crate) fn cgroup_limits(&self) -> Vec<LimitExceeded> {
        let all =
            [(LimitedResource::Memory, self.memory), (LimitedResource::Processes, self.processes)];
        all.into_iter()
            .filter_map(|(of, limit)| Some(LimitExceeded { of, limit: limit? }))
            .collect()
    }
}

impl LimitEnforcer {
    /// For people.
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
