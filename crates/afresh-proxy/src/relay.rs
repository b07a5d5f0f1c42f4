//! Copies bytes both ways until both sides are finished, with bounded buffers. The end of one
//! direction is passed on without ending the other.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use crate::shutdown::{ShutdownSignal, WaitOutcome};

/// In transit in one direction.
const BUFFER_BYTES: usize = 32 * 1024;
/// Reads and writes of one direction before the other has its turn.
const MOVES: usize = 8;
/// How long a side may be silent after the other has finished.
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// One direction.
struct RelayDirection<'a> {
    from: &'a TcpStream,
    to: &'a TcpStream,
    buffer: Box<[u8]>,
    /// The part of the buffer that must still be written.
    start: usize,
    end: usize,
    state: RelayState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RelayState {
    Flowing,
    /// Everything was read.
    Ending,
    Ended,
}

/// Returns without an error when both sides are finished, or when the proxy is shut down.
pub(crate) fn relay(
    one: &TcpStream,
    other: &TcpStream,
    shutdown: &ShutdownSignal,
) -> io::Result<()> {
    for stream in [one, other] {
        stream.set_nonblocking(true)?;
        // Responses come in small pieces, each of which should be sent at once.
        stream.set_nodelay(true)?;
    }
    let mut pipes = [RelayDirection::new(one, other), RelayDirection::new(other, one)];
    loop {
        for pipe in &mut pipes {
            pipe.flow()?;
        }
        if pipes.iter().all(|pipe| pipe.state == RelayState::Ended) {
            return Ok(());
        }
        let half = pipes.iter().any(|pipe| pipe.state == RelayState::Ended);
        let until = half.then(|| Instant::now() + IDLE_TIMEOUT);
        let waited: Vec<(&dyn AsFd, PollFlags)> =
            pipes.iter().filter_map(RelayDirection::waits_for).collect();
        match shutdown.wait(&waited, until)? {
            WaitOutcome::Ready(_) => {}
            WaitOutcome::Late | WaitOutcome::Closed => return Ok(()),
        }
    }
}

impl<'a> RelayDirection<'a> {
    fn new(from: &'a TcpStream, to: &'a TcpStream) -> Self {
        let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
        Self { from, to, buffer, start: 0, end: 0, state: RelayState::Flowing }
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Nothing is read before what was read is written: a slow reader slows down the writer.
    fn waits_for(&self) -> Option<(&'a dyn AsFd, PollFlags)> {
        match self.state {
            RelayState::Ended => None,
            _ if !self.is_empty() => Some((self.to, PollFlags::POLLOUT)),
            _ => Some((self.from, PollFlags::POLLIN)),
        }
    }

    /// Copies without blocking, and without starving the other direction.
    fn flow(&mut self) -> io::Result<()> {
        for _ in 0..MOVES {
            if self.state == RelayState::Ended {
                return Ok(());
            }
            let moved = if self.is_empty() { self.fill()? } else { self.drain()? };
            if !moved {
                return Ok(());
            }
        }
        Ok(())
    }

    fn fill(&mut self) -> io::Result<bool> {
        if self.state == RelayState::Ending {
            // It may be closed already.
            let _ = self.to.shutdown(Shutdown::Write);
            self.state = RelayState::Ended;
            return Ok(true);
        }
        let mut from = self.from;
        let Some(read) = ignore_would_block(from.read(&mut self.buffer))? else { return Ok(false) };
        if read == 0 {
            self.state = RelayState::Ending;
        }
        (self.start, self.end) = (0, read);
        Ok(true)
    }

    fn drain(&mut self) -> io::Result<bool> {
        let mut to = self.to;
        let written = ignore_would_block(to.write(&self.buffer[self.start..self.end]))?;
        self.start += written.unwrap_or(0);
        Ok(written.is_some())
    }
}

fn ignore_would_block(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        },
    }
}
