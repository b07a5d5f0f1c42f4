//! Bytes both ways, until both sides have said all: as they come, in bounded buffers, and the end of
//! one direction is handed on without ending the other.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use crate::shutdown::{Closing, Woke};

/// On their way in one direction.
const BUFFER_BYTES: usize = 32 * 1024;
/// Reads and writes of one direction before it is the other's turn.
const MOVES: usize = 8;
/// How long a side may be silent when the other has said all.
const PATIENCE: Duration = Duration::from_secs(600);

/// One direction.
struct Pipe<'a> {
    from: &'a TcpStream,
    to: &'a TcpStream,
    buffer: Box<[u8]>,
    /// What of the buffer is still to be written.
    start: usize,
    end: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Flowing,
    /// All was read.
    Ending,
    Ended,
}

/// Ends without an error where both said all, and where the door was closed.
pub(crate) fn relay(one: &TcpStream, other: &TcpStream, closing: &Closing) -> io::Result<()> {
    for stream in [one, other] {
        stream.set_nonblocking(true)?;
        // Answers come in small pieces, and each is waited for.
        stream.set_nodelay(true)?;
    }
    let mut pipes = [Pipe::new(one, other), Pipe::new(other, one)];
    loop {
        for pipe in &mut pipes {
            pipe.flow()?;
        }
        if pipes.iter().all(|pipe| pipe.state == State::Ended) {
            return Ok(());
        }
        let half = pipes.iter().any(|pipe| pipe.state == State::Ended);
        let until = half.then(|| Instant::now() + PATIENCE);
        let waited: Vec<(&dyn AsFd, PollFlags)> =
            pipes.iter().filter_map(Pipe::waits_for).collect();
        match closing.wait(&waited, until)? {
            Woke::Ready(_) => {}
            Woke::Late | Woke::Closed => return Ok(()),
        }
    }
}

impl<'a> Pipe<'a> {
    fn new(from: &'a TcpStream, to: &'a TcpStream) -> Self {
        let buffer = vec![0; BUFFER_BYTES].into_boxed_slice();
        Self { from, to, buffer, start: 0, end: 0, state: State::Flowing }
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Nothing is read before what was read is written: whoever is slow slows down the other.
    fn waits_for(&self) -> Option<(&'a dyn AsFd, PollFlags)> {
        match self.state {
            State::Ended => None,
            _ if !self.is_empty() => Some((self.to, PollFlags::POLLOUT)),
            _ => Some((self.from, PollFlags::POLLIN)),
        }
    }

    /// As far as it goes without waiting, and without forgetting the other direction.
    fn flow(&mut self) -> io::Result<()> {
        for _ in 0..MOVES {
            if self.state == State::Ended {
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
        if self.state == State::Ending {
            // It may be gone already, which is an end as well.
            let _ = self.to.shutdown(Shutdown::Write);
            self.state = State::Ended;
            return Ok(true);
        }
        let mut from = self.from;
        let Some(read) = unless_it_waits(from.read(&mut self.buffer))? else { return Ok(false) };
        if read == 0 {
            self.state = State::Ending;
        }
        (self.start, self.end) = (0, read);
        Ok(true)
    }

    fn drain(&mut self) -> io::Result<bool> {
        let mut to = self.to;
        let written = unless_it_waits(to.write(&self.buffer[self.start..self.end]))?;
        self.start += written.unwrap_or(0);
        Ok(written.is_some())
    }
}

fn unless_it_waits(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        },
    }
}
