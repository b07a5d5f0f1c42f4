//! What to keep if a worker left too much.
//!
//! Saved work goes into the user's repository, and must not fill the disk: small files first, as
//! much as fits. Source files are small; large files are usually generated.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::harvest::HarvestRejection;
use crate::harvest::collect::WorkCollector;
use crate::harvest::listed::nul_separated;
use crate::harvest::prescan::TreeScan;
use crate::harvest::stage::StagedFiles;
use crate::workspace::pool::PoolError;

/// The files to keep, and why the rest is not kept.
#[derive(Debug)]
pub(crate) struct SizeCapSelection {
    pub(crate) paths: Vec<Vec<u8>>,
    pub(crate) rejection: Option<HarvestRejection>,
}

/// The smallest of these files below `tree` whose total size is at most `limit`.
pub(crate) fn select_within_cap(tree: &Path, paths: Vec<Vec<u8>>, limit: u64) -> SizeCapSelection {
    let size = |path: &Vec<u8>| {
        // A file that does not exist was deleted.
        tree.join(OsStr::from_bytes(path)).symlink_metadata().map_or(0, |found| found.len())
    };
    let mut sized: Vec<(u64, Vec<u8>)> =
        paths.into_iter().map(|path| (size(&path), path)).collect();
    sized.sort();
    let all: u64 = sized.iter().map(|(bytes, _)| bytes).sum();
    let mut left = limit;
    let fits = |(bytes, _): &(u64, Vec<u8>)| {
        let rest = left.checked_sub(*bytes);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let paths = sized.into_iter().take_while(fits).map(|(_, path)| path).collect();
    let rejection = (all > limit).then_some(HarvestRejection::TooManyBytes { bytes: all, limit });
    SizeCapSelection { paths, rejection }
}

impl WorkCollector<'_> {
    /// What fits of everything that is new or changed and not ignored; `None` if all of it fits.
    pub(crate) fn select_if_over_cap(
        &self,
        scan: &TreeScan,
    ) -> Result<Option<SizeCapSelection>, PoolError> {
        let limit = self.request.limits.max_total_bytes;
        // Most workspaces are smaller than what may be new in one.
        if scan.bytes <= limit {
            return Ok(None);
        }
        let call = self.git("list what is new")?;
        let call = call.args(["ls-files", "-z", "--others", "--modified", "--exclude-standard"]);
        let answer = call.run_checked()?;
        let wanted = |path: &&[u8]| !scan.leaves_out(path);
        let paths = answer.fields().filter(wanted).map(<[u8]>::to_owned).collect();
        let selection = select_within_cap(&self.workspace.tree(), paths, limit);
        Ok(Some(selection).filter(|it| it.rejection.is_some()))
    }

    pub(crate) fn stage_selection(
        &self,
        selection: &SizeCapSelection,
    ) -> Result<StagedFiles, PoolError> {
        let call = self.git("gather what fits of the changes")?;
        let call = call.args(["update-index", "--add", "--remove", "-z", "--stdin"]);
        call.stdin(nul_separated(&selection.paths)).run_checked()?;
        Ok(StagedFiles::default())
    }
}
