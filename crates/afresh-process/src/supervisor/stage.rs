//! The supervisor's side of a stage: starting it, sending to it, reading its replies.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::output::pipes::PipeWriters;
use crate::supervisor::main::own_executable;
use crate::supervisor::protocol::{LineReader, PeerState, StageReply, send};
use crate::supervisor::reaper::ChildReaper;

/// The connection to a stage, until it becomes the program or exits.
#[derive(Debug)]
pub(crate) struct StageProcess {
    line: Option<File>,
    lines: LineReader,
}

impl StageProcess {
    /// Starts a stage that waits for its command.
    pub(crate) fn start(writers: PipeWriters) -> io::Result<(Self, ChildReaper)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(own_executable()?);
        command.arg(crate::HIDDEN_COMMAND).env_clear();
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        command.stdout(writers.stdout).stderr(writers.stderr);
        let child = command.spawn()?;
        let line = Some(File::from(OwnedFd::from(ours)));
        Ok((Self { line, lines: LineReader::default() }, ChildReaper::new(child)))
    }

    /// If this fails, the stage has exited, which its parent notices anyway.
    pub(crate) fn send(&mut self, message: &impl Serialize) {
        if let Some(line) = &mut self.line
            && send(line, message).is_err()
        {
            self.line = None;
        }
    }

    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.line.as_ref().map(AsFd::as_fd)
    }

    /// Reads what has arrived, or waits for something.
    pub(crate) fn listen(&mut self) {
        if let Some(line) = &mut self.line
            && self.lines.fill(line) == PeerState::Closed
        {
            self.line = None;
        }
    }

    /// It became the program or exited; its parent knows which.
    pub(crate) fn is_closed(&self) -> bool {
        self.line.is_none()
    }

    pub(crate) fn next_reply(&mut self) -> Option<StageReply> {
        self.lines.next()
    }

    /// The next reply of a stage that has exited: nothing more can arrive.
    pub(crate) fn read_final_reply(&mut self) -> Option<StageReply> {
        while self.line.is_some() {
            self.listen();
        }
        self.next_reply()
    }
}
