//! Signals and inherited descriptors of the hidden command.
//!
//! The supervisor handles no signals: the driver decides. Exits of children arrive as readable
//! bytes.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::RawFd;

use nix::sys::signal::{SigSet, Signal};

use crate::leftovers::member_log::for_each_descendant;
use crate::supervisor::protocol::ProgramSpec;

/// No signal from a terminal or another process may end a supervisor, except SIGKILL.
pub(crate) fn block_all_signals() -> io::Result<()> {
    Ok(SigSet::all().thread_set_mask()?)
}

/// Whether any process below us does not block this signal.
pub(crate) fn is_handled_by_any_child(signal: Signal) -> bool {
    let mut is_handled = false;
    for_each_descendant(|pid| {
        is_handled = !blocks(pid, signal);
        if is_handled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    is_handled
}

/// A process that is gone receives nothing.
fn blocks(pid: i32, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask >> (signal as i32 - 1) & 1 == 1)
}

/// A program starts with an empty signal mask; the mask is inherited, so it is reset right before
/// exec. A wrapper must not end by the stop signal: it starts the program with an empty mask
/// itself.
pub(crate) fn restore_for_program(spec: &ProgramSpec) -> io::Result<()> {
    let mut mask = SigSet::empty();
    if !spec.through.is_empty() {
        let polite = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];
        mask.extend(polite);
    }
    Ok(mask.thread_set_mask()?)
}

/// A lock that a driver holds must not survive in anything that it started.
///
/// Only called first in a process of ours, when nothing but 0, 1 and 2 is in use.
pub(crate) fn close_inherited() {
    let directory = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let Ok(listing) = fs::read_dir(directory) else { return };
    let open: Vec<RawFd> = listing
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&fd| fd > 2)
        .collect();
    for fd in open {
        // The descriptor of the listing itself is closed already.
        let _ = nix::unistd::close(fd);
    }
}

#[cfg(target_os = "linux")]
pub(crate) use linux::ChildExits;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::Deaths;

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::fd::AsFd;
    use std::time::Duration;

    use nix::poll::{PollFd, PollFlags};
    use nix::sys::signal::{SigSet, Signal};
    use nix::sys::signalfd::{SfdFlags, SignalFd};

    /// Readable when a child exited.
    #[derive(Debug)]
    pub(crate) struct ChildExits(SignalFd);

    impl ChildExits {
        pub(crate) fn new() -> io::Result<Self> {
            let mut mask = SigSet::empty();
            mask.add(Signal::SIGCHLD);
            let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
            Ok(Self(SignalFd::with_flags(&mask, flags)?))
        }

        /// To be polled with other descriptors.
        pub(crate) fn polled(&self) -> Vec<PollFd<'_>> {
            vec![PollFd::new(self.0.as_fd(), PollFlags::POLLIN)]
        }

        pub(crate) fn forget(&self) {
            while let Ok(Some(_)) = self.0.read_signal() {}
        }

        pub(crate) fn longest_wait() -> Option<Duration> {
            None
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod portable {
    use std::io;
    use std::time::Duration;

    use nix::poll::PollFd;

    /// Without signalfd, the caller checks for dead children every few milliseconds.
    #[derive(Debug)]
    pub(crate) struct Deaths;

    impl ChildExits {
        pub(crate) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub(crate) fn polled(&self) -> Vec<PollFd<'_>> {
            Vec::new()
        }

        pub(crate) fn forget(&self) {}

        pub(crate) fn longest_wait() -> Option<Duration> {
            Some(Duration::from_millis(10))
        }
    }
}
