//! How much a whole tree of processes may use, and who keeps it to that.
//!
//! Limits of one process are not here: those are for whoever prepares the program.

use serde::{Deserialize, Serialize};

use crate::disk::Disk;

/// The bounds of one job's whole tree; without a number there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Memory of all of them together, in bytes.
    pub memory: Option<u64>,
    /// Processes and their threads, at one time.
    pub processes: Option<u64>,
    pub disk: Option<Disk>,
    pub keeping: Keeping,
}

/// How memory and processes are kept within their bounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keeping {
    /// By the kernel where a cgroup can be had, else by counting.
    #[default]
    Best,
    Counting,
}

/// What there is only so much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Resource {
    Memory,
    Processes,
    /// Space of its own on disk.
    Disk,
    /// What has to stay free on a disk that it writes to.
    FreeDisk,
}

/// More of something than was allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excess {
    pub of: Resource,
    /// What was allowed: bytes, or a number of processes.
    pub limit: u64,
}

/// Who keeps a tree within a bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keeper {
    /// There is no bound, or nothing was started.
    #[default]
    Nobody,
    CgroupV2,
    CgroupV1,
    /// The supervisor counts a few times a second: a quick tree is over it for a moment.
    Counted,
}

/// What kept a tree within its bounds, and what it wanted beyond them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub memory: Keeper,
    pub processes: Keeper,
    /// How often something was refused, or that the tree was ended for it (once).
    pub refused: Vec<(Excess, u64)>,
}

impl Bounds {
    /// Those that a cgroup can keep.
    pub(crate) fn of_tree(&self) -> Vec<Excess> {
        let all = [(Resource::Memory, self.memory), (Resource::Processes, self.processes)];
        all.into_iter().filter_map(|(of, limit)| Some(Excess { of, limit: limit? })).collect()
    }
}

impl Keeper {
    /// For people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Nobody => "not limited",
            Self::CgroupV2 => "cgroup v2",
            Self::CgroupV1 => "cgroup v1",
            Self::Counted => "counted",
        }
    }
}

impl Kept {
    pub(crate) fn note(&mut self, of: Resource, keeper: Keeper) {
        match of {
            Resource::Memory => self.memory = keeper,
            Resource::Processes => self.processes = keeper,
            Resource::Disk | Resource::FreeDisk => {}
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
