//! Workspaces, records about them, and temporary files of jobs.

use std::fs::DirEntry;

use afresh_git::ref_names::split_salvage_ref;
use afresh_git::{WorkspaceId, WorkspacePool};

use super::history::entries;
use super::item::{CleanupItem, CleanupKind, CleanupTarget};
use super::{Cleanup, CleanupError, size};
use crate::session::job_prefix;

/// What a pool holds besides workspaces.
const NOTES: &[&str] = &["owners", "repository", "setup", "shadow.git"];

impl Cleanup<'_> {
    pub(super) fn workspaces(&self) -> Result<Vec<CleanupItem>, CleanupError> {
        let Some(pool) = &self.pool else { return Ok(Vec::new()) };
        let mut things = Vec::new();
        for place in pool.list_workspaces()? {
            let bytes = size::disk_usage(&pool.directory().join(place.to_string()));
            things.push(self.workspace(pool, place).of_size(bytes));
        }
        let strangers: Vec<String> = entries(pool.directory())
            .into_iter()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| !NOTES.contains(&name.as_str()))
            .filter(|name| !things.iter().any(|thing| thing.name == *name))
            .collect();
        for name in &strangers {
            let path = pool.directory().join(name).display().to_string();
            things.push(CleanupItem::stays(CleanupKind::Notes, path, "afresh did not make it"));
        }
        if things.iter().all(CleanupItem::is_to_go) {
            let name = pool.directory().display().to_string();
            let bytes =
                NOTES.iter().map(|note| size::disk_usage(&pool.directory().join(note))).sum();
            let why = "no workspace is left";
            things.push(
                CleanupItem::remove(CleanupKind::Notes, name, why, CleanupTarget::PoolItself)
                    .of_size(bytes),
            );
        }
        Ok(things)
    }

    fn workspace(&self, pool: &WorkspacePool, place: WorkspaceId) -> CleanupItem {
        let name = place.to_string();
        let goes = |why: String| {
            CleanupItem::remove(CleanupKind::Workspace, &name, why, CleanupTarget::Slot(place))
        };
        if matches!(place, WorkspaceId::Check(_)) {
            return goes("checks ran in it; it holds no work".to_owned());
        }
        let unsaved = pool.unsaved(place);
        let owner = unsaved.clone().or_else(|| pool.lease_holder(place));
        let underway = owner.as_deref().and_then(split_salvage_ref).filter(|(run, attempt)| {
            self.find_run(run)
                .is_some_and(|known| !known.is_finished() && known.is_underway(attempt))
        });
        let by_hand = owner.as_deref().and_then(split_salvage_ref).filter(|(run, attempt)| {
            self.find_run(run).is_some_and(|known| known.is_open_by_hand(attempt))
        });
        if let Some((run, attempt)) = by_hand {
            let why = format!("{attempt} of run {run} is open by hand");
            return CleanupItem::stays(CleanupKind::Workspace, &name, why)
                .hint("`afresh task complete` hands it in, `afresh task fail` gives it up");
        }
        if let (Some((run, attempt)), false) = (underway, self.wishes.unfinished) {
            let why = format!("{attempt} of run {run} is not finished");
            return CleanupItem::stays(CleanupKind::Workspace, &name, why).hint(format!(
                "`afresh resume {run}` continues it; `afresh clean --unfinished` saves what is in it and removes it",
            ));
        }
        match unsaved {
            Some(salvage) => goes(format!("what is in it is saved first, as {salvage}")),
            None => goes("everything in it is saved".to_owned()),
        }
    }

    /// No driver is running in this repository, so its jobs are dead.
    pub(super) fn temporary(&self) -> Vec<CleanupItem> {
        let prefix = job_prefix(&self.place.git);
        let temp = self.place.layout.cache.join("temp");
        let of_job = |entry: DirEntry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with(&prefix) {
                return None;
            }
            let why = "the job that they were for is over";
            let bytes = size::disk_usage(&entry.path());
            let target = CleanupTarget::Paths(vec![entry.path()]);
            Some(CleanupItem::remove(CleanupKind::Temporary, &name, why, target).of_size(bytes))
        };
        entries(&temp).into_iter().filter_map(of_job).collect()
    }
}
