//! Compares files of the checkout with one side of a change, by content.
//!
//! Git compares, with the user's filters, through an index of our own without file times.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::LandError;
use super::checkout::UserCheckout;
use crate::git::error::ignore_missing;
use crate::objects::diff::change::{EntryMode, RawTreeChange};

/// The entry of one side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangeSide {
    pub(super) mode: EntryMode,
    pub(super) id: String,
}

pub(super) fn old_side(change: &RawTreeChange) -> ChangeSide {
    ChangeSide { mode: change.old_mode, id: change.old_id.clone() }
}

pub(super) fn new_side(change: &RawTreeChange) -> ChangeSide {
    ChangeSide { mode: change.new_mode, id: change.new_id.clone() }
}

/// A submodule that is added, removed or changed; one that replaces a file is left to git.
pub(super) fn is_submodule(change: &RawTreeChange) -> bool {
    let modes = [change.old_mode, change.new_mode];
    modes.contains(&EntryMode::Gitlink)
        && modes.iter().all(|mode| matches!(mode, EntryMode::Gitlink | EntryMode::Absent))
}

/// The paths whose file is not what `side` says, if it says that there is one.
pub(super) fn find_differing(
    checkout: &UserCheckout,
    changes: &[RawTreeChange],
    side: fn(&RawTreeChange) -> ChangeSide,
) -> Result<BTreeSet<Vec<u8>>, LandError> {
    let wanted = changes.iter().filter(|change| !is_submodule(change));
    let wanted = wanted.filter(|change| side(change).mode != EntryMode::Absent);
    let lines: Vec<u8> =
        wanted.flat_map(|change| index_line(&change.path, &side(change))).collect();
    if lines.is_empty() {
        return Ok(BTreeSet::new());
    }
    let index = ScratchIndex::new(&checkout.git_dir);
    let git = |doing: &str| checkout.git(doing).env("GIT_INDEX_FILE", &index.0);
    git("make an index").args(["update-index", "-z", "--index-info"]).stdin(lines).run_checked()?;
    // It exits with 1 if a file differs; the next command reports which.
    git("compare your files").args(["update-index", "-q", "--refresh"]).run()?;
    let answer =
        git("compare your files").args(["diff-files", "--name-only", "-z"]).run_checked()?;
    Ok(answer.fields().map(<[u8]>::to_owned).collect())
}

/// A line for `update-index --index-info`.
pub(super) fn index_line(path: &[u8], side: &ChangeSide) -> Vec<u8> {
    let mut line = format!("{:o} {}\t", side.mode.bits(), side.id).into_bytes();
    line.extend(path);
    line.push(0);
    line
}

/// A temporary index file, removed on drop.
struct ScratchIndex(PathBuf);

impl ScratchIndex {
    fn new(git_dir: &Path) -> Self {
        let scratch = Self(git_dir.join(format!("afresh-land.{}", std::process::id())));
        scratch.remove();
        scratch
    }

    fn remove(&self) {
        let _ = ignore_missing(fs::remove_file(&self.0));
    }
}

impl Drop for ScratchIndex {
    fn drop(&mut self) {
        self.remove();
    }
}
