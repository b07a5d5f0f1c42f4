//! Ends git processes of an earlier driver that was killed.
//!
//! Our git processes run directly under the driver. When the driver is killed, they continue, and
//! could still write into a workspace that the next driver has given to a worker (R6). So each is
//! marked in its environment, and the next driver waits for marked processes before it uses
//! anything. On systems without `/proc`, none are found.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};

use crate::git::command::{CommandError, GitCommand};
use crate::git::repository::Repository;
use crate::refs::names::OWN_REFS;

/// The variable that marks our git processes; its value is the repository's common directory.
const MARK: &str = "AFRESH_GIT";
/// How long a killed process may take to disappear.
const FINAL_TIMEOUT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

impl Repository {
    /// Waits for the git processes that an earlier driver of this repository left behind. After
    /// `timeout` they are killed, and locks that they held below `refs/afresh/` are removed.
    ///
    /// The caller holds the repository's lock, so that no other driver is running.
    pub fn end_stale_git(&self, timeout: Duration) -> Result<(), CommandError> {
        self.end_stale_processes(timeout)?;
        self.taken_over.get_or_init(SystemTime::now);
        self.release_stale_pins()
    }

    fn end_stale_processes(&self, timeout: Duration) -> Result<(), CommandError> {
        let orphans = StaleGitProcesses { mark: self.mark() };
        if orphans.first().is_none() {
            return Ok(());
        }
        let held = locks_below(&self.common_dir.join(OWN_REFS));
        if orphans.wait_until_gone(timeout, |_| {}) {
            return Ok(());
        }
        // Killing them is safe: they write only workspaces and refs of afresh, and those are
        // prepared again for the next attempt.
        let end = |pid| {
            // It may have exited by itself.
            let _ = kill(pid, Signal::SIGKILL);
        };
        if !orphans.wait_until_gone(FINAL_TIMEOUT, end) {
            let doing = "take over from an earlier afresh".to_owned();
            let verb = orphans.first().map_or_else(String::new, |pid| format!("(process {pid})"));
            let limit = timeout + FINAL_TIMEOUT;
            return Err(CommandError::TimedOut { doing, verb, limit });
        }
        for lock in held {
            // The lock was held all the time by a process that is dead now.
            let _ = fs::remove_file(lock);
        }
        Ok(())
    }

    /// Marks a git process as one of afresh's.
    pub(crate) fn mark_as_ours(&self, call: GitCommand) -> GitCommand {
        call.env(MARK, &self.common_dir)
    }

    fn mark(&self) -> Vec<u8> {
        let mut mark = OsString::from(MARK);
        mark.push("=");
        mark.push(&self.common_dir);
        mark.into_vec()
    }
}

/// The living processes with a mark.
struct StaleGitProcesses {
    mark: Vec<u8>,
}

impl StaleGitProcesses {
    /// Whether all were gone in time; `treat` is called for each one that is still alive.
    fn wait_until_gone(&self, timeout: Duration, treat: impl Fn(Pid)) -> bool {
        let until = Instant::now() + timeout;
        while let Some(pid) = self.first() {
            treat(pid);
            if Instant::now() >= until {
                return false;
            }
            // Checking one process is cheaper than searching for the next.
            while self.is_marked(pid) && Instant::now() < until {
                thread::sleep(PAUSE);
            }
        }
        true
    }

    fn first(&self) -> Option<Pid> {
        let listing = fs::read_dir("/proc").ok()?;
        let pids = listing.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.map(Pid::from_raw).find(|pid| self.is_marked(*pid) && !is_own_child(*pid))
    }

    /// A dead process has no environment any more.
    fn is_marked(&self, pid: Pid) -> bool {
        let process = PathBuf::from(format!("/proc/{pid}"));
        let owned = process.metadata().is_ok_and(|found| found.uid() == geteuid().as_raw());
        let environment = || fs::read(process.join("environ")).unwrap_or_default();
        owned && environment().split(|byte| *byte == 0).any(|pair| pair == self.mark)
    }
}

fn is_own_child(pid: Pid) -> bool {
    let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The process name before it may contain anything, even a parenthesis.
    let after_name = stat.rsplit(|byte| *byte == b')').next().unwrap_or_default();
    let parent = String::from_utf8_lossy(after_name).split_whitespace().nth(1).map(str::to_owned);
    parent.is_some_and(|parent| parent == Pid::this().to_string())
}

/// The `.lock` files below a directory.
fn locks_below(directory: &Path) -> Vec<PathBuf> {
    let mut locks = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() && entry.file_name().as_bytes().ends_with(b".lock") => {
                    locks.push(entry.path());
                }
                _ => {}
            }
        }
    }
    locks
}
