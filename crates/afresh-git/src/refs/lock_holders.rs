//! Finds out whether a living process may hold a lock file.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::unistd::{SysconfVar, geteuid, sysconf};

use crate::refs::stale_lock::boot_time;

/// The start of the machine is known to the second.
const ROUNDING: Duration = Duration::from_secs(2);

/// Whether a process may hold a lock that was taken at `taken`: one that has the file open, or a git process that was
/// there by then. Where processes cannot be seen, the answer is yes.
pub(super) fn may_be_held(lock: &Path, taken: SystemTime) -> bool {
    // Of other users' processes we see neither files nor programs; theirs are the locks of other users.
    if lock.symlink_metadata().is_ok_and(|found| found.uid() != geteuid().as_raw()) {
        return true;
    }
    let (Some(boot), Ok(Some(ticks))) = (boot_time(), sysconf(SysconfVar::CLK_TCK)) else {
        return true;
    };
    let Ok(listing) = fs::read_dir("/proc") else { return true };
    let ticks = u64::try_from(ticks).unwrap_or(100).max(1);
    let numbers = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let processes =
        listing.flatten().filter(|entry| entry.file_name().to_str().is_some_and(numbers));
    processes.map(|entry| entry.path()).any(|process| {
        has_open(&process, lock)
            || (is_git(&process)
                && start_ticks(&process).is_none_or(|started| {
                    boot + Duration::from_millis(started * 1000 / ticks) < taken + ROUNDING
                }))
    })
}

fn has_open(process: &Path, lock: &Path) -> bool {
    let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    files.into_iter().any(|entry| fs::read_link(entry.path()).is_ok_and(|open| open == lock))
}

/// Whether the program of a process is git, or one of the programs that belong to it.
fn is_git(process: &Path) -> bool {
    let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
    let program = fs::read_link(process.join("exe")).unwrap_or_else(|_| PathBuf::new());
    let file = program.file_name().map(|name| name.to_string_lossy().into_owned());
    [name, file.unwrap_or_default()].iter().any(|name| name.starts_with("git"))
}

/// When the process was started, in ticks since the start of the machine.
fn start_ticks(process: &Path) -> Option<u64> {
    let stat = fs::read(process.join("stat")).ok()?;
    // The process name before it may contain anything, even a parenthesis.
    let after_name = stat.rsplit(|byte| *byte == b')').next().unwrap_or_default();
    String::from_utf8_lossy(after_name).split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    /// F12: git closes a lock before it renames it; what counts is that a git process was there.
    #[test]
    fn a_git_process_that_was_there_may_hold_a_lock() {
        let directory = tempfile::tempdir().expect("a directory");
        let lock = directory.path().join("x.lock");
        fs::write(&lock, "").expect("written");
        let mut git = Command::new("git");
        let mut git = git.args(["hash-object", "--stdin"]).stdin(Stdio::piped());
        git = git.stdout(Stdio::null());
        let mut child = git.spawn().expect("git starts");
        let is_held = may_be_held(&lock, SystemTime::now());
        // It ends with its input.
        drop(child.stdin.take());
        child.wait().expect("git ends");
        assert!(is_held);
    }

    #[test]
    fn no_git_process_is_as_old_as_the_machine() {
        let directory = tempfile::tempdir().expect("a directory");
        let lock = directory.path().join("x.lock");
        let file = fs::File::create(&lock).expect("made");
        let early = boot_time().expect("a boot time");
        assert!(may_be_held(&lock, early), "we have it open");
        drop(file);
        assert!(!may_be_held(&lock, early));
    }
}
