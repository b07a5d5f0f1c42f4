//! Waits that end when the proxy is shut down, or when the time is up.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Held by all threads of a proxy. It can be polled; it is readable once the proxy is shut down.
#[derive(Debug, Clone)]
pub struct ShutdownSignal(Arc<UnixStream>);

/// Shuts the proxy down when it is dropped.
#[derive(Debug)]
pub(crate) struct ShutdownTrigger {
    _other_end: UnixStream,
}

pub(crate) fn shutdown_pair() -> io::Result<(ShutdownTrigger, ShutdownSignal)> {
    let (ours, theirs) = UnixStream::pair()?;
    Ok((ShutdownTrigger { _other_end: ours }, ShutdownSignal(Arc::new(theirs))))
}

/// Why a wait ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WaitOutcome {
    /// What each descriptor is ready for.
    Ready(Vec<PollFlags>),
    Late,
    Closed,
}

impl ShutdownSignal {
    /// Waits until one of these is ready.
    pub(crate) fn wait(
        &self,
        waited: &[(&dyn AsFd, PollFlags)],
        until: Option<Instant>,
    ) -> io::Result<WaitOutcome> {
        let mut polled = vec![PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
        polled.extend(waited.iter().map(|(it, flags)| PollFd::new(it.as_fd(), *flags)));
        loop {
            match poll(&mut polled, timeout(until)) {
                Ok(0) if until.is_some_and(|until| Instant::now() < until) => {}
                Ok(0) => return Ok(WaitOutcome::Late),
                Ok(_) => break,
                Err(nix::errno::Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if polled[0].any().unwrap_or(true) {
            return Ok(WaitOutcome::Closed);
        }
        let ready = |polled: &PollFd<'_>| polled.revents().unwrap_or(PollFlags::POLLERR);
        Ok(WaitOutcome::Ready(polled[1..].iter().map(ready).collect()))
    }

    /// Waits until there is something to read or accept; an error if that does not happen.
    pub fn readable(&self, it: &impl AsFd, until: Option<Instant>) -> io::Result<()> {
        self.ready(it, PollFlags::POLLIN, until)
    }

    pub(crate) fn ready(
        &self,
        it: &impl AsFd,
        flags: PollFlags,
        until: Option<Instant>,
    ) -> io::Result<()> {
        match self.wait(&[(it, flags)], until)? {
            WaitOutcome::Ready(_) => Ok(()),
            WaitOutcome::Late => Err(io::ErrorKind::TimedOut.into()),
            WaitOutcome::Closed => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}

fn timeout(until: Option<Instant>) -> PollTimeout {
    let Some(until) = until else { return PollTimeout::NONE };
    // Rounded up, so that the time is up when we wake.
    let left = until.saturating_duration_since(Instant::now()).as_millis() + 1;
    PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
}
