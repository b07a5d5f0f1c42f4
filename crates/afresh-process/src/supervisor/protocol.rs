//! What driver, supervisor and stages say to each other: one JSON document per line.
//!
//! No sender writes ahead of its reader's turn, so a reader may take more than one line at a time.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use afresh_core::process::StopSignal;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::driver::job::JobSpec;
use crate::driver::report::{JobReport, SpawnError};
use crate::limits::cgroup_limits::CgroupPaths;

/// The first line on the standard input of the hidden command: which part it plays.
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

/// The part of a job that makes the program itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ProgramSpec {
    pub argv: Vec<String>,
    pub through: Vec<String>,
    pub cwd: PathBuf,
    pub env: Vec<(String, String)>,
    pub stdin: Option<PathBuf>,
    /// Processes of this user that there may be at most, where its tree is only counted.
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

/// Driver to supervisor, after the job.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ControlMessage {
    Stop {
        grace: Duration,
    },
    Kill,
    /// The program waits for the driver, so its silence is not its own; false: no longer.
    PauseSilenceLimit(bool),
}

/// Supervisor to driver.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum StatusMessage {
    /// The program itself is there.
    Started,
    Seen {
        bytes: u64,
    },
    Report(Box<JobReport>),
}

/// Stage to supervisor. A stage that becomes the program says nothing: its end just closes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum StageReply {
    /// The rung does not exist here; nothing was started.
    Unavailable(String),
    Failed(SpawnError),
    /// What the kernel should keep could not be entered; it goes on without.
    Unfenced,
    /// The namespace stands, and its first process waits for its order.
    Inside,
    /// The first process of a namespace has started the program.
    Started,
    Ended(ExitState),
}

/// Supervisor to the first process of a namespace.
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

/// Bytes that came in and are not yet whole lines.
#[derive(Debug, Default)]
pub(crate) struct LineReader {
    buffer: Vec<u8>,
}

/// Whether the other side may still speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeerState {
    Open,
    Closed,
}

impl LineReader {
    /// Reads once. A broken connection is a closed one.
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

    /// The next whole message. One that cannot be read is skipped: both ends are the same program.
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
