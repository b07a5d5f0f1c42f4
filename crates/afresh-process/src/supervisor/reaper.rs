//! Reaps the children of a supervisor, or of the first process of a namespace.
//!
//! Both adopt orphans, so they reap more than they started; only the main child's status matters.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

use nix::errno::Errno;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};

use crate::supervisor::protocol::ExitState;

#[derive(Debug)]
pub(crate) struct ChildReaper {
    main: Child,
    status: Option<ExitState>,
}

/// Whether any child is left, dead or alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReapState {
    Some,
    None,
}

impl ChildReaper {
    pub(crate) fn new(main: Child) -> Self {
        Self { main, status: None }
    }

    pub(crate) fn main_pid(&self) -> i32 {
        self.main.id().cast_signed()
    }

    /// How the main child exited, once it did.
    pub(crate) fn status(&self) -> Option<ExitState> {
        self.status
    }

    /// Reaps all dead children.
    pub(crate) fn reap(&mut self) -> ReapState {
        loop {
            self.poll_main();
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => return ReapState::Some,
                Err(Errno::ECHILD) => return ReapState::None,
                Ok(status) => self.record_exit(status),
                // A child died of a real-time signal, which the library cannot name.
                Err(_) => {}
            }
        }
    }

    /// The main child is polled first and alone: only this way its signal number is always known.
    fn poll_main(&mut self) {
        if self.status.is_none() {
            self.status = self.main.try_wait().ok().flatten().map(exit_state);
        }
    }

    fn record_exit(&mut self, status: WaitStatus) {
        if status.pid().is_none_or(|pid| pid.as_raw() != self.main_pid()) {
            return;
        }
        self.status = match status {
            WaitStatus::Exited(_, code) => Some(ExitState::Exited(code)),
            WaitStatus::Signaled(_, signal, _) => Some(ExitState::Signaled(signal as i32)),
            _ => self.status,
        };
    }
}

pub(crate) fn exit_state(status: ExitStatus) -> ExitState {
    match status.code() {
        Some(code) => ExitState::Exited(code),
        None => ExitState::Signaled(status.signal().unwrap_or_default()),
    }
}
