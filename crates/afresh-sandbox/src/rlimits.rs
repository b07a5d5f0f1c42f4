//! Resource limits that the kernel enforces for each process.
//!
//! Limits of a whole process tree are the supervisor's.

use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRlimits {
    /// Data of one process, in bytes. Reserved address space does not count: modern runtimes
    /// reserve more than the machine has.
    pub memory: Option<u64>,
    /// The largest file that may be written, in bytes.
    pub file: Option<u64>,
}

impl ProcessRlimits {
    /// Limits this process and all its descendants.
    pub(crate) fn apply(&self) -> io::Result<()> {
        let wanted = [
            (Resource::RLIMIT_DATA, self.memory),
            (Resource::RLIMIT_FSIZE, self.file),
            // A core dump of a worker would contain its keys.
            (Resource::RLIMIT_CORE, Some(0)),
        ];
        for (resource, limit) in wanted {
            if let Some(limit) = limit {
                let (_, most) = getrlimit(resource)?;
                let limit = limit.min(most);
                setrlimit(resource, limit, limit)?;
            }
        }
        Ok(())
    }
}
