//! What runs added to the repository: their branches, and work that did not land.

use std::collections::BTreeSet;

use afresh_core::ids::{CommitId, RunId};
use afresh_git::ref_names::{OWN_REFS, RUN_BRANCHES, display_name};
use afresh_git::{CommandError, EntryMode, Repository, TreeChange};
use afresh_secrets::{SecretScan, SecretSource};

use super::MAX_BYTES;
use crate::executor::causes::describe;

/// `bases` are the known runs with the commits that they started from.
pub fn history(scan: &mut SecretScan, repository: &Repository, bases: &[(RunId, CommitId)]) {
    let mut seen = BTreeSet::new();
    for (source, prefix) in
        [(SecretSource::Branch, RUN_BRANCHES), (SecretSource::Salvage, OWN_REFS)]
    {
        let refs = match repository.list_refs(prefix) {
            Ok(refs) => refs,
            Err(error) => {
                scan.skip(prefix.to_owned(), describe(&error));
                continue;
            }
        };
        for (name, tip) in refs {
            let run = bases.iter().find(|(run, _)| name.split('/').any(|it| it == run.as_str()));
            let short = display_name(&name);
            match added(repository, run.map(|(_, base)| base), &tip) {
                Ok(mut changes) => {
                    // The same work is often kept under several names.
                    changes.retain(|it| seen.insert((it.path.clone(), it.new_id.clone())));
                    scan_changes(scan, repository, source, short, &changes);
                }
                Err(error) => scan.skip(short.to_owned(), describe(&error)),
            }
        }
    }
}

/// What is new since the run started; if the run is unknown, what its last commit added.
fn added(
    repository: &Repository,
    base: Option<&CommitId>,
    tip: &CommitId,
) -> Result<Vec<TreeChange>, CommandError> {
    let base = match base {
        Some(base) => Some(base.clone()),
        None => repository.first_parent(tip)?,
    };
    base.map_or(Ok(Vec::new()), |base| repository.diff(&base, tip))
}

fn scan_changes(
    scan: &mut SecretScan,
    repository: &Repository,
    source: SecretSource,
    name: &str,
    changes: &[TreeChange],
) {
    let most = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX);
    let read = |id: &str| repository.blob(id, most).ok().flatten();
    let is_file =
        |change: &&TreeChange| matches!(change.new_mode, EntryMode::File | EntryMode::Executable);
    for change in changes.iter().filter(is_file) {
        let place = format!("{name}:{}", change.path);
        match read(&change.new_id) {
            Some(text) => scan.scan_text(source, &place, &text, read(&change.old_id).as_deref()),
            None => scan.skip(place, "it cannot be read, or is too large"),
        }
    }
}
