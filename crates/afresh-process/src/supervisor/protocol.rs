//! Messages between driver, supervisor and stages: one JSON document per line.
//!
//! No sender writes before its reader expects it, so a reader may read more than one line at a
//! time.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use afresh_core::process::StopSignal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::driver::job::JobSpec;
use crate::driver::report::{JobReport, SpawnError};
use crate::limits::cgroup_limits::CgroupPaths;

/// The first line on stdin of the hidden command: which part it plays.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum StageCommand {
    Supervise(Box<JobSpec>),
    Enter(ExecCommand),
    Unshare { supervisor: i32, cgroup_limits: CgroupPaths },
    Init(ProgramSpec),
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExecCommand {
    pub supervisor: i32,
    pub cgroup: Option<PathBuf>,
    pub cgroup_limits: CgroupPaths,
    pub spec: ProgramSpec,
}

/// The part of a job that describes the program itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ProgramSpec {
    pub argv: Vec<String>,
    pub through: Vec<String>,
    pub cwd: PathBuf,
    pub env: Vec<(String, String)>,
    pub stdin: Option<PathBuf>,
    /// The process limit (rlimit) of this user, if its tree is only polled.
    pub ceiling: Option<u64>,
}

impl ProgramSpec {
    pub(crate) fn from_job(job: &JobSpec) -> Self {
        Self {
            argv: job.argv.clone(),
            through: job.wrapper.clone(),
            cwd: job.cwd.clone(),
            env: job.env.clone(),
            stdin: job.stdin.clone(),
            ceiling: None,
        }
    }
}

/// From the driver to the supervisor, after the job.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ControlMessage {
    Stop {
        grace: Duration,
    },
    Kill,
    /// Whether the program waits for the driver, so that its silence does not count.
    PauseSilenceLimit(bool),
}

/// From the supervisor to the driver.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum StatusMessage {
    /// The program itself runs.
    Started,
    Output {
        bytes: u64,
    },
    Report(Box<JobReport>),
}

/// From a stage to the supervisor. A stage that becomes the program sends nothing: its end is
/// closed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum StageReply {
    /// This containment is not available here; nothing was started.
    Unavailable(String),
    Failed(SpawnError),
    /// The cgroups of its limits could not be entered; the program runs without them.
    CgroupsUnavailable,
    /// The namespace exists, and its first process waits for a command.
    Inside,
    /// The first process of a namespace has started the program.
    Started,
    Ended(ExitState),
}

/// From the supervisor to the first process of a namespace.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum NamespaceCommand {
    Terminate(StopSignal),
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ExitState {
    Exited(i32),
    Signaled(i32),
}

pub(crate) fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Received bytes that are not a whole line yet.
#[derive(Debug, Default)]
pub(crate) struct LineReader {
    buffer: Vec<u8>,
}

/// Whether the other side may still send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeerState {
    Open,
    Closed,
}

impl LineReader {
    /// Reads once. A broken connection counts as closed.
    pub(crate) fn fill(&mut self, from: &mut impl Read) -> PeerState {
        let mut piece = [0; 16 * 1024];
        match from.read(&mut piece) {
            Ok(0) => PeerState::Closed,
            Ok(count) => {
                self.buffer.extend_from_slice(&piece[..count]);
                PeerState::Open
            }
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => PeerState::Open,
                _ => PeerState::Closed,
            },
        }
    }

    /// The next whole message. One that cannot be parsed is skipped: both ends are the same
    /// program.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Option<T> {
        while let Some(end) = self.buffer.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            if let Ok(message) = serde_json::from_slice(&line) {
                return Some(message);
            }
        }
        None
    }

    /// Waits for the next message, or for the end of the connection.
    pub(crate) fn receive<T: DeserializeOwned>(&mut self, from: &mut impl Read) -> Option<T> {
        loop {
            if let Some(message) = self.next() {
                return Some(message);
            }
            if self.fill(from) == PeerState::Closed {
                return self.next();
            }
        }
    }
}
