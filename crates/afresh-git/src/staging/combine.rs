//! Makes one pack out of many small ones.
//!
//! Every harvest and every merge adds a pack, and git searches all of them for an object. Only packs
//! that this process made are combined.

use std::fs;
use std::path::PathBuf;

use afresh_core::ids::CommitId;

use crate::git::command::lines;
use crate::git::repository::Repository;
use crate::staging::pinned_pack::{PACK_OPTIONS, into_one_pack, packed_file};
use crate::workspace::pool::PoolError;

/// How many packs of ours there may be before they are combined.
const MAX_PACKS: usize = 40;

impl Repository {
    /// Combines our packs if there are too many; `tip` is a commit of the last one. If it fails,
    /// they stay as they are.
    pub(crate) fn combine_packs(&self, tip: &CommitId) {
        let packs = {
            let mut state = self.pins.lock();
            if state.released.len() < MAX_PACKS {
                return;
            }
            std::mem::take(&mut state.released)
        };
        // A list of all packs, or a garbage collection, may depend on them.
        let is_used = self.objects().join("pack/multi-pack-index").exists()
            || self.common_dir.join("gc.pid").exists();
        if !is_used {
            // The packs stay if it fails, and later ones are combined without them.
            let _ = self.combine(packs, tip);
        }
    }

    fn combine(&self, mut packs: Vec<PathBuf>, tip: &CommitId) -> Result<(), PoolError> {
        packs.retain(|pack| pack.with_extension("pack").is_file());
        let names: Vec<String> = packs
            .iter()
            .filter_map(|pack| Some(format!("{}.pack", pack.file_name()?.to_str()?)))
            .collect();
        let base = self.ensure_staging()?.join("pack/pack");
        let call = into_one_pack(self.git("combine packs"));
        let call = call.args(["pack-objects", "--stdin-packs"]);
        let call = call.args(PACK_OPTIONS).args([base.as_os_str()]);
        let answer = call.stdin(lines(names.iter().map(String::as_str))).run_checked()?;
        let packed = packed_file(&base, &answer)?;
        let keep = self.install_pack(&packed, tip)?;
        for pack in packs {
            for extension in ["idx", "pack"] {
                let _ = fs::remove_file(pack.with_extension(extension));
            }
        }
        let _ = fs::remove_file(keep);
        Ok(())
    }
}
