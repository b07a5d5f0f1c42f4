//! The program in a real terminal emulator: what stands on the screen, in which cells. Needs tmux.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use afresh_testkit::TestRepo;

const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal of tmux with one program in it; ended with the test.
#[derive(Debug)]
pub(crate) struct TmuxScreen {
    socket: PathBuf,
}

impl TmuxScreen {
    /// Starts the program under test; none, and a line that says so, if tmux is not installed.
    pub(crate) fn start(repo: &TestRepo, args: &[&str], columns: u16, rows: u16) -> Option<Self> {
        Self::start_program(repo, &repo.command(args), columns, rows)
    }

    /// The same with any program.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub(crate) fn start_program(
        repo: &TestRepo,
        program: &Command,
        columns: u16,
        rows: u16,
    ) -> Option<Self> {
        // The server of an earlier screen may still be ending, so that each has its own.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("SKIPPED: tmux is not installed");
            return None;
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let screen = Self { socket: repo.path().join(format!("tmux.{number}")) };
        let mut tmux = screen.tmux();
        tmux.args(["-f", "/dev/null", "new-session", "-d"]);
        tmux.args(["-x", &columns.to_string(), "-y", &rows.to_string()]);
        tmux.current_dir(program.get_current_dir().unwrap_or(repo.path()));
        // What the program ends with stays on the screen.
        let script = "\"$@\"; echo \"ended with $?\"; exec sleep 600";
        tmux.args(["sh", "-c", script, "sh"]).arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => tmux.env(name, value),
                None => tmux.env_remove(name),
            };
        }
        tmux.env_remove("NO_COLOR").env_remove("TMUX").env("TERM", "xterm-256color");
        let started = tmux.output().expect("tmux starts");
        assert!(started.status.success(), "{started:?}");
        Some(screen)
    }

    fn tmux(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(&self.socket);
        tmux
    }

    fn ask(&self, args: &[&str]) -> Output {
        self.tmux().args(args).output().expect("tmux runs")
    }

    /// The lines on the screen.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.ask(&["capture-pane", "-p"]).stdout).into_owned()
    }

    /// The lines on the screen, with the codes of their colours.
    pub(crate) fn colored(&self) -> String {
        String::from_utf8_lossy(&self.ask(&["capture-pane", "-p", "-e"]).stdout).into_owned()
    }

    /// Everything since the start: what has scrolled away, and the screen.
    pub(crate) fn history(&self) -> String {
        let all = ["capture-pane", "-p", "-J", "-S", "-"];
        String::from_utf8_lossy(&self.ask(&all).stdout).into_owned()
    }

    /// Types a text and a key, such as `Enter`.
    pub(crate) fn type_line(&self, text: &str) {
        self.ask(&["send-keys", "-l", text]);
        self.press("Enter");
    }

    /// Presses a key by its name in tmux.
    pub(crate) fn press(&self, key: &str) {
        self.ask(&["send-keys", key]);
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.ask(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// Whether the program has switched to the alternate screen.
    pub(crate) fn is_full_screen(&self) -> bool {
        let shown = self.ask(&["display-message", "-p", "#{alternate_on}"]);
        shown.stdout.starts_with(b"1")
    }

    /// Whether lines are edited and shown by the terminal, and Ctrl-C is a signal: as shells need it.
    pub(crate) fn is_restored(&self) -> bool {
        let tty = self.format("#{pane_tty}");
        let shown = Command::new("stty").args(["-a", "-F", &tty]).output().expect("stty runs");
        let settings = String::from_utf8_lossy(&shown.stdout).into_owned();
        let is_on = |name: &str| settings.split_whitespace().any(|word| word == name);
        ["icanon", "echo", "isig", "icrnl", "opost"].into_iter().all(is_on)
            && !self.is_full_screen()
            && self.format("#{cursor_flag}") == "1"
    }

    /// The process of the program under test.
    pub(crate) fn program_pid(&self) -> i32 {
        let shell = self.format("#{pane_pid}");
        let children = format!("/proc/{shell}/task/{shell}/children");
        let children = std::fs::read_to_string(children).expect("the shell is there");
        children.split_whitespace().next().and_then(|pid| pid.parse().ok()).expect("a child")
    }

    /// The title of the terminal.
    pub(crate) fn title(&self) -> String {
        self.format("#{pane_title}")
    }

    fn format(&self, format: &str) -> String {
        let shown = self.ask(&["display-message", "-p", format]);
        String::from_utf8_lossy(&shown.stdout).trim().to_owned()
    }

    /// Whether the program gets the clicks of the mouse.
    pub(crate) fn takes_mouse(&self) -> bool {
        let shown = self.ask(&["display-message", "-p", "#{mouse_any_flag}"]);
        shown.stdout.starts_with(b"1")
    }

    /// Waits until the screen says this, and returns it.
    #[track_caller]
    pub(crate) fn await_text(&self, expected: &str) -> String {
        self.await_that(expected, |screen| screen.contains(expected))
    }

    /// Waits until the screen is as wanted, and returns it.
    #[track_caller]
    pub(crate) fn await_that(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.text();
            if holds(&screen) {
                return screen;
            }
            assert!(Instant::now() < until, "never on the screen: {what}\n{screen}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for TmuxScreen {
    fn drop(&mut self) {
        self.ask(&["kill-server"]);
    }
}
