//! Uncommitted changes that are in the way.
//!
//! A path may be in its old or in its new state; anything else is the user's work, which landing
//! would overwrite. No file counts as unchanged without having been read.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::checkout::UserCheckout;
use super::compare::{ChangeSide, find_differing, index_line, is_submodule, new_side, old_side};
use super::{LandError, LandObstacle};
use crate::harvest::prescan::display_path;
use crate::objects::diff::change::{EntryMode, RawTreeChange};

const UNTRACKED: &str = "exists and is untracked";
const IGNORED: &str = "exists, and git ignores it";

impl LandObstacle {
    /// Whether it is a file that git ignores, which `git stash -u` leaves in place.
    pub fn is_ignored(&self) -> bool {
        self.why == IGNORED
    }
}

/// What the user's index has at a path.
#[derive(Debug)]
struct StagedEntry {
    side: ChangeSide,
    /// During a merge there are several.
    unmerged: bool,
    /// Not in the checkout, because it is sparse.
    sparse: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathState {
    Old,
    New,
    Neither,
}

impl UserCheckout {
    pub(super) fn obstacles(
        &self,
        changes: &[RawTreeChange],
    ) -> Result<Vec<LandObstacle>, LandError> {
        let look = ObstacleFinder::new(self, changes)?;
        let in_the_way = |change| Some((change, look.why_in_the_way(change)?));
        let found: Vec<_> = changes.iter().filter_map(in_the_way).collect();
        let untracked = found.iter().filter(|(_, why)| *why == UNTRACKED);
        let untracked: Vec<&[u8]> = untracked.map(|(change, _)| change.path.as_slice()).collect();
        let ignored = self.ignored_among(&untracked)?;
        let obstacle = |(change, why): (&RawTreeChange, &'static str)| {
            let why = if ignored.contains(&change.path) { IGNORED } else { why };
            LandObstacle { path: display_path(&change.path), why }
        };
        Ok(found.into_iter().map(obstacle).collect())
    }

    /// Those of these untracked paths that the user's git ignores: a stash does not take them.
    fn ignored_among(&self, paths: &[&[u8]]) -> Result<BTreeSet<Vec<u8>>, LandError> {
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        let mut input = paths.join(&0);
        input.push(0);
        let call = self.git("find ignored files").stdin(input);
        // It exits with 1 if it finds none.
        let answer = call.args(["check-ignore", "--stdin", "-z"]).run()?;
        Ok(answer.fields().map(<[u8]>::to_vec).collect())
    }

    /// Lines for `update-index --index-info`: files that are in their new state while their index
    /// entry is in the old one.
    pub(super) fn done_already(&self, changes: &[RawTreeChange]) -> Result<Vec<u8>, LandError> {
        let look = ObstacleFinder::new(self, changes)?;
        let done = changes.iter().filter(|change| {
            look.staged_is(change) == PathState::Old && look.file_is(change) == PathState::New
        });
        Ok(done.flat_map(|change| index_line(&change.path, &new_side(change))).collect())
    }
}

/// The checkout and its index, in their current state.
struct ObstacleFinder<'a> {
    root: &'a Path,
    staged: BTreeMap<Vec<u8>, StagedEntry>,
    unlike_old: BTreeSet<Vec<u8>>,
    unlike_new: BTreeSet<Vec<u8>>,
    /// Paths that landing removes.
    leaving: BTreeSet<&'a [u8]>,
}

impl<'a> ObstacleFinder<'a> {
    fn new(checkout: &'a UserCheckout, changes: &'a [RawTreeChange]) -> Result<Self, LandError> {
        let leaving = changes.iter().filter(|change| change.new_mode == EntryMode::Absent);
        Ok(Self {
            root: checkout.root(),
            staged: staged(checkout)?,
            unlike_old: find_differing(checkout, changes, old_side)?,
            unlike_new: find_differing(checkout, changes, new_side)?,
            leaving: leaving.map(|change| change.path.as_slice()).collect(),
        })
    }

