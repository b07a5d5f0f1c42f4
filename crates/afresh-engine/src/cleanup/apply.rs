//! Removes the items that are to go. An item that cannot be removed stays, and cleanup continues with the rest.

use std::path::Path;

use afresh_core::ids::CommitId;
use afresh_git::{
    DEFAULT_LOCK_TIMEOUT, RefExpectation, RefOutcome, RefUpdate, RetireOutcome, WorkspaceId,
    remove_tree,
};

use crate::cleanup::Cleanup;
use crate::cleanup::item::{CleanupItem, CleanupTarget};
use crate::executor::causes::describe;

/// What happened to one item.
#[derive(Debug)]
pub struct CleanupOutcome {
    pub thing: CleanupItem,
    /// Where its work is saved now, if it was not saved before.
    pub saved: Option<SavedWork>,
    /// Why it could not be removed.
    pub failure: Option<String>,
}

/// Work that cleanup saved before it removed an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedWork {
    pub name: String,
    pub commit: CommitId,
}

impl Cleanup<'_> {
    /// Removes an item if it is to go. The caller holds the repository's lock.
    pub fn carry_out(&self, thing: CleanupItem) -> CleanupOutcome {
        let removed = match &thing.target {
            CleanupTarget::Slot(place) => self.retire(*place),
            CleanupTarget::PoolItself => self.remove_pool().map(|()| None),
            CleanupTarget::Paths(paths) => {
                remove_all(paths.iter().map(AsRef::as_ref)).map(|()| None)
            }
            CleanupTarget::Ref { name, commit } => self.remove_ref(name, commit).map(|()| None),
            CleanupTarget::Nothing => Ok(None),
        };
        match removed {
            Ok(saved) => CleanupOutcome { thing, saved, failure: None },
            Err(failure) => CleanupOutcome { thing, saved: None, failure: Some(failure) },
        }
    }

    fn retire(&self, place: WorkspaceId) -> Result<Option<SavedWork>, String> {
        let Some(pool) = &self.pool else { return Ok(None) };
        match pool.retire(place, &self.wishes.keep) {
            Ok(RetireOutcome::Empty) => Ok(None),
            Ok(RetireOutcome::Saved { name, commit }) => Ok(Some(SavedWork { name, commit })),
            Err(error) => Err(describe(&error)),
        }
    }

    /// Fails while a workspace is left: one that could not be removed needs its records.
    fn remove_pool(&self) -> Result<(), String> {
        let Some(pool) = &self.pool else { return Ok(()) };
        let left = pool.list_workspaces().map_err(|error| error.to_string())?;
        if !left.is_empty() {
            return Err("a workspace is left".to_owned());
        }
        remove_all([pool.directory()])
    }

    fn remove_ref(&self, name: &str, commit: &CommitId) -> Result<(), String> {
        let old = RefExpectation::Is(commit.clone());
        let update = RefUpdate { name: name.to_owned(), new: None, old };
        match self.place.git.update_refs(&[update], DEFAULT_LOCK_TIMEOUT) {
            Ok(RefOutcome::Done | RefOutcome::Mismatch { now: None, .. }) => Ok(()),
            Ok(RefOutcome::Mismatch { .. }) => Err("it was moved meanwhile".to_owned()),
            Err(error) => Err(describe(&error)),
        }
    }
}

/// Symbolic links are removed, not followed.
pub(crate) fn remove_all<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), String> {
    paths.into_iter().try_for_each(|path| remove_tree(path).map_err(|error| error.to_string()))
}
