//! Removing what is to go, each thing by its own way; what fails stays, and the rest goes on.

use std::path::Path;

use afresh_core::ids::CommitId;
use afresh_git::{
    DEFAULT_LOCK_TIMEOUT, RefExpectation, RefOutcome, RefUpdate, RetireOutcome, WorkspaceId,
    remove_tree,
};

use crate::cleanup::Cleanup;
use crate::cleanup::item::{CleanupItem, CleanupTarget};
use crate::executor::causes::describe;

/// What became of a thing that was to go.
#[derive(Debug)]
pub struct CleanupOutcome {
    pub thing: CleanupItem,
    /// Where the work in it is kept now, if it was not before.
    pub saved: Option<SavedWork>,
    /// Why it is still there.
    pub failure: Option<String>,
}

/// Work that was saved on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedWork {
    pub name: String,
    pub commit: CommitId,
}

impl Cleanup<'_> {
    /// Removes it, if it is to go. The caller holds the repository's lock.
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

    /// Not while there is a slot: one that could not go needs what is noted about it.
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
        match self.place.repository.update_refs(&[update], DEFAULT_LOCK_TIMEOUT) {
            Ok(RefOutcome::Done | RefOutcome::Mismatch { now: None, .. }) => Ok(()),
            Ok(RefOutcome::Mismatch { .. }) => Err("it was moved meanwhile".to_owned()),
            Err(error) => Err(describe(&error)),
        }
    }
}

/// Links are removed, not followed.
pub(crate) fn remove_all<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<(), String> {
    paths.into_iter().try_for_each(|path| remove_tree(path).map_err(|error| error.to_string()))
}
