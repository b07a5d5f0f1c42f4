//! Takes staged objects into the user's repository.
//!
//! They go in as one pack, whose `.keep` file is there before the pack itself: `git repack` and
//! `git gc` leave such a pack alone, and `git prune` deletes no packs at all. Once a ref reaches its
//! commit the pack is an ordinary one, and the `.keep` file is removed. A garbage collection lists
//! packs first and refs later, so it either left the pack alone or finds the ref.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use afresh_core::ids::CommitId;

use crate::git::command::{CommandError, GitCommand, GitOutput, lines};
use crate::git::error::{FileContext, FileError};
use crate::git::repository::Repository;
use crate::refs::names::{OWN_REFS, RECEIPT_NOTES, RUN_BRANCHES};
use crate::workspace::pool::PoolError;

/// The first word of our `.keep` files; the id of a commit follows.
const MARK: &str = "afresh ";
/// A pin that no ref needed for so long belongs to a merge that was given up.
const MAX_PIN_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Distinguishes the packs of one process.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// The pins of this process. Shared by all clones of a repository.
#[derive(Debug, Clone, Default)]
pub(crate) struct PinnedPacks(Arc<Mutex<PinState>>);

#[derive(Debug, Default)]
pub(super) struct PinState {
    /// Commits that are in the user's repository already.
    published: BTreeSet<CommitId>,
    /// The `.keep` file of each pack that no ref reaches yet.
    pins: BTreeMap<CommitId, PathBuf>,
    /// Packs that refs reach, each without its extension.
    pub(super) released: Vec<PathBuf>,
}

impl PinnedPacks {
    pub(super) fn lock(&self) -> MutexGuard<'_, PinState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Repository {
    /// Makes a staged commit and everything below it part of the user's repository, durably, and
    /// safe from garbage collections until a ref reaches it.
    pub fn publish(&self, tip: &CommitId) -> Result<(), PoolError> {
        if !self.is_unpublished(tip) {
            return Ok(());
        }
        let (new, known) = self.staged_history(tip)?;
        let wanted = [tip.to_string()];
        let revisions = wanted.into_iter().chain(known.iter().map(|id| format!("^{id}")));
        let revisions: Vec<String> = revisions.collect();
        let call = self.git(format!("pack the objects of {tip}"));
        let call = self.stage_objects_of(call)?.setting("core.fsync", "committed".as_ref());
        let call = into_one_pack(call).args(["pack-objects", "--revs"]).args(PACK_OPTIONS);
        let base = self.staging_dir().join("pack/pack");
        let call = call.args([base.as_os_str()]);
        let answer = call.stdin(lines(revisions.iter().map(String::as_str))).run_checked()?;
        let packed = packed_file(&base, &answer)?;
        let keep = self.install_pack(&packed, tip)?;
        self.pin(tip, new, keep);
        Ok(())
    }

    /// Remembers which commits a pack has, and its `.keep` file until a ref reaches its last commit.
    pub(super) fn pin(
        &self,
        tip: &CommitId,
        commits: impl IntoIterator<Item = CommitId>,
        keep: PathBuf,
    ) {
        let mut state = self.pins.lock();
        state.published.extend(commits);
        state.pins.insert(tip.clone(), keep);
    }

