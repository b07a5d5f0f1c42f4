//! The hidden command: dispatches to the supervisor or one of its stages.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::supervisor::child;
use crate::supervisor::namespace;
use crate::supervisor::protocol::{LineReader, StageCommand};
use crate::supervisor::run::JobSupervisor;
use crate::supervisor::signals;

/// The argument with which the driver's executable is to call [`supervise_main`].
pub const HIDDEN_COMMAND: &str = "supervise";

/// The body of the hidden command. Call it first in `main`, before any thread is started, any file
/// opened and anything parsed: it closes inherited descriptors, and runs three times per job.
pub fn supervise_main() -> ExitCode {
    signals::close_inherited();
    match dispatch_role() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn dispatch_role() -> io::Result<()> {
    signals::block_all_signals()?;
    // A supervisor must not keep a directory busy.
    std::env::set_current_dir("/")?;
    let mut from = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut lines = LineReader::default();
    match lines.receive(&mut from) {
        // The driver died before it sent a command.
        None => {}
        Some(StageCommand::Supervise(job)) => JobSupervisor::new(*job, from, lines)?.run(),
        Some(StageCommand::Enter(command)) => child::run(&command, from),
        Some(StageCommand::Unshare { supervisor, cgroup_limits }) => {
            namespace::make(supervisor, &cgroup_limits, from);
        }
        Some(StageCommand::Init(spec)) => namespace::first_process(&spec, from, lines),
    }
    Ok(())
}

/// Our own executable, even if the file was replaced meanwhile.
pub(crate) fn own_executable() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { std::env::current_exe() }
}
