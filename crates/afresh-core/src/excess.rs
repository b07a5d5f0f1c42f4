//! More of the machine than a worker or a check may have.

use serde::{Deserialize, Serialize};

/// What was wanted too much of, and how much there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excess {
    pub of: Resource,
    /// Bytes, or a number of processes.
    pub limit: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Memory of a whole tree of processes.
    Memory,
    /// Processes and threads at one time.
    Processes,
    /// Space on disk: its workspace and its temporary files.
    Disk,
    /// What has to stay free on the disk.
    FreeDisk,
}

impl Excess {
    /// What happened, in words that follow "it".
    pub fn describe(self) -> String {
        let Self { of, limit } = self;
        let size = size(limit);
        match of {
            Resource::Memory => format!("used more than {size} of memory"),
            Resource::Processes => format!("had more than {limit} processes and threads at a time"),
            Resource::Disk => format!("filled more than {size} of disk"),
            Resource::FreeDisk => format!("went on writing when less than {size} of disk was left"),
        }
    }
}

/// In the largest unit that says it exactly.
pub fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 30 && bytes.is_multiple_of(1 << 30) => {
            format!("{} GiB", bytes >> 30)
        }
        bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        bytes => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excess_says_what_may_be_had() {
        let told = |of, limit| Excess { of, limit }.describe();
        assert_eq!(told(Resource::Memory, 3 << 30), "used more than 3 GiB of memory");
        assert_eq!(
            told(Resource::Processes, 200),
            "had more than 200 processes and threads at a time"
        );
        assert_eq!(told(Resource::Disk, 1536 << 20), "filled more than 1536 MiB of disk");
        assert!(told(Resource::FreeDisk, 9).contains("less than 9 bytes"));
    }
}
