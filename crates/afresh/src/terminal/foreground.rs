//! Whether we are in the foreground: after `afresh run &` there is a terminal, but no input.

use std::io::stdin;

use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{getpgrp, tcgetpgrp};

/// Whether the terminal belongs to another job. One that controls no session does not.
pub(crate) fn is_taken() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group != getpgrp())
}

/// Makes reads of this thread fail in the background, instead of stopping the whole program.
pub(crate) fn fail_in_background() {
    let mut stopping = SigSet::empty();
    stopping.add(Signal::SIGTTIN);
    // Without it, a job in the background stops until it is brought back.
    let _ = stopping.thread_block();
}
