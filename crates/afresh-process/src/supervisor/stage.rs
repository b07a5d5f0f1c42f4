//! The supervisor's side of a stage: starting it, telling it, hearing it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::output::pipes::Writers;
use crate::supervisor::main::own_executable;
use crate::supervisor::protocol::{Lines, Peer, Reply, send};
use crate::supervisor::reaper::Family;

/// The line to a stage, until it becomes the program or ends.
#[derive(Debug)]
pub(crate) struct Stage {
    line: Option<File>,
    lines: Lines,
}

impl Stage {
    /// Starts a stage that waits for its order.
    pub(crate) fn start(writers: Writers) -> io::Result<(Self, Family)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(own_executable()?);
        command.arg(crate::HIDDEN_COMMAND).env_clear();
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        command.stdout(writers.stdout).stderr(writers.stderr);
        let child = command.spawn()?;
        let line = Some(File::from(OwnedFd::from(ours)));
        Ok((Self { line, lines: Lines::default() }, Family::new(child)))
    }

    /// A stage that cannot hear has ended, which its parent notices anyway.
    pub(crate) fn tell(&mut self, message: &impl Serialize) {
        if let Some(line) = &mut self.line
            && send(line, message).is_err()
        {
            self.line = None;
        }
    }

    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.line.as_ref().map(AsFd::as_fd)
    }

    /// Reads once what is there, or waits for something.
    pub(crate) fn listen(&mut self) {
        if let Some(line) = &mut self.line
            && self.lines.fill(line) == Peer::Closed
        {
            self.line = None;
        }
    }

    /// It became the program or ended; which of the two, its parent knows.
    pub(crate) fn is_silent_for_good(&self) -> bool {
        self.line.is_none()
    }

    pub(crate) fn next(&mut self) -> Option<Reply> {
        self.lines.next()
    }

    /// The next reply of a stage that has ended: nothing more can come after what is there.
    pub(crate) fn last_words(&mut self) -> Option<Reply> {
        while self.line.is_some() {
            self.listen();
        }
        self.next()
    }
}
