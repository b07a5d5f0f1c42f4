//! How supervised programs end, and the resource limits that can end them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A limit that a process tree exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct LimitExceeded {
    pub of: LimitedResource,
    /// Bytes, or a number of processes.
    pub limit: u64,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum LimitedResource {
    /// Memory of the whole process tree.
    Memory,
    /// Processes and threads at one time.
    Processes,
    /// Space on disk: its workspace and its temporary files.
    Disk,
    /// Space that must stay free on the disk.
    FreeDisk,
}

impl LimitExceeded {
    /// What happened, as a phrase that follows "it".
    pub fn describe(self) -> String {
        let Self { of, limit } = self;
        let size = size(limit);
        match of {
            LimitedResource::Memory => format!("used more than {size} of memory"),
            LimitedResource::Processes => {
                format!("had more than {limit} processes and threads at a time")
            }
            LimitedResource::Disk => format!("filled more than {size} of disk"),
            LimitedResource::FreeDisk => {
                format!("kept writing when less than {size} of disk was left")
            }
        }
    }
}

/// A size in the largest unit that represents it exactly.
pub fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 30 && bytes.is_multiple_of(1 << 30) => {
            format!("{} GiB", bytes >> 30)
        }
        bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        bytes => format!("{bytes} bytes"),
    }
}

/// A signal by number and name; numbers that differ between systems have no name.
pub fn describe_signal(signal: i32) -> String {
    const NAMES: &[(i32, &str)] = &[
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
    ];
    match NAMES.iter().find(|(number, _)| *number == signal) {
        Some((number, name)) => format!("signal {number} ({name})"),
        None => format!("signal {signal}"),
    }
}

/// How a supervised program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessEnd {
    Exited(i32),
    Signaled(i32),
    /// It reached its time limit.
    TimedOut,
    /// It reached the limit for time without output.
    WentSilent,
    /// Its process tree exceeded a resource limit and was ended.
    OverLimit(LimitExceeded),
    /// The driver stopped it, because the run was halted or the budget was reached.
    Stopped,
    /// It was running when afresh died.
    Lost,
    /// Its supervisor died or hung, and the driver ended it.
    SupervisorLost,
}

impl ProcessEnd {
    /// How it ended, for people.
    pub fn describe(self) -> String {
        match self {
            Self::Exited(code) => format!("exit code {code}"),
            Self::Signaled(signal) => format!("ended by {}", describe_signal(signal)),
            Self::TimedOut => "ended at its time limit".to_owned(),
            Self::WentSilent => "ended after printing nothing for too long".to_owned(),
            Self::OverLimit(excess) => format!("ended: it {}", excess.describe()),
            Self::Stopped => "stopped by afresh".to_owned(),
            Self::Lost => "lost when afresh ended".to_owned(),
            Self::SupervisorLost => "its supervisor was lost".to_owned(),
        }
    }

    /// Whether it was ended from outside, before it could report its usage.
    pub(crate) fn is_cut_off(self) -> bool {
        matches!(self, Self::OverLimit(_) | Self::Stopped | Self::Lost | Self::SupervisorLost)
    }

    /// Whether a signal ended it. Some programs catch a signal and exit with 128 + its number, as a
    /// shell does.
    pub(crate) fn is_by_signal(self) -> bool {
        const SIGNAL_EXIT_CODES: [i32; 3] = [128 + 2, 128 + 9, 128 + 15];
        match self {
            Self::Signaled(_) | Self::SupervisorLost => true,
            Self::Exited(code) => SIGNAL_EXIT_CODES.contains(&code),
            Self::TimedOut | Self::WentSilent | Self::OverLimit(_) | Self::Stopped | Self::Lost => {
                false
            }
        }
    }
}

/// The signal that asks a program to stop, before its process tree is killed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub enum StopSignal {
    #[default]
    Terminate,
    /// What Ctrl-C sends; some programs clean up only after this one.
    Interrupt,
    /// For programs that continue to spend after they were asked: no grace period.
    Kill,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exceeded_limit_names_its_value() {
        let described = |of, limit| LimitExceeded { of, limit }.describe();
        assert_eq!(described(LimitedResource::Memory, 3 << 30), "used more than 3 GiB of memory");
        assert_eq!(
            described(LimitedResource::Processes, 200),
            "had more than 200 processes and threads at a time"
        );
        assert_eq!(
            described(LimitedResource::Disk, 1536 << 20),
            "filled more than 1536 MiB of disk"
        );
        assert!(described(LimitedResource::FreeDisk, 9).contains("less than 9 bytes"));
    }
}
