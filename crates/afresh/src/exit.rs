//! Exit codes, in one place. `docs/exit-codes.md` documents the same for users.

use std::io::Write;
use std::process::ExitCode;

use crate::terminal::live::tty_mode;
use afresh_core::run::DriveState;

use afresh_app::error::ErrorClass;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All done.
    Done = 0,
    /// Finished, but something failed, was skipped or is blocked.
    Incomplete = 1,
    /// Wrong usage or unreadable input.
    Usage = 2,
    Halted = 3,
    /// Waits for a person.
    Waiting = 4,
    /// Another process drives this run.
    Busy = 5,
    BudgetReached = 6,
    /// `afresh audit`: the work has to be divided.
    NeedsDecomposition = 10,
    /// `afresh audit`: the specification has to be split.
    NeedsSplit = 11,
    /// A bug in afresh.
    Bug = 70,
    /// The machine refused: disk, permission, network. The number is `EX_IOERR` of sysexits.
    Machine = 74,
}

impl Exit {
    /// The one with this number: that of another afresh.
    pub(crate) fn from_code(code: i32) -> Option<Self> {
        let all = [
            Self::Done,
            Self::Incomplete,
            Self::Usage,
            Self::Halted,
            Self::Waiting,
            Self::Busy,
            Self::BudgetReached,
            Self::NeedsDecomposition,
            Self::NeedsSplit,
            Self::Bug,
            Self::Machine,
        ];
        all.into_iter().find(|exit| *exit as i32 == code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<DriveState> for Exit {
    fn from(standing: DriveState) -> Self {
        match standing {
            DriveState::Finished { ok: true } => Self::Done,
            DriveState::Finished { ok: false } => Self::Incomplete,
            DriveState::Halted => Self::Halted,
            DriveState::Waiting => Self::Waiting,
            DriveState::BudgetReached => Self::BudgetReached,
            DriveState::Busy => Self::Bug,
        }
    }
}

impl From<ErrorClass> for Exit {
    fn from(class: ErrorClass) -> Self {
        match class {
            ErrorClass::Usage => Self::Usage,
            ErrorClass::Machine => Self::Machine,
            ErrorClass::Incomplete => Self::Incomplete,
            ErrorClass::Halted => Self::Halted,
            ErrorClass::Busy => Self::Busy,
            ErrorClass::Bug => Self::Bug,
        }
    }
}

/// A panic in any thread ends the program with the code for a bug: what was recorded is on disk,
/// supervisors end their process trees, and the next start continues from there.
pub(crate) fn exit_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        tty_mode::restore();
        let _ = writeln!(std::io::stderr().lock(), "error: a bug in afresh: {panic}");
        std::process::exit(Exit::Bug as i32);
    }));
}
