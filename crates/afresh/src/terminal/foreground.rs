//! Whether the terminal listens to us: `afresh run &` has one, and still nobody can type to it.

use std::io::stdin;

use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{getpgrp, tcgetpgrp};

/// Does the terminal belong to another job? One that controls nobody belongs to whoever reads it.
pub(crate) fn is_taken() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group != getpgrp())
}

/// Has a read of this thread fail in the background, instead of stopping the whole program.
pub(crate) fn fail_in_background() {
    let mut stopping = SigSet::empty();
    stopping.add(Signal::SIGTTIN);
    // Without it, a job that is sent to the background stops until it is brought back.
    let _ = stopping.thread_block();
}