    /// Publishes again what is gone: not every program that packs a repository spares packs with a `.keep` file.
    /// Returns whether anything was gone.
    pub(crate) fn restore_lost_packs<'a>(
        &self,
        commits: impl IntoIterator<Item = &'a CommitId>,
    ) -> Result<bool, PoolError> {
        let mut is_restored = false;
        for commit in commits {
            let pin = self.pins.lock().pins.get(commit).cloned();
            if pin.is_none_or(|keep| keep.with_extension("pack").is_file()) {
                continue;
            }
            // Packs of earlier commits may be gone too.
            self.pins.lock().published.clear();
            self.reader.restart();
            self.publish(commit)?;
            is_restored = true;
        }
        Ok(is_restored)
    }

    fn is_unpublished(&self, commit: &CommitId) -> bool {
        self.is_staged(commit.as_str()) && !self.pins.lock().published.contains(commit)
    }

    /// The unpublished commits from `tip` on, and the commits that they are built on.
    fn staged_history(
        &self,
        tip: &CommitId,
    ) -> Result<(BTreeSet<CommitId>, BTreeSet<CommitId>), CommandError> {
        let (mut new, mut known) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![tip.clone()];
        while let Some(commit) = open.pop() {
            if !self.is_unpublished(&commit) {
                known.insert(commit);
            } else if new.insert(commit.clone()) {
                open.extend(self.parents(&commit)?);
            }
        }
        Ok((new, known))
    }

    /// Moves a pack into the user's repository, pinned for `tip`; returns its `.keep` file.
    pub(super) fn install_pack(&self, packed: &Path, tip: &CommitId) -> Result<PathBuf, FileError> {
        let packs = self.objects().join("pack");
        fs::create_dir_all(&packs).context("make", &packs)?;
        let shared = self.objects().metadata().context("look at", &self.objects())?;
        let mode = shared.permissions().mode() & 0o444;
        // A name of its own: a running garbage collection may be about to delete the same pack under
        // the name that git gives it.
        let target = packs.join(format!("pack-{}", self.unique_name(packed)));
        let keep = target.with_extension("keep");
        let installed = write_durably(&keep, &format!("{MARK}{tip}\n"), mode)
            .context("write", &keep)
            .and_then(|()| move_into(packed, &target, "pack", mode))
            // With its index the pack becomes visible.
            .and_then(|()| move_into(packed, &target, "idx", mode))
            .and_then(|()| {
                File::open(&packs).and_then(|open| open.sync_all()).context("sync", &packs)
            });
        if installed.is_err() {
            for extension in ["idx", "pack", "keep"] {
                let _ = fs::remove_file(target.with_extension(extension));
            }
        }
        installed.map(|()| keep)
    }

    fn unique_name(&self, packed: &Path) -> String {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let text = format!("{} {} {number} {now:?}", packed.display(), std::process::id());
        blake3::hash(text.as_bytes()).to_hex()[..self.format.id_bytes() * 2].to_owned()
    }

    /// Refs reach these commits now, so their packs need no pin.
    pub(crate) fn release_pins<'a>(&self, commits: impl IntoIterator<Item = &'a CommitId>) {
        let mut state = self.pins.lock();
        for commit in commits {
            if let Some(keep) = state.pins.remove(commit) {
                // If it cannot be removed, the next driver tries again.
                let _ = fs::remove_file(&keep);
                state.released.push(keep.with_extension(""));
            }
        }
    }

    /// No ref will point to this commit: the user's next garbage collection may remove it.
    pub fn abandon(&self, commit: &CommitId) {
        let mut state = self.pins.lock();
        if let Some(keep) = state.pins.remove(commit) {
            // If it cannot be removed, a later driver tries again.
            let _ = fs::remove_file(keep);
        }
    }

    /// Removes the pins that earlier drivers left, except those that no ref reaches and a merge may
    /// still need.
    pub(crate) fn release_stale_pins(&self) -> Result<(), CommandError> {
        let packs = self.objects().join("pack");
        for entry in fs::read_dir(&packs).into_iter().flatten().flatten() {
            let keep = entry.path();
            if keep.extension().is_none_or(|extension| extension != "keep") {
                continue;
            }
            let Some(tip) = read_pin(&keep) else { continue };
            let age = entry.metadata().and_then(|found| found.modified()).ok();
            let is_old = age
                .and_then(|time| time.elapsed().ok())
                .is_some_and(|elapsed| elapsed > MAX_PIN_AGE);
            if is_old || self.is_reached(&tip)? {
                let _ = fs::remove_file(&keep);
            }
        }
        Ok(())
    }

    fn is_reached(&self, commit: &CommitId) -> Result<bool, CommandError> {
        let call = self.git(format!("look for a ref that reaches {commit}"));
        let contains = format!("--contains={commit}");
        let verb = ["for-each-ref", "--count=1", "--format=%(refname)", contains.as_str()];
        let answer =
            call.args(verb).args([OWN_REFS, RUN_BRANCHES, "refs/heads/", RECEIPT_NOTES]).run()?;
        // A dead ref makes git fail; then the pin stays.
        Ok(answer.status.success() && !answer.stdout.is_empty())
    }
}

/// Made quickly; the user's next garbage collection compresses the objects better.
pub(crate) const PACK_OPTIONS: [&str; 4] = ["-q", "--window=0", "--threads=1", "--non-empty"];

/// Whatever the user's configuration says: one pack with its index and nothing else.
pub(super) fn into_one_pack(call: GitCommand) -> GitCommand {
    let call = call.setting("pack.packSizeLimit", "0".as_ref());
    call.setting("pack.writeReverseIndex", "false".as_ref())
}

/// The pack that git has made, without its extension.
pub(super) fn packed_file(base: &Path, answer: &GitOutput) -> Result<PathBuf, CommandError> {
    match answer.line()? {
        "" => Err(answer.unexpected("no pack")),
        name => Ok(base.with_file_name(format!("pack-{name}"))),
    }
}

fn read_pin(keep: &Path) -> Option<CommitId> {
    let text = fs::read_to_string(keep).ok()?;
    text.strip_prefix(MARK)?.trim_end().parse().ok()
}

fn write_durably(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(Permissions::from_mode(mode | 0o200))?;
    file.sync_all()
}

/// Moves one file of a pack, also to another file system.
fn move_into(packed: &Path, target: &Path, extension: &str, mode: u32) -> Result<(), FileError> {
    let (from, to) = (packed.with_extension(extension), target.with_extension(extension));
    fs::set_permissions(&from, Permissions::from_mode(mode)).context("open up", &from)?;
    match fs::rename(&from, &to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        other => return other.context("write", &to),
    }
    // Git's garbage collection deletes other names that look temporary.
    let part = target.with_extension(format!("{extension}-part"));
    let copied = fs::copy(&from, &part)
        .and_then(|_| File::open(&part)?.sync_all())
        .and_then(|()| fs::rename(&part, &to));
    if copied.is_err() {
        let _ = fs::remove_file(&part);
    }
    copied.context("write", &to)?;
    fs::remove_file(&from).context("remove", &from)
}
