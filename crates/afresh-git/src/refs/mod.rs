//! Moves refs: all or none, only from an expected value, and durably.
//!
//! Ref files are never written by hand: the user's repository may pack them or use reftables. Locks
//! that another program may hold are waited for and never deleted.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `names` | the name of every ref that afresh makes |
//! | `merged_check` | whether a commit contains some work |
//! | `lock_holders` | whether a living process may hold a lock |
//! | `stale_lock` | removes a lock that a killed git process of ours left |

mod lock_holders;
pub(crate) mod merged_check;
pub mod names;
mod stale_lock;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use afresh_core::ids::{CommitId, TreeId};

use crate::git::command::{CommandError, GitOutput};
use crate::git::error::{FileContext, FileError};
use crate::git::identity::{CommitIdentity, CommitSignature};
use crate::git::repository::{Repository, parse_id};
use crate::refs::names::{RECEIPT_NOTES, check_ref_name};
use crate::refs::stale_lock::StaleLocks;
use crate::workspace::pool::PoolError;

/// How long locks of other programs are waited for, unless the caller says otherwise.
pub const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_secs(40);

/// How long a lock of the notes with the receipts is waited for: no merge is held up by its receipt.
pub(crate) const NOTES_LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// How often packs are restored that another program removes again and again.
const MAX_RESTORED: u32 = 10;
const MIN_PAUSE: Duration = Duration::from_millis(20);
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// How soon a wait notices that it should stop waiting.
const PAUSE_SLICE: Duration = Duration::from_millis(50);

/// What to do about locks of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockWaiting {
    /// Wait for them, up to a timeout.
    Wait,
    /// Report them immediately.
    FailFast,
}

/// The value that a ref must have before it is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefExpectation {
    Is(CommitId),
    Missing,
    Any,
}

/// One ref of a transaction; `new: None` deletes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    pub name: String,
    pub new: Option<CommitId>,
    pub old: RefExpectation,
}

/// How a transaction ended; nothing moved unless it is `Done`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum RefOutcome {
    Done,
    /// A ref did not have the expected value.
    Mismatch {
        name: String,
        now: Option<CommitId>,
    },
}

/// Why a transaction may not have happened.
#[derive(Debug, thiserror::Error)]
pub enum RefError {
    #[error("cannot use {name:?} as a ref: {reason}")]
    BadName { name: String, reason: &'static str },
    #[error("cannot move {name}: the lock {} has existed for {} s", lock.display(), waited.as_secs())]
    Locked { name: String, lock: PathBuf, waited: Duration },
    #[error(transparent)]
    Git(#[from] CommandError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<PoolError> for RefError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::File(error) => error.into(),
            PoolError::Git(error) => error.into(),
        }
    }
}

impl RefError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Locked { lock, .. } => Some(format!(
                "wait for the other git process; if no git process is running, a killed one left the \
                 lock: remove {}, then `afresh resume`",
                lock.display()
            )),
            _ => None,
        }
    }
}

