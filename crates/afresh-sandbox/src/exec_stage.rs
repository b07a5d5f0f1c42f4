//! The hidden command: the last step before the program. It takes its orders as one argument, gives
//! up what the program must not have, and turns into it.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use nix::sys::signal::SigSet;
use serde::{Deserialize, Serialize};

use crate::handoff::HandOut;
use crate::landlock;
use crate::rlimits::Limits;
use crate::seccomp;
use crate::spec::{Room, text};

/// The argument with which our executable is to call [`confine_main`].
pub const CONFINE: &str = "confine";

/// What cannot be done inside is told by this exit code, as shells do for what cannot be executed.
const CANNOT: u8 = 126;

/// What is done before the program starts.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Last {
    /// In a room that is made already.
    Inside {
        limits: Limits,
        hand_out: Option<HandOut>,
    },
    Rules(Room),
}

impl Last {
    pub(crate) fn inside(room: &Room) -> Self {
        Self::Inside { limits: room.limits, hand_out: HandOut::of(room) }
    }
}

/// `us confine ORDERS program arguments…`
pub(crate) fn command(us: &Path, last: &Last) -> Vec<String> {
    let orders = serde_json::to_string(last).expect("orders are plain data");
    vec![text(us), CONFINE.to_owned(), orders]
}

/// The body of the hidden command. Call it first thing in `main`. Returns only where the program
/// does not start.
#[expect(clippy::print_stderr, reason = "nobody else is left to say it")]
pub fn confine_main() -> ExitCode {
    let error = match step() {
        Ok(never) => match never {},
        Err(error) => error,
    };
    eprintln!("afresh: cannot start inside the sandbox: {error}");
    ExitCode::from(CANNOT)
}

fn step() -> io::Result<std::convert::Infallible> {
    let mut arguments = std::env::args().skip(2);
    let (Some(orders), Some(program)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("this command is for afresh itself"));
    };
    let last: Last = serde_json::from_str(&orders)?;
    match &last {
        Last::Inside { limits, hand_out } => {
            hand_out.as_ref().map_or(Ok(()), HandOut::hand_out)?;
            limits.apply()?;
        }
        Last::Rules(room) => {
            room.limits.apply()?;
            landlock::restrict(room)?;
            seccomp::restrict(room)?;
        }
    }
    // What was sent before is meant for the program: it ends this process in its place.
    SigSet::all().thread_unblock()?;
    let error = Command::new(&program).args(arguments).exec();
    Err(io::Error::new(error.kind(), format!("{program}: {error}")))
}
