//! Git processes of an earlier driver that was killed: they are waited for, and ended at last.
//!
//! A git of ours runs directly under the driver. When that is killed, the git goes on, and could
//! still write into a slot that the next driver has given to a worker (R6). So each carries a mark,
//! and the next driver looks for it before it uses anything. Where there is no `/proc`, nothing is
//! found.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};

use crate::git::command::{CommandError, GitCommand};
use crate::git::repository::Repository;
use crate::refs::names::OWN_REFS;

/// The variable that marks a git of ours; its value is the repository's common directory.
const MARK: &str = "AFRESH_GIT";
/// How long a process that was ended by force may take to be gone.
const LAST_PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

impl Repository {
    /// Waits for every git of ours that an earlier driver of this repository left behind; after
    /// `patience` it is ended, and a lock that it held below `refs/afresh/` is removed.
    ///
    /// The caller holds the repository's lock, so that no other driver is at work.
    pub fn end_stale_git(&self, patience: Duration) -> Result<(), CommandError> {
        let orphans = StaleGitProcesses { mark: self.mark() };
        if orphans.first().is_none() {
            return Ok(());
        }
        let held = locks_below(&self.common_dir.join(OWN_REFS));
        if orphans.wait_until_gone(patience, |_| {}) {
            return Ok(());
        }
        // They write slots and refs of ours alone, and those are put right for the next attempt.
        let end = |pid| {
            // It may end by itself meanwhile, which is as good.
            let _ = kill(pid, Signal::SIGKILL);
        };
        if !orphans.wait_until_gone(LAST_PATIENCE, end) {
            let doing = "take over from an earlier afresh".to_owned();
            let verb = orphans.first().map_or_else(String::new, |pid| format!("(process {pid})"));
            let limit = patience + LAST_PATIENCE;
            return Err(CommandError::TimedOut { doing, verb, limit });
        }
        for lock in held {
            // Held all the while: by somebody who did not end, and is dead now.
            let _ = fs::remove_file(lock);
        }
        Ok(())
    }

    /// Marks a git process as ours.
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
    /// Whether all were gone in time; what to do with those that are not, at every look.
    fn wait_until_gone(&self, patience: Duration, treat: impl Fn(Pid)) -> bool {
        let until = Instant::now() + patience;
        while let Some(pid) = self.first() {
            treat(pid);
            if Instant::now() >= until {
                return false;
            }
            // Looking at one of them is cheaper than looking for the next.
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

    /// The dead have no environment any more.
    fn is_marked(&self, pid: Pid) -> bool {
        let process = PathBuf::from(format!("/proc/{pid}"));
        let owned = process.metadata().is_ok_and(|found| found.uid() == geteuid().as_raw());
        let environment = || fs::read(process.join("environ")).unwrap_or_default();
        owned && environment().split(|byte| *byte == 0).any(|pair| pair == self.mark)
    }
}

fn is_own_child(pid: Pid) -> bool {
    let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name before it may hold anything, even a parenthesis.
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