impl Repository {
    /// Moves all refs or none. Waits at most `timeout` for locks of other programs, and for that of the receipts' notes
    /// at most two seconds.
    pub fn update_refs(
        &self,
        updates: &[RefUpdate],
        timeout: Duration,
    ) -> Result<RefOutcome, RefError> {
        for update in updates {
            check_ref_name(&update.name)?;
        }
        let Some(first) = updates.first() else { return Ok(RefOutcome::Done) };
        let commits = || updates.iter().filter_map(|update| update.new.as_ref());
        for commit in commits() {
            self.publish(commit)?;
        }
        let mut restored = 0;
        let started = Instant::now();
        let mut pause = MIN_PAUSE;
        let mut notes_blocked: Option<Instant> = None;
        let mut stale_locks = StaleLocks::new(self, updates);
        loop {
            let answer = self.try_update(updates)?;
            if answer.status.success() {
                self.sync_ref_directories(updates)?;
                self.restore_lost_packs(commits())?;
                self.release_pins(commits());
                if let Some(commit) = &first.new {
                    self.combine_packs(commit);
                }
                return Ok(RefOutcome::Done);
            }
            // A moved ref is final; a lock may be released.
            if let Some(mismatch) = self.find_mismatch(updates)? {
                return Ok(mismatch);
            }
            let Some(lock) = self.find_blocking_lock(&answer.complaint()) else {
                if restored < MAX_RESTORED && self.restore_lost_packs(commits())? {
                    restored += 1;
                    continue;
                }
                return Err(answer.failure().into());
            };
            if stale_locks.remove(&lock) {
                continue;
            }
            let (since, limit) = if lock == self.lock_file(RECEIPT_NOTES) {
                let since = *notes_blocked.get_or_insert_with(Instant::now);
                (since, NOTES_LOCK_TIMEOUT.min(timeout))
            } else {
                (started, timeout)
            };
            let waited = since.elapsed();
            if waited >= limit || self.fails_fast_on_locks() {
                return Err(RefError::Locked { name: first.name.clone(), lock, waited });
            }
            self.pause(pause.min(limit.saturating_sub(waited)));
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Whether there is a lock file for this ref now.
    pub fn has_lock_file(&self, name: &str) -> bool {
        self.lock_file(name).exists()
    }

    fn lock_file(&self, name: &str) -> PathBuf {
        self.common_dir.join(format!("{name}.lock"))
    }

    /// Whether locks of other programs are waited for (R7). Applies to all clones of this
    /// value, and to waits that have begun.
    pub fn set_lock_waiting(&self, waiting: LockWaiting) {
        self.fail_fast_on_locks.store(waiting == LockWaiting::FailFast, Ordering::Relaxed);
    }

    fn fails_fast_on_locks(&self) -> bool {
        self.fail_fast_on_locks.load(Ordering::Relaxed)
    }

    /// Sleeps, unless waiting was turned off.
    fn pause(&self, length: Duration) {
        let until = Instant::now() + length;
        while !self.fails_fast_on_locks() && Instant::now() < until {
            thread::sleep(until.saturating_duration_since(Instant::now()).min(PAUSE_SLICE));
        }
    }

    /// Creates a ref for `commit` with the wanted name, or with a number at its end if that name
    /// holds another tree: saved work is never overwritten by other work (R16). Returns the name.
    pub(crate) fn create_salvage_ref(
        &self,
        wanted: &str,
        commit: &CommitId,
        tree: &TreeId,
    ) -> Result<String, RefError> {
        let mut name = wanted.to_owned();
        let mut number = 1_u32;
        let mut old = RefExpectation::Missing;
        loop {
            let update = RefUpdate { name: name.clone(), new: Some(commit.clone()), old };
            match self.update_refs(&[update], DEFAULT_LOCK_TIMEOUT)? {
                RefOutcome::Done => return Ok(name),
                RefOutcome::Mismatch { now: Some(now), .. } if now == *commit => return Ok(name),
                // It was deleted meanwhile.
                RefOutcome::Mismatch { now: None, .. } => old = RefExpectation::Missing,
                // The same work again, only later.
                RefOutcome::Mismatch { now: Some(now), .. }
                    if self.commit_tree(&now).is_ok_and(|kept| kept == *tree) =>
                {
                    old = RefExpectation::Is(now);
                }
                RefOutcome::Mismatch { .. } => {
                    number += 1;
                    name = format!("{wanted}-{number}");
                    old = RefExpectation::Missing;
                }
            }
        }
    }

    /// The commit that a ref points to.
    pub fn read_ref(&self, name: &str) -> Result<Option<CommitId>, RefError> {
        check_ref_name(name)?;
        Ok(self.list_matching(&[name])?.remove(name))
    }

    /// All refs whose name starts with `prefix`, which ends with a slash or is a whole name.
    pub fn list_refs(&self, prefix: &str) -> Result<BTreeMap<String, CommitId>, RefError> {
        check_ref_name(prefix.trim_end_matches('/'))?;
        Ok(self.list_matching(&[prefix])?)
    }

    fn list_matching(&self, patterns: &[&str]) -> Result<BTreeMap<String, CommitId>, CommandError> {
        let call = self.git("read refs");
        let call = call.args(["for-each-ref", "--format=%(objectname) %(refname)"]);
        let answer = call.args(patterns).run_checked()?;
        let mut refs = BTreeMap::new();
        for line in String::from_utf8_lossy(&answer.stdout).lines() {
            let odd = |detail| answer.unexpected(detail);
            let (id, name) = line.split_once(' ').ok_or_else(|| odd(line.to_owned()))?;
            refs.insert(name.to_owned(), parse_id(id, odd)?);
        }
        Ok(refs)
    }

    fn try_update(&self, updates: &[RefUpdate]) -> Result<GitOutput, CommandError> {
        let mut call = self.git("move refs");
        // The reflog needs a name; git must not guess one from the host name.
        let log = CommitSignature { identity: CommitIdentity::default(), at_seconds: 0 };
        for (name, value) in log.variables().into_iter().filter(|(name, _)| !name.ends_with("DATE"))
        {
            call = call.env(name, value);
        }
        let script = render_transaction(updates, &self.format.zero());
        let verb = ["update-ref", "--no-deref", "-m", "afresh", "--stdin", "-z"];
        call.args(verb).stdin(script).run()
    }

    fn find_mismatch(&self, updates: &[RefUpdate]) -> Result<Option<RefOutcome>, CommandError> {
        let names: Vec<&str> = updates.iter().map(|update| update.name.as_str()).collect();
        let mut now = self.list_matching(&names)?;
        for update in updates {
            let found = now.remove(&update.name);
            let matches = match &update.old {
                RefExpectation::Is(commit) => found.as_ref() == Some(commit),
                RefExpectation::Missing => found.is_none(),
                RefExpectation::Any => true,
            };
            if !matches {
                return Ok(Some(RefOutcome::Mismatch { name: update.name.clone(), now: found }));
            }
        }
        Ok(None)
    }

    /// The lock file that blocked git, if one did.
    fn find_blocking_lock(&self, complaint: &str) -> Option<PathBuf> {
        // Reftables have a single lock, which git does not name.
        let tables = self.common_dir.join("reftable/tables.list.lock");
        let in_tables = complaint.contains("cannot lock references") || tables.exists();
        parse_lock_path(complaint).or_else(|| in_tables.then_some(tables))
    }

    /// Git syncs what it writes, but not the directories that contain it.
    fn sync_ref_directories(&self, updates: &[RefUpdate]) -> Result<(), FileError> {
        let mut directories = vec![self.common_dir.join("reftable")];
        for update in updates {
            let file = self.common_dir.join(&update.name);
            let parents = file.ancestors().skip(1);
            let below = parents.take_while(|parent| *parent != self.common_dir);
            directories.extend(below.map(Path::to_owned));
        }
        // A deletion rewrites the packed refs, which lie in the common directory itself.
        if updates.iter().any(|update| update.new.is_none()) {
            directories.push(self.common_dir.clone());
        }
        directories.sort();
        directories.dedup();
        for directory in directories {
            match File::open(&directory) {
                Ok(open) => open.sync_all().context("make durable", &directory)?,
                // Packed refs have no directory; with reftables, `refs/heads` is a file.
                Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {}
                Err(error) => Err(error).context("open", &directory)?,
            }
        }
        Ok(())
    }
}

fn render_transaction(updates: &[RefUpdate], zero: &str) -> Vec<u8> {
    let line = |RefUpdate { name, new, old }: &RefUpdate| {
        let expected = match old {
            RefExpectation::Is(commit) => commit.as_str(),
            RefExpectation::Missing => zero,
            RefExpectation::Any => "",
        };
        match (new, old) {
            (Some(new), _) => format!("update {name}\0{new}\0{expected}\0"),
            (None, RefExpectation::Missing) => format!("verify {name}\0{zero}\0"),
            (None, _) => format!("delete {name}\0{expected}\0"),
        }
    };
    updates.iter().flat_map(|update| line(update).into_bytes()).collect()
}

/// Finds `…/x.lock` in `Unable to create '…/x.lock': File exists.`
pub(crate) fn parse_lock_path(complaint: &str) -> Option<PathBuf> {
    let (_, rest) = complaint.split_once("Unable to create '")?;
    let (path, _) = rest.split_once("': File exists")?;
    Some(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_found_in_gits_error_message() {
        let output_text = "warning: x\nfatal: cannot lock ref 'refs/a': Unable to create \
                    '/r/.git/refs/a.lock': File exists.\n\nAnother git process";
        assert_eq!(parse_lock_path(output_text), Some(PathBuf::from("/r/.git/refs/a.lock")));
        assert_eq!(parse_lock_path("fatal: cannot lock ref: is at a but expected b"), None);
    }
}
