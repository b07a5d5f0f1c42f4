//! Shared by the stories about faults: a driver whose output is kept, and inspection of processes.
#![allow(dead_code, reason = "every file of stories uses its own part of this")]

pub(crate) mod fixture;
pub(crate) mod git;
pub(crate) mod plain;
pub(crate) mod processes;
pub(crate) mod proxy;
pub(crate) mod refusal;
pub(crate) mod sandbox_levels;
pub(crate) mod staged_plan;
pub(crate) mod strace;
pub(crate) mod sweep;
pub(crate) mod terminal;
pub(crate) mod tmux;

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use afresh_testkit::{CommandOutput, TestRepo};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// Longer than any test here should take; a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(180);

/// A worker that does its task after a short delay.
pub(crate) const WORKER: &str = "sleep 0.1; echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt";

pub(crate) fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

/// The part of a configuration that every story with its own `[run]` needs.
pub(crate) fn run_section(more: &str) -> String {
    format!("[run]\nagent = \"mine\"\nbackoff = [\"10ms\"]\n{more}\n")
}

/// The running program, in its own process group; killed with the test.
#[derive(Debug)]
pub(crate) struct Driver {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Driver {
    pub(crate) fn start(repo: &TestRepo, args: &[&str]) -> Self {
        Self::start_command(repo, repo.command(args))
    }

    pub(crate) fn run(repo: &TestRepo, more: &[&str]) -> Self {
        let args: Vec<&str> = ["run", "p.plan.toml"].iter().chain(more).copied().collect();
        Self::start(repo, &args)
    }

    /// For a command with its own environment.
    pub(crate) fn start_command(repo: &TestRepo, mut command: Command) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let file = |what: &str| repo.path().join(format!("{what}.{number}"));
        let (stdout, stderr) = (file("stdout"), file("stderr"));
        let create = |path: &PathBuf| File::create(path).expect("a new file");
        command.stdout(create(&stdout)).stderr(create(&stderr)).process_group(0);
        let child = command.spawn().expect("the program starts");
        Self { child, stdout, stderr }
    }

    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("pids are small")
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid()), signal).expect("the driver is there");
    }

    pub(crate) fn signal_group(&self, signal: Signal) {
        killpg(Pid::from_raw(self.pid()), signal).expect("the group is there");
    }

    /// Its messages so far.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.stderr).unwrap_or_default()).into_owned()
    }

    /// Its output for scripts so far.
    pub(crate) fn data(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.stdout).unwrap_or_default()).into_owned()
    }

    pub(crate) fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("our child")
    }

    /// Waits until it has printed this; fails the test if it ends before.
    #[track_caller]
    pub(crate) fn await_stderr(&mut self, expected: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.stderr().contains(expected) {
            let ended = self.has_ended();
            let late = ended.is_some() && !self.stderr().contains(expected);
            assert!(!late, "ended ({ended:?}) before {expected:?}:\n{}", self.stderr());
            assert!(Instant::now() < until, "never printed {expected:?}:\n{}", self.stderr());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// kill -9, and waits until it is gone.
    pub(crate) fn kill_9(mut self) {
        // It may just have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn end(mut self) -> CommandOutput {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.has_ended() {
                break status;
            }
            assert!(Instant::now() < until, "hangs:\n{}", self.stderr());
            std::thread::sleep(Duration::from_millis(10));
        };
        let text = |path: &PathBuf| {
            String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
        };
        CommandOutput {
            code: status.code(),
            stdout: text(&self.stdout),
            stderr: text(&self.stderr),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A gate that workers wait at until the test opens it: `gate.wait()` is a line of their script.
#[derive(Debug)]
pub(crate) struct Gate(PathBuf);

impl Gate {
    pub(crate) fn new(repo: &TestRepo, name: &str) -> Self {
        Self(repo.path().join(name))
    }

    pub(crate) fn wait(&self) -> String {
        format!("while [ ! -e '{}' ]; do sleep 0.05; done", self.0.display())
    }

    pub(crate) fn open(&self) {
        fs::write(&self.0, "").expect("written");
    }

    pub(crate) fn close(&self) {
        fs::remove_file(&self.0).expect("it was open");
    }

    /// The line of a script that opens it.
    pub(crate) fn opened_by_worker(&self) -> String {
        format!(": > '{}'", self.0.display())
    }

    pub(crate) fn closed_by_script(&self) -> String {
        format!("rm '{}'", self.0.display())
    }

    /// The condition of a script.
    pub(crate) fn is_open_in_script(&self) -> String {
        format!("[ -e '{}' ]", self.0.display())
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.exists()
    }
}

/// A repository whose workers wait at a gate.
pub(crate) fn gated(tasks: usize) -> (TestRepo, Gate) {
    let repo = repo();
    let go = Gate::new(&repo, "go");
    repo.plan_of(tasks);
    repo.agent(&format!("{}\necho \"by $AFRESH_TASK\" > $AFRESH_TASK.txt", go.wait()));
    (repo, go)
}

/// R3, R4, TR-06: the tasks `T001` … are on the first-parent line once each, with their receipts, and nothing else is.
#[track_caller]
pub(crate) fn expect_landed_once(repo: &TestRepo, count: usize) {
    let mut landed = repo.landed();
    landed.sort();
    let wanted: Vec<String> = (1..=count).map(|n| format!("T{n:03}")).collect();
    assert_eq!(landed, wanted);
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let commits = repo.git(&["rev-list", "--first-parent", "--count", &branch, "^main"]);
    assert_eq!(commits, count.to_string(), "R3: commits beside the tasks");
    let verified = repo.afresh(&["verify-run", &branch, "--json"]).expect(0).json();
    assert_eq!(verified["commits"].as_array().map(Vec::len), Some(count), "{verified}");
    for task in wanted {
        let text = repo.on_branch(&format!("{task}.txt"));
        assert_eq!(text, Some(format!("by {task}\n")), "{task}");
    }
}

/// The refs under which work is kept.
pub(crate) fn salvaged(repo: &TestRepo) -> Vec<String> {
    let refs = repo.git(&["for-each-ref", "--format=%(refname)", "refs/afresh/salvage"]);
    refs.lines().map(str::to_owned).collect()
}
