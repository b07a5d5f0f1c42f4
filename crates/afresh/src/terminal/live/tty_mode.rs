//! Switches the terminal's own line editing and echo off, and always on again: at the end, at a panic, and before
//! Ctrl-Z stops us.
//!
//! Signals keep working: Ctrl-C halts the run as always.

use std::io::stdin;
use std::sync::{Mutex, PoisonError};

use nix::sys::termios::{self, LocalFlags, SetArg, SpecialCharacterIndices, Termios};

use crate::terminal::foreground;

/// How the terminal was before; none while it is as it was.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Typed bytes arrive at once, and the terminal shows none of them. False if that is not possible.
pub(crate) fn enable() -> bool {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if before.is_some() {
        return true;
    }
    // From the background, the terminal would stop us.
    if foreground::is_taken() {
        return false;
    }
    let Ok(known) = termios::tcgetattr(stdin()) else { return false };
    let mut typed = known.clone();
    typed.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
    typed.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
    typed.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
    if termios::tcsetattr(stdin(), SetArg::TCSANOW, &typed).is_err() {
        return false;
    }
    *before = Some(known);
    true
}

/// Whether the terminal shows nothing of what is typed.
pub(crate) fn is_enabled() -> bool {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// The terminal as it was before [`enable`].
pub(crate) fn restore() {
    // Also while a panic holds the lock.
    let Ok(mut before) = BEFORE.try_lock() else { return };
    if let Some(known) = before.take()
        && !foreground::is_taken()
    {
        let _ = termios::tcsetattr(stdin(), SetArg::TCSANOW, &known);
    }
}
