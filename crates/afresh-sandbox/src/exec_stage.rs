//! The hidden command: the last stage before the program. It takes its orders as one argument,
//! gives up what the program must not have, and calls exec.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use nix::sys::signal::SigSet;
use serde::{Deserialize, Serialize};

use crate::handoff::HandoffPlan;
use crate::landlock;
use crate::rlimits::ProcessRlimits;
use crate::seccomp;
use crate::spec::{SandboxSpec, path_text};

/// The argument with which our executable is to call [`confine_main`].
pub const CONFINE: &str = "confine";

/// The exit code if the stage fails, as shells use it for programs that cannot be executed.
const CANNOT: u8 = 126;

/// The start of the line in which it says why.
const CANNOT_START: &str = "afresh: cannot start inside the sandbox: ";

/// Why a program did not start inside its sandbox, by its exit code and its standard error; none if it did start.
/// A program that only pretends this harms itself alone.
pub fn start_failure(exit_code: i32, stderr: &str) -> Option<&str> {
    let mut lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let last = lines.next_back()?;
    match exit_code {
        code if code == i32::from(CANNOT) => last.strip_prefix(CANNOT_START),
        1 => last.strip_prefix("bwrap: ").filter(|_| lines.next_back().is_none()),
        _ => None,
    }
}

/// What the stage does before the program starts.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ExecStage {
    /// In a sandbox that bubblewrap has made.
    Inside {
        limits: ProcessRlimits,
        hand_out: Option<HandoffPlan>,
    },
    Rules(SandboxSpec),
}

impl ExecStage {
    pub(crate) fn inside(spec: &SandboxSpec) -> Self {
        Self::Inside { limits: spec.limits, hand_out: HandoffPlan::from_spec(spec) }
    }
}

/// `us confine ORDERS program arguments…`
pub(crate) fn command(us: &Path, last: &ExecStage) -> Vec<String> {
    let orders = serde_json::to_string(last).expect("orders are plain data");
    vec![path_text(us), CONFINE.to_owned(), orders]
}

/// The body of the hidden command. Call it first in `main`. Returns only if the program does not
/// start.
#[expect(clippy::print_stderr, reason = "nobody else is left to say it")]
pub fn confine_main() -> ExitCode {
    let error = match run_stage() {
        Ok(never) => match never {},
        Err(error) => error,
    };
    eprintln!("{CANNOT_START}{error}");
    ExitCode::from(CANNOT)
}

fn run_stage() -> io::Result<std::convert::Infallible> {
    let mut arguments = std::env::args_os().skip(2);
    let (Some(orders), Some(program)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("this command is for afresh itself"));
    };
    let last: ExecStage = serde_json::from_str(&orders.to_string_lossy())?;
    match &last {
        ExecStage::Inside { limits, hand_out } => {
            hand_out.as_ref().map_or(Ok(()), HandoffPlan::hand_out)?;
            limits.apply()?;
        }
        ExecStage::Rules(spec) => {
            spec.limits.apply()?;
            landlock::restrict(spec)?;
            seccomp::restrict(spec)?;
        }
    }
    // Signals that were sent before are meant for the program: they end this process in its place.
    SigSet::all().thread_unblock()?;
    let error = Command::new(&program).args(arguments).exec();
    Err(io::Error::new(error.kind(), format!("{}: {error}", program.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-06: a program that did not start is told apart from one that failed.
    #[test]
    fn a_failure_to_start_is_recognised() {
        let why = "/x/claude: No such file or directory";
        assert_eq!(start_failure(126, &format!("{CANNOT_START}{why}\n")), Some(why));
        assert_eq!(start_failure(1, "bwrap: Can't mkdir /x\n"), Some("Can't mkdir /x"));
        for (code, text) in [(1, CANNOT_START), (126, "sh: no"), (1, "x\nbwrap: y"), (0, "")] {
            assert_eq!(start_failure(code, text), None, "{code} {text}");
        }
    }
}
