//! A slot that holds work which nobody has saved says so, and is not emptied before it is saved.
//!
//! The journal knows this too; but a slot outlives a run, and the next one to use it may belong to
//! another plan, or to a driver with another state directory.

use std::time::{SystemTime, UNIX_EPOCH};

use afresh_core::ids::CommitId;

use crate::error::FileError;
use crate::harvest::{HarvestError, HarvestLimits, HarvestRequest};
use crate::identity::Signature;
use crate::pool::{Place, Pool};

impl Pool {
    /// Entrusts a prepared slot to a worker: until it is harvested, what is in it is to be kept under
    /// the ref `salvage`, and with it `files`, even where they are ignored.
    pub fn entrust(&self, place: Place, salvage: &str, files: &[String]) -> Result<(), FileError> {
        let mut note = String::from(salvage);
        for file in files {
            note.push('\n');
            note.push_str(file);
        }
        self.workspace(place).mark_unsaved(&note)
    }

    /// Saves what is in the slot, if it was entrusted to somebody and never harvested.
    pub(crate) fn save_leftovers(&self, place: Place, keep: &[String]) -> Result<(), HarvestError> {
        let workspace = self.workspace(place);
        let Some(note) = workspace.unsaved() else { return Ok(()) };
        let mut lines = note.lines();
        let salvage = lines.next().unwrap_or_default();
        let files: Vec<String> = lines.map(str::to_owned).collect();
        let base = workspace.prepared().and_then(|id| CommitId::new(id).ok());
        if let Some(base) = base {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let signature =
                Signature { identity: self.identity.clone(), at_seconds: since.as_secs() };
            let request = HarvestRequest {
                base: &base,
                files: &files,
                keep,
                message: "salvaged: what an attempt left",
                step_prefix: "salvaged: ",
                signature: &signature,
                salvage,
                limits: HarvestLimits::default(),
            };
            match self.harvest(place, &request) {
                // What cannot be had any more cannot be saved; a refusal has saved what it could.
                Ok(_)
                | Err(
                    HarvestError::Gone { .. }
                    | HarvestError::NotPrepared { .. }
                    | HarvestError::Refused { .. },
                ) => {}
                Err(error) => return Err(error),
            }
        }
        workspace.mark_saved().map_err(|error| HarvestError::Pool { place, source: error.into() })
    }
}
