//! The program in its own terminal: what a person would see, and whether it waits for one.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};

const PATIENCE: Duration = Duration::from_secs(60);

/// A program whose standard streams are a terminal.
#[derive(Debug)]
pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Terminal {
    pub(crate) fn start(command: Command) -> Self {
        Self::open(command, None)
    }

    /// A terminal with this many columns.
    pub(crate) fn start_with_columns(command: Command, columns: u16) -> Self {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        Self::open(command, Some(size))
    }

    fn open(mut command: Command, size: Option<Winsize>) -> Self {
        let pty = openpty(size.as_ref(), None).expect("a terminal");
        let side = || Stdio::from(pty.slave.try_clone().expect("a descriptor"));
        command.stdin(side()).stdout(side()).stderr(side()).process_group(0);
        command.env_remove("NO_COLOR").env("TERM", "xterm-256color");
        let child = command.spawn().expect("the program starts");
        drop(command);
        drop(pty.slave);
        let keyboard = File::from(pty.master);
        let mut master = keyboard.try_clone().expect("a descriptor");
        let screen = Arc::new(Mutex::new(Vec::new()));
        let reader = std::thread::spawn({
            let screen = Arc::clone(&screen);
            move || {
                let mut piece = [0; 4096];
                // The terminal is gone once its other side is closed.
                while let Ok(count @ 1..) = master.read(&mut piece) {
                    screen.lock().expect("the screen").extend_from_slice(&piece[..count]);
                }
            }
        });
        Self { child, keyboard, screen, reader: Some(reader) }
    }

    /// The program as a background job of a shell: another program owns the terminal.
    pub(crate) fn start_in_background(command: &Command) -> Self {
        let mut shell = Command::new("setsid");
        shell.args(["--ctty", "--wait", "sh", "-c", "set -m; \"$@\" & wait $!", "sh"]);
        shell.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        if let Some(directory) = command.get_current_dir() {
            shell.current_dir(directory);
        }
        Self::start(shell)
    }

    /// Everything that was printed so far, unchanged.
    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().expect("the screen")).into_owned()
    }

    #[track_caller]
    pub(crate) fn await_text(&self, expected: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.screen().contains(expected) {
            assert!(Instant::now() < until, "never showed {expected:?}:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("typed");
    }

    /// Waits for its end; returns the exit code and everything that was printed.
    #[track_caller]
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("our child") {
                break status;
            }
            assert!(Instant::now() < until, "hangs:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        };
        self.reader.take().expect("it is read").join().expect("the reader ends");
        (status.code(), self.screen())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
