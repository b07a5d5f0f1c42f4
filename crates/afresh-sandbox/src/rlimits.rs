//! How much of the machine a program may use: limits that the kernel keeps for each process.
//!
//! They hold per process. What a whole tree uses is for whoever watches it.

use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRlimits {
    /// Data of one process, in bytes. Address space that is only reserved does not count: today's
    /// runtimes reserve more than there is.
    pub memory: Option<u64>,
    /// The largest file that may be written, in bytes.
    pub file: Option<u64>,
}

impl ProcessRlimits {
    /// For this process and all that come of it.
    pub(crate) fn apply(&self) -> io::Result<()> {
        let wanted = [
            (Resource::RLIMIT_DATA, self.memory),
            (Resource::RLIMIT_FSIZE, self.file),
            // A dump of a worker's memory holds its keys.
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