    fn why_in_the_way(&self, change: &RawTreeChange) -> Option<&'static str> {
        // Git does not change the inside of a submodule.
        if is_submodule(change) {
            return None;
        }
        if let Some(staged) = self.staged.get(&change.path) {
            if staged.unmerged {
                return Some("has an unresolved conflict");
            }
            if staged.sparse
                && self.staged_is(change) == PathState::Old
                && !self.exists(&change.path)
            {
                return None;
            }
        }
        match (self.staged_is(change), self.file_is(change)) {
            (PathState::Old, PathState::Old | PathState::New)
            | (PathState::New, PathState::New) => None,
            (PathState::Neither, _) | (PathState::New, PathState::Old) => {
                Some("has staged changes")
            }
            (_, PathState::Neither) if self.staged.contains_key(&change.path) => {
                Some("has uncommitted changes")
            }
            (_, PathState::Neither) => Some(UNTRACKED),
        }
    }

    fn staged_is(&self, change: &RawTreeChange) -> PathState {
        let nothing = ChangeSide { mode: EntryMode::Absent, id: String::new() };
        let staged = self.staged.get(&change.path).map_or(&nothing, |staged| &staged.side);
        let same = |side: &ChangeSide| {
            staged.mode == side.mode && (side.mode == EntryMode::Absent || staged.id == side.id)
        };
        match (same(&old_side(change)), same(&new_side(change))) {
            (true, _) => PathState::Old,
            (_, true) => PathState::New,
            _ => PathState::Neither,
        }
    }

    fn file_is(&self, change: &RawTreeChange) -> PathState {
        let like = |mode: EntryMode, unlike: &BTreeSet<Vec<u8>>| {
            if mode == EntryMode::Absent {
                !self.exists(&change.path)
            } else {
                !unlike.contains(&change.path)
            }
        };
        match (like(change.old_mode, &self.unlike_old), like(change.new_mode, &self.unlike_new)) {
            (true, _) => PathState::Old,
            (_, true) => PathState::New,
            _ => PathState::Neither,
        }
    }

    /// Whether the path exists, or a file stands in the place of a directory above it.
    fn exists(&self, path: &[u8]) -> bool {
        for end in path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at) {
            match fs::symlink_metadata(self.absolute(&path[..end])) {
                Ok(found) if found.is_dir() => {}
                // A link or a file, unless landing removes it.
                Ok(_) => return !self.leaving.contains(&path[..end]),
                Err(_) => return false,
            }
        }
        match fs::symlink_metadata(self.absolute(path)) {
            Ok(found) if found.is_dir() => self.holds_others(path),
            Ok(_) => true,
            Err(_) => false,
        }
    }

    /// Whether a directory holds anything but what landing removes.
    fn holds_others(&self, directory: &[u8]) -> bool {
        let Ok(entries) = fs::read_dir(self.absolute(directory)) else { return true };
        for entry in entries.flatten() {
            let path = [directory, b"/", entry.file_name().as_bytes()].concat();
            let others = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.holds_others(&path)
            } else {
                !self.leaving.contains(path.as_slice())
            };
            if others {
                return true;
            }
        }
        false
    }

    fn absolute(&self, path: &[u8]) -> PathBuf {
        self.root.join(OsStr::from_bytes(path))
    }
}

/// The user's index: `H 100644 <id> 0 TAB path`.
fn staged(checkout: &UserCheckout) -> Result<BTreeMap<Vec<u8>, StagedEntry>, LandError> {
    let call = checkout.git("read your index");
    let answer = call.args(["ls-files", "--full-name", "-t", "-s", "-z"]).run_checked()?;
    let mut staged = BTreeMap::new();
    for field in answer.fields() {
        let odd = || answer.unexpected(String::from_utf8_lossy(field));
        let tab = field.iter().position(|byte| *byte == b'\t').ok_or_else(odd)?;
        let header = String::from_utf8_lossy(&field[..tab]).into_owned();
        let [tag, mode, id, stage] = header.split(' ').collect::<Vec<_>>()[..] else {
            return Err(odd().into());
        };
        let mode = EntryMode::parse(mode).ok_or_else(odd)?;
        let side = ChangeSide { mode, id: id.to_owned() };
        let entry = StagedEntry { side, unmerged: stage != "0", sparse: tag == "S" };
        staged.insert(field[tab + 1..].to_owned(), entry);
    }
    Ok(staged)
}
