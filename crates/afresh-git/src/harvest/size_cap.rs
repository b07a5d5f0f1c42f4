//! When a worker left more than can be kept.
//!
//! What is kept goes into the user's repository, and must not fill their disk: small files first, as much
//! as fits. Source is small; what is left out is what somebody generated.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::harvest::Refusal;
use crate::harvest::collect::Harvester;
use crate::harvest::listed::nul_separated;
use crate::harvest::prescan::Survey;
use crate::harvest::stage::Added;
use crate::workspace::pool::PoolError;

/// Files that may be kept, and how much there was of them.
#[derive(Debug)]
pub(crate) struct Fitting {
    pub(crate) paths: Vec<Vec<u8>>,
    pub(crate) refusal: Option<Refusal>,
}

/// The smallest of these files below `tree` that are no more than `limit` together.
pub(crate) fn fitting(tree: &Path, paths: Vec<Vec<u8>>, limit: u64) -> Fitting {
    let size = |path: &Vec<u8>| {
        // What is not there any more is a file that was deleted.
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
    let refusal = (all > limit).then_some(Refusal::TooMuch { bytes: all, limit });
    Fitting { paths, refusal }
}

impl Harvester<'_> {
    /// What fits of everything that is new or changed and not ignored; none where all of it may be kept.
    pub(crate) fn too_much(&self, survey: &Survey) -> Result<Option<Fitting>, PoolError> {
        let limit = self.request.limits.max_total_bytes;
        // Most workspaces hold less than what may be new in one.
        if survey.bytes <= limit {
            return Ok(None);
        }
        let call = self.git("list what is new")?;
        let call = call.args(["ls-files", "-z", "--others", "--modified", "--exclude-standard"]);
        let answer = call.done()?;
        let wanted = |path: &&[u8]| !survey.leaves_out(path);
        let paths = answer.fields().filter(wanted).map(<[u8]>::to_owned).collect();
        let fitting = fitting(&self.workspace.tree(), paths, limit);
        Ok(Some(fitting).filter(|it| it.refusal.is_some()))
    }

    pub(crate) fn add_fitting(&self, fitting: &Fitting) -> Result<Added, PoolError> {
        let call = self.git("gather what fits of the changes")?;
        let call = call.args(["update-index", "--add", "--remove", "-z", "--stdin"]);
        call.feed(nul_separated(&fitting.paths)).done()?;
        Ok(Added { notes: Vec::new(), is_whole: false })
    }
}
