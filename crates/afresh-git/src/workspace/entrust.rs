//! A slot that holds work which nobody has saved says so, and is not emptied before it is saved.
//!
//! The journal knows this too; but a slot outlives a run, and the next one to use it may belong to
//! another plan, or to a driver with another state directory.

use std::time::{SystemTime, UNIX_EPOCH};

use afresh_core::ids::CommitId;

use crate::git::error::FileError;
use crate::git::identity::Signature;
use crate::harvest::{HarvestError, HarvestLimits, HarvestRequest, WorkspaceHarvest};
use crate::refs::names::salvage_ref;
use crate::workspace::lease::{Owner, Ownership};
use crate::workspace::pool::{Place, Pool};

impl Pool {
    /// Says for whom a slot was just prepared: from now on it is harvested for the ref `salvage`
    /// alone, until it is prepared for somebody else.
    pub fn claim(&self, place: Place, salvage: &str) -> Result<(), FileError> {
        self.ownership(place).give_to(salvage)
    }

    /// Entrusts a prepared slot to a worker: until it is harvested, what is in it is to be kept under
    /// the ref `salvage`, and with it `files`, even where they are ignored.
    pub fn entrust(&self, place: Place, salvage: &str, files: &[String]) -> Result<(), FileError> {
        let ownership = self.ownership(place);
        if ownership.owner() != Owner::Attempt(salvage.to_owned()) {
            ownership.give_to(salvage)?;
        }
        ownership.mark_unsaved(files)
    }

    pub(crate) fn ownership(&self, place: Place) -> Ownership {
        Ownership::new(self.directory(), &place.to_string())
    }

    /// Saves what is in the slot, if it was entrusted to somebody and never harvested. What cannot be
    /// had any more cannot be saved; a refusal has saved what it could.
    pub(crate) fn save_leftovers(&self, place: Place, keep: &[String]) -> Result<(), HarvestError> {
        let ownership = self.ownership(place);
        let Some(files) = ownership.unsaved() else { return Ok(()) };
        match self.salvage(place, &files, keep) {
            Ok(_)
            | Err(
                HarvestError::Gone { .. }
                | HarvestError::NotPrepared { .. }
                | HarvestError::Refused { .. },
            ) => {}
            Err(error) => return Err(error),
        }
        ownership.mark_saved().map_err(|error| HarvestError::Pool { place, source: error.into() })
    }

    /// Harvests the slot for whom it was entrusted to, on what it was prepared as.
    pub(crate) fn salvage(
        &self,
        place: Place,
        files: &[String],
        keep: &[String],
    ) -> Result<WorkspaceHarvest, HarvestError> {
        let salvage = self.salvage_name(place);
        let workspace = self.workspace(place);
        let base = workspace.prepared().and_then(|id| CommitId::new(id).ok());
        let base = base.ok_or_else(|| HarvestError::Gone { place, tree: workspace.tree() })?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let signature = Signature { identity: self.identity.clone(), at_seconds: since.as_secs() };
        let request = HarvestRequest {
            base: &base,
            prepared: &base,
            onto: &base,
            files,
            keep,
            message: "salvaged: what an attempt left",
            step_prefix: "salvaged: ",
            step_names: &[],
            signature: &signature,
            salvage: &salvage,
            limits: HarvestLimits::default(),
        };
        self.take_in(place, &request)
    }

    /// The ref for what is in the slot.
    pub(crate) fn salvage_name(&self, place: Place) -> String {
        match self.ownership(place).owner() {
            Owner::Attempt(salvage) => salvage,
            // Somebody has tampered with our notes; the work may be precious all the same.
            Owner::Never | Owner::Nobody | Owner::Unknown => {
                salvage_ref("unknown", &format!("{place}-1"))
            }
        }
    }
}
