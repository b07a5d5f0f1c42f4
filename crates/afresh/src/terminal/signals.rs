//! Ctrl-C and other signals, as inputs of the driver (F17).
//!
//! | signal | meaning |
//! | --- | --- |
//! | SIGINT (Ctrl-C), SIGHUP | halt: running attempts finish, nothing new starts; a second one ends them |
//! | SIGTERM | halt at once: attempts are ended, their work is saved |
//! | SIGPIPE | ignored: a closed terminal never stops a run |

use std::sync::mpsc::Sender;
use std::thread;

use afresh_core::Input;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use crate::terminal::live::{LiveRegion, tty_mode};

/// Gives the terminal back as it was before Ctrl-Z stops us, and takes it again afterwards.
pub(crate) fn leave_terminal_when_stopped(region: LiveRegion) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTSTP])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            region.hide();
            let was_enabled = tty_mode::is_enabled();
            tty_mode::restore();
            // Returns when the shell continues us.
            if signal_hook::low_level::emulate_default_handler(signal).is_ok() && was_enabled {
                tty_mode::enable();
            }
        }
    });
    Ok(())
}

/// Sends a halt for every such signal.
pub(crate) fn listen(inputs: Sender<Input>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            let (name, now) = match signal {
                SIGTERM => ("SIGTERM", true),
                SIGHUP => ("SIGHUP", false),
                _ => ("Ctrl-C", false),
            };
            let input = Input::HaltAsked {
                now,
                reason: format!("{name} was received"),
                by: name.to_owned(),
            };
            if inputs.send(input).is_err() {
                return;
            }
        }
    });
    Ok(())
}
