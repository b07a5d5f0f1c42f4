//! Removes lock files that a killed git process of ours left behind (R12).
//!
//! Git creates `NAME.lock`, writes the new commit into it, and renames it. A git process that dies in between, by a
//! kill, for lack of memory or with the machine, leaves the file, and nobody would ever remove it. A lock that
//! another program may hold stays (F12), so a lock is removed only if all of this is true:
//!
//! - it belongs to a ref that only afresh writes, or to the notes with its receipts;
//! - it is older than the takeover of this repository by this driver, after which no git process of another one lives;
//! - it is below `refs/afresh/`, or contains the commit that is to be written again, or another one that afresh made
//!   (of the notes, which the user's git may fetch, only if no process is left that could hold it), or is older than the
//!   machine's start, or no process is left that could hold it.
//!
//! Git closes a lock before it renames it, so an open file proves little. A process can hold a lock only if it was
//! there when the lock was taken. So none can if nobody has the file open, and every git process is younger.
//!
//! A deletion leaves an empty lock, and also locks the packed refs.

use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use afresh_core::ids::CommitId;

use crate::git::repository::Repository;
use crate::refs::RefUpdate;
use crate::refs::lock_holders;
use crate::refs::names::{OWN_REFS, RECEIPT_NOTES, RUN_BRANCHES};

/// The trailer of every commit that lands a task.
const TRAILER: &str = "Afresh-Run: ";
/// A lock of a living process is hardly ever this old.
const MIN_AGE: Duration = Duration::from_secs(1);
/// The user's `git gc` leaves an empty lock as well, for an instant.
const MIN_AGE_IF_EMPTY: Duration = Duration::from_secs(2);
/// A git process that lives where we cannot see it, such as on another machine, is done by then.
const MIN_AGE_IF_ABANDONED: Duration = Duration::from_secs(10);
/// The times of files lag behind the clock by up to one tick of the kernel.
const CLOCK_TICK: Duration = Duration::from_millis(20);
/// All locks of one transaction are taken within this time.
const ONE_TRANSACTION: Duration = Duration::from_secs(1);

/// Decides for one transaction, which may find several locks in its way.
#[derive(Debug)]
pub(super) struct StaleLocks<'a> {
    repository: &'a Repository,
    updates: &'a [RefUpdate],
    /// When the lock of a deletion was taken that has been removed.
    deletion: Option<SystemTime>,
}

impl<'a> StaleLocks<'a> {
    pub(super) fn new(repository: &'a Repository, updates: &'a [RefUpdate]) -> Self {
        Self { repository, updates, deletion: None }
    }

    /// Removes the lock if a dead process of ours left it; returns whether it did.
    pub(super) fn remove(&mut self, lock: &Path) -> bool {
        let Ok(found) = fs::symlink_metadata(lock) else { return false };
        let Some(taken) = self.taken_before_takeover(&found) else { return false };
        if lock == self.repository.common_dir.join("packed-refs.lock") {
            return self.remove_packed(lock, taken);
        }
        let removed = self.is_ours(lock, taken) && fs::remove_file(lock).is_ok();
        if removed && found.len() == 0 {
            self.deletion = Some(taken);
        }
        removed
    }

    /// When the lock was taken, if that was long enough ago and before the takeover.
    fn taken_before_takeover(&self, lock: &Metadata) -> Option<SystemTime> {
        let taken = lock.modified().ok()?;
        let min_age = if lock.len() == 0 { MIN_AGE_IF_EMPTY } else { MIN_AGE };
        let takeover = self.repository.taken_over.get()?;
        let is_old = taken.elapsed().is_ok_and(|age| age >= min_age);
        (is_old && taken + CLOCK_TICK < *takeover).then_some(taken)
    }

    fn is_ours(&self, lock: &Path, taken: SystemTime) -> bool {
        let path = lock.strip_prefix(&self.repository.common_dir).ok();
        let name = path.and_then(|path| path.as_os_str().as_bytes().strip_suffix(b".lock"));
        let Some(name) = name else { return false };
        if name.starts_with(OWN_REFS.as_bytes()) {
            return true;
        }
        if !name.starts_with(RUN_BRANCHES.as_bytes()) && name != RECEIPT_NOTES.as_bytes() {
            return false;
        }
        let content = fs::read_to_string(lock).unwrap_or_default();
        let content = content.trim_end();
        let update = self.updates.iter().find(|update| update.name.as_bytes() == name);
        let wanted = update.and_then(|update| update.new.as_ref());
        // Any git may write the notes, so a fetch of the user's may hold a lock with a commit that another run made.
        let is_exclusive = name != RECEIPT_NOTES.as_bytes();
        let is_free = || is_exclusive || !lock_holders::may_be_held(lock, taken);
        wanted.is_some_and(|commit| commit.as_str() == content)
            || (self.is_landed_commit(content) && is_free())
            || boot_time().is_some_and(|boot| taken < boot)
            || (is_written_by_git(content)
                && taken.elapsed().is_ok_and(|age| age >= MIN_AGE_IF_ABANDONED)
                && !lock_holders::may_be_held(lock, taken))
    }

    /// Whether a run made the commit, to land a task.
    fn is_landed_commit(&self, id: &str) -> bool {
        if id.parse::<CommitId>().is_err() {
            return false;
        }
        let found = self.repository.read_object(id).ok().flatten();
        found.is_some_and(|object| {
            object.kind == "commit"
                && String::from_utf8_lossy(&object.content)
                    .lines()
                    .any(|it| it.starts_with(TRAILER))
        })
    }

    /// The lock of the packed refs could be anybody's, unless a transaction of ours that died took locks at that time.
    fn remove_packed(&self, lock: &Path, taken: SystemTime) -> bool {
        let Some(deletion) = self.deletion else { return false };
        let apart = taken.duration_since(deletion).unwrap_or_else(|early| early.duration());
        if apart > ONE_TRANSACTION {
            return false;
        }
        // What it was writing is protected by the lock, and would stop the next who writes packed refs.
        let _ = fs::remove_file(lock.with_file_name("packed-refs.new"));
        fs::remove_file(lock).is_ok()
    }
}

/// Nothing, or the beginning of an id: not what a person or another program puts there to keep git away.
fn is_written_by_git(content: &str) -> bool {
    content.len() <= 64 && content.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) fn boot_time() -> Option<SystemTime> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let seconds = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}
