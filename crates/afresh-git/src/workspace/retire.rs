//! Giving a slot up for good: what is in it is saved first, then it goes (R16).
//!
//! Stricter than making a slot ready for the next worker: what cannot be saved whole stays where it
//! is. A kill in the middle leaves a slot that can be given up again: the ref is durable before the
//! note says "saved", and only then is anything removed.

use std::fs;

use afresh_core::ids::CommitId;

use crate::git::error::{Context, FileError};
use crate::harvest::{HarvestError, Refusal};
use crate::refs::RefError;
use crate::workspace::pool::{Place, Pool, PoolError};

/// What became of the work in a slot that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retired {
    /// It had been saved before, or there was none.
    Empty,
    /// It is kept under this ref now.
    Saved { name: String, commit: CommitId },
}

/// Why a slot is still there.
#[derive(Debug, thiserror::Error)]
pub enum RetireError {
    #[error("what is in {place} cannot be saved")]
    Unsaved { place: Place, source: Box<HarvestError> },
    #[error("{0} holds work, and it is not known what that was based on")]
    Baseless(Place),
    #[error("cannot find where the work of {place} was saved")]
    Ref { place: Place, source: RefError },
    #[error("cannot remove {place}")]
    Pool { place: Place, source: PoolError },
}

impl Pool {
    /// The slots that are there, in order.
    pub fn places(&self) -> Result<Vec<Place>, FileError> {
        let directory = self.directory();
        let mut places = Vec::new();
        for entry in fs::read_dir(directory).context("list", directory)? {
            let entry = entry.context("list", directory)?;
            places.extend(entry.file_name().to_str().and_then(Place::named));
        }
        places.sort();
        Ok(places)
    }

    /// Saves what is in a slot and removes it, kept paths too. No process may be using it.
    pub fn retire(&self, place: Place, keep: &[String]) -> Result<Retired, RetireError> {
        let _turn = self.turns.insist_on(place);
        let failed = |error: FileError| RetireError::Pool { place, source: error.into() };
        let retired = self.save_whole(place, keep)?;
        self.workspace(place).discard().map_err(failed)?;
        self.ownership(place).forget().map_err(failed)?;
        Ok(retired)
    }

    fn save_whole(&self, place: Place, keep: &[String]) -> Result<Retired, RetireError> {
        let ownership = self.ownership(place);
        let Some(files) = ownership.unsaved() else { return Ok(Retired::Empty) };
        let wanted = self.salvage_name(place);
        let commit = match self.salvage(place, &files, keep) {
            Ok(harvest) => harvest.commit,
            // Measured and kept like any other; it is only not fit to land.
            Err(HarvestError::Refused {
                refusal: Refusal::TooManyPaths { .. } | Refusal::NotUtf8 { .. },
                salvaged,
                ..
            }) => salvaged,
            Err(HarvestError::Gone { .. }) if self.has_no_files(place) => None,
            Err(HarvestError::Gone { .. }) => return Err(RetireError::Baseless(place)),
            Err(source) => return Err(RetireError::Unsaved { place, source: Box::new(source) }),
        };
        let Some(commit) = commit else { return Ok(Retired::Empty) };
        let name = self.kept_as(&wanted, &commit);
        let name = name.map_err(|source| RetireError::Ref { place, source })?;
        Ok(Retired::Saved { name, commit })
    }

    /// The name may have got a number, where other work had it.
    fn kept_as(&self, wanted: &str, commit: &CommitId) -> Result<String, RefError> {
        let run = wanted.rsplit_once('/').map_or(wanted, |(run, _)| run);
        let refs = self.repository.list_refs(&format!("{run}/"))?;
        let mut names = refs.into_iter().filter(|(_, kept)| kept == commit).map(|(name, _)| name);
        Ok(names.find(|name| name.starts_with(wanted)).unwrap_or_else(|| wanted.to_owned()))
    }

    /// Whether the checkout is missing, a link or empty: then there is nothing to save in it.
    fn has_no_files(&self, place: Place) -> bool {
        let workspace = self.workspace(place);
        let is_directory =
            |path: &std::path::Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !is_directory(&workspace.slot) || !is_directory(&workspace.tree()) {
            return true;
        }
        fs::read_dir(workspace.tree()).is_ok_and(|mut entries| entries.next().is_none())
    }
}
