//! The children of a supervisor, or of the first process of a namespace.
//!
//! Both adopt orphans, so they reap more than they started; only the main child's status matters.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

use nix::errno::Errno;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};

use crate::supervisor::protocol::Status;

#[derive(Debug)]
pub(crate) struct Family {
    main: Child,
    status: Option<Status>,
}

/// Whether anybody is left to wait for, dead or alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Children {
    Some,
    None,
}

impl Family {
    pub(crate) fn new(main: Child) -> Self {
        Self { main, status: None }
    }

    pub(crate) fn main_pid(&self) -> i32 {
        self.main.id().cast_signed()
    }

    /// How the main child ended, once it did.
    pub(crate) fn status(&self) -> Option<Status> {
        self.status
    }

    /// Reaps whoever is dead.
    pub(crate) fn reap(&mut self) -> Children {
        loop {
            self.ask_main();
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => return Children::Some,
                Err(Errno::ECHILD) => return Children::None,
                Ok(status) => self.note(status),
                // Somebody died of a real-time signal, for which the wrapper has no name.
                Err(_) => {}
            }
        }
    }

    /// The main child is asked first and by itself: only so is every signal number told.
    fn ask_main(&mut self) {
        if self.status.is_none() {
            self.status = self.main.try_wait().ok().flatten().map(status_of);
        }
    }

    fn note(&mut self, status: WaitStatus) {
        if status.pid().is_none_or(|pid| pid.as_raw() != self.main_pid()) {
            return;
        }
        self.status = match status {
            WaitStatus::Exited(_, code) => Some(Status::Exited(code)),
            WaitStatus::Signaled(_, signal, _) => Some(Status::Signaled(signal as i32)),
            _ => self.status,
        };
    }
}

pub(crate) fn status_of(status: ExitStatus) -> Status {
    match status.code() {
        Some(code) => Status::Exited(code),
        None => Status::Signaled(status.signal().unwrap_or_default()),
    }
}
