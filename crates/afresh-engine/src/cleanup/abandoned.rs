//! Workspaces of repositories that no longer exist.
//!
//! Saved work was saved in the repository and went with it. Work that was not saved exists nowhere else, so it
//! stays.

use std::path::{Path, PathBuf};

use afresh_git::{AbandonedPool, find_abandoned_pools};

use super::apply::{CleanupOutcome, remove_all};
use super::item::{CleanupItem, CleanupKind, CleanupTarget};
use super::{CleanupError, history, size};

/// Job names begin with this many digits of the pool's name; see `session::job_prefix`.
const JOB_KEY_DIGITS: usize = 12;

/// Finds such workspaces in the cache directory.
pub fn things_of_gone(cache: &Path) -> Result<Vec<CleanupItem>, CleanupError> {
    Ok(find_abandoned_pools(cache)?.iter().map(|pool| thing(cache, pool)).collect())
}

fn thing(cache: &Path, pool: &AbandonedPool) -> CleanupItem {
    let name = pool.repository.display().to_string();
    let bytes = size::disk_usage(&pool.directory);
    if !pool.unsaved.is_empty() {
        let tree = |slot: &String| pool.directory.join(slot).join("tree").display().to_string();
        let places: Vec<String> = pool.unsaved.iter().map(tree).collect();
        let why = format!("they hold unsaved work: {}", places.join(", "));
        return CleanupItem::stays(CleanupKind::Repository, name, why)
            .of_size(bytes)
            .hint("take out what you need, then remove the directory by hand");
    }
    let mut paths = vec![pool.directory.clone()];
    paths.extend(temporary(cache, &pool.key()));
    let target = CleanupTarget::Paths(paths);
    CleanupItem::remove(CleanupKind::Repository, name, "the repository is gone", target)
        .of_size(bytes)
}

fn temporary(cache: &Path, key: &str) -> Vec<PathBuf> {
    let prefix = format!("{}-", &key[..JOB_KEY_DIGITS]);
    let entries = history::entries(&cache.join("temp")).into_iter();
    let ours = entries.filter(|it| it.file_name().to_string_lossy().starts_with(&prefix));
    ours.map(|entry| entry.path()).collect()
}

/// Removes one of them.
pub fn remove_gone(thing: CleanupItem) -> CleanupOutcome {
    let failure = match &thing.target {
        CleanupTarget::Paths(paths) => remove_all(paths.iter().map(AsRef::as_ref)).err(),
        _ => None,
    };
    CleanupOutcome { thing, saved: None, failure }
}
