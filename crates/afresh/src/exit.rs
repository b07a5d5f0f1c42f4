//! Exit codes, in one place. `docs/exit-codes.md` says the same to users.

use std::io::Write;
use std::process::ExitCode;

use afresh_core::run::DriveState;

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
    /// A bug in afresh, or a machine that does not do what it should.
    Bug = 70,
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

/// clap's own messages: help and version are no errors.
pub(crate) fn of_usage(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && json {
        let message = error.to_string();
        let first = message.lines().next().unwrap_or_default();
        let text = first.strip_prefix("error: ").unwrap_or(first);
        let document = serde_json::json!({"error": {
            "kind": "usage", "message": text, "help": "see `afresh --help`",
            "file": null, "line": null, "column": null,
        }});
        let _ = writeln!(std::io::stdout().lock(), "{document}");
    } else {
        // A closed terminal must not turn help into a panic.
        let _ = error.print();
    }
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}

/// A panic anywhere, in any thread, ends the program with the code for a bug: what was recorded is
/// on disk, supervisors end their trees, and the next start goes on from there.
pub(crate) fn on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(std::io::stderr().lock(), "error: a bug in afresh: {panic}");
        std::process::exit(Exit::Bug as i32);
    }));
}
