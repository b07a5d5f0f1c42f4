//! However the view ends, the terminal is as it was.

use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::full_screen::FullScreen;
use crate::scene::{finished, watch};
use crate::support::repo;
use crate::support::tmux::TmuxScreen;

/// ST-04: a signal ends the view, gives the terminal back, and is what the view ends with.
#[test]
fn signals_give_the_terminal_back() {
    let repo = finished();
    for (signal, code) in [(Signal::SIGTERM, 143), (Signal::SIGHUP, 129), (Signal::SIGINT, 130)] {
        let Some(screen) = watch(&repo, 80, 24) else { return };
        screen.await_text("1/2 done");
        assert!(screen.is_full_screen() && !screen.is_restored());
        kill(Pid::from_raw(screen.program_pid()), signal).expect("it runs");
        // The shell prints the signal's name too.
        screen.await_text(&format!("ended with {code}"));
        assert!(screen.is_restored(), "{signal}: {}", screen.text());
    }
}

/// Ctrl-Z gives the terminal back until the shell continues the view, which then paints everything again.
#[test]
fn a_suspended_view_comes_back() {
    let repo = finished();
    let Some(screen) = watch(&repo, 80, 24) else { return };
    screen.await_text("1/2 done");
    screen.press("C-z");
    repo.wait_until("the terminal is given back", || screen.is_restored());
    kill(Pid::from_raw(screen.program_pid()), Signal::SIGCONT).expect("it is there");
    screen.await_text("1/2 done");
    assert!(screen.is_full_screen());
    screen.press("q");
    screen.await_text("ended with 0");
    assert!(screen.is_restored());
}

/// A panic gives the terminal back before its message is printed: the message is on the user's own screen.
#[test]
fn a_panic_gives_the_terminal_back() {
    let repo = repo();
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--ignored", "--exact", "restoring::panics_in_full_screen", "--nocapture"]);
    let Some(screen) = TmuxScreen::start_program(&repo, &child, 100, 30) else { return };
    screen.await_text("ended with 101");
    assert!(screen.is_restored(), "{}", screen.text());
    let shown = screen.text();
    assert!(shown.contains("the view has a bug"), "{shown}");
    assert!(!shown.contains("was on the full screen"), "{shown}");
}

#[test]
#[ignore = "started by the test above, in a terminal of its own"]
#[expect(clippy::panic, reason = "that is what is tested")]
fn panics_in_full_screen() {
    let mut screen = FullScreen::enter(100, 30).expect("a terminal");
    let area = ratatui_core::layout::Rect::new(0, 0, 100, 30);
    let mut frame = ratatui_core::buffer::Buffer::empty(area);
    frame.set_string(0, 0, "was on the full screen", ratatui_core::style::Style::new());
    screen.show(frame, None).expect("drawn");
    panic!("the view has a bug");
}
