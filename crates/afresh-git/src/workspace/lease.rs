//! The lease of a workspace: which attempt it belongs to, and whether its contents are saved.
//!
//! ```text
//! owners/work-1           the attempt that holds the workspace, by the ref that keeps its work
//! owners/work-1.unsaved   not empty while that work is not saved; lists the files that go with it
//! ```
//! The life of a lease: [`WorkspacePool::prepare`] saves unsaved work of the last holder and frees
//! the workspace; [`WorkspacePool::acquire_lease`] assigns it to an attempt;
//! [`WorkspaceLease::mark_unsaved`] records, before the worker starts, that it may hold work from
//! now on; [`WorkspacePool::harvest`] saves that work and marks it as saved.
//!
//! The journal knows this too, but a workspace outlives a run, and the next attempt in it may
//! belong to another plan, or to a driver with another state directory. The records lie beside the
//! workspaces because they must survive a workspace that is made again. A worker without a sandbox
//! can write them, so they are not trusted: only the name of a salvage ref is accepted.

use std::fs::{File, Metadata};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use afresh_core::ids::CommitId;

use crate::git::error::{FileContext, FileError};
use crate::git::identity::CommitSignature;
use crate::harvest::{HarvestError, HarvestLimits, HarvestRequest, WorkspaceHarvest};
use crate::refs::names::{is_salvage_ref, salvage_ref};
use crate::workspace::pool::{WorkspaceId, WorkspacePool};
use crate::workspace::remove::TreeRemover;
use crate::workspace::slot::make_real_directory;

/// Written before the name of a ref, so that no other text is taken for one.
const HOLDER_PREFIX: &str = "this slot belongs to ";
const FREE_LINE: &str = "this slot belongs to nobody";
const UNSAVED_LINE: &str = "not saved yet; these files belong to it";
/// More than any list of files that a task can have.
const MAX_RECORD_BYTES: u64 = 4 * 1024 * 1024;

/// Who holds the lease of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LeaseHolder {
    /// There never was a lease.
    Never,
    /// The workspace was prepared, and not leased since.
    Free,
    /// The attempt with this salvage ref.
    Attempt(String),
    /// The record holds something that afresh did not write.
    Unknown,
}

impl LeaseHolder {
    pub(crate) fn describe(self) -> String {
        match self {
            Self::Never | Self::Free => "no attempt".to_owned(),
            Self::Attempt(salvage) => salvage,
            Self::Unknown => "an unknown attempt".to_owned(),
        }
    }
}

/// The lease of one workspace on disk.
#[derive(Debug)]
pub(crate) struct LeaseRecord {
    holder: PathBuf,
    unsaved_marker: PathBuf,
}

impl LeaseRecord {
    pub(crate) fn new(pool: &Path, slot: &str) -> Self {
        let directory = pool.join("owners");
        Self {
            holder: directory.join(slot),
            unsaved_marker: directory.join(format!("{slot}.unsaved")),
        }
    }

    pub(crate) fn holder(&self) -> LeaseHolder {
        if self.is_directory_replaced() {
            return LeaseHolder::Unknown;
        }
        if self.holder.symlink_metadata().is_err() {
            return LeaseHolder::Never;
        }
        let text = read(&self.holder).unwrap_or_default();
        // Only a whole line counts; what follows is left over from a longer record.
        let line = text.split_once('\n').map_or("", |(line, _)| line);
        match line.strip_prefix(HOLDER_PREFIX) {
            _ if line == FREE_LINE => LeaseHolder::Free,
            Some(name) if is_salvage_ref(name) => LeaseHolder::Attempt(name.to_owned()),
            _ => LeaseHolder::Unknown,
        }
    }

    pub(crate) fn assign(&self, salvage: &str) -> Result<(), FileError> {
        write(&self.holder, &format!("{HOLDER_PREFIX}{salvage}\n"))
    }

    /// Frees the workspace; one that was never leased needs no record.
    pub(crate) fn free(&self) -> Result<(), FileError> {
        match self.holder() {
            LeaseHolder::Never | LeaseHolder::Free => Ok(()),
            _ => write(&self.holder, &format!("{FREE_LINE}\n")),
        }
    }

    pub(crate) fn mark_unsaved(&self, files: &[String]) -> Result<(), FileError> {
        write(&self.unsaved_marker, &format!("{UNSAVED_LINE}\n{}\n", files.join("\n")))
    }

    pub(crate) fn mark_saved(&self) -> Result<(), FileError> {
        if self.is_directory_replaced() {
            return write(&self.unsaved_marker, "");
        }
        match self.unsaved_marker.symlink_metadata() {
            Ok(found) if found.is_file() && found.len() == 0 => Ok(()),
            Ok(_) => write(&self.unsaved_marker, ""),
            Err(_) => Ok(()),
        }
    }

    /// Whether the directory of the records was replaced by something else.
    fn is_directory_replaced(&self) -> bool {
        let directory = self.holder.parent().expect("a record lies in a directory");
        directory.symlink_metadata().is_ok_and(|found| !found.is_dir())
    }

    /// Deletes the record, after the workspace was removed.
    pub(crate) fn delete(&self) -> Result<(), FileError> {
        if self.is_directory_replaced() {
            return Ok(());
        }
        for file in [&self.holder, &self.unsaved_marker] {
            let parent = file.parent().expect("a record lies in a directory");
            TreeRemover::new(parent).remove(file)?;
        }
        Ok(())
    }

    /// The files that go with the work, if it is not saved yet.
    pub(crate) fn unsaved_files(&self) -> Option<Vec<String>> {
        // The record is lost, so the work counts as unsaved.
        if self.is_directory_replaced() {
            return Some(Vec::new());
        }
        let found = self.unsaved_marker.symlink_metadata().ok()?;
        if found.is_file() && found.len() == 0 {
            return None;
        }
        // The work is saved even if its record cannot be read.
        let text = read(&self.unsaved_marker).unwrap_or_default();
        let mut lines = text.lines();
        let ours = lines.next() == Some(UNSAVED_LINE);
        let files = lines.filter(|line| ours && !line.is_empty());
        Some(files.map(str::to_owned).collect())
    }
}

/// A workspace that is assigned to an attempt.
#[derive(Debug)]
pub struct WorkspaceLease {
    record: LeaseRecord,
    salvage: String,
}

impl WorkspaceLease {
    /// Records that the workspace may hold work from now on: until it is harvested, its contents are
    /// saved under the attempt's salvage ref before it is emptied, with `files` even where they are
    /// ignored.
    pub fn mark_unsaved(&self, files: &[String]) -> Result<(), FileError> {
        // Another worker without a sandbox may have changed the record meanwhile.
        if self.record.holder() != LeaseHolder::Attempt(self.salvage.clone()) {
            self.record.assign(&self.salvage)?;
        }
        self.record.mark_unsaved(files)
    }
}

impl WorkspacePool {
    /// Assigns a prepared workspace to the attempt with this salvage ref. Until it is prepared again,
    /// it is harvested for that ref alone.
    pub fn acquire_lease(
        &self,
        id: WorkspaceId,
        salvage: &str,
    ) -> Result<WorkspaceLease, FileError> {
        let record = self.lease_record(id);
        record.assign(salvage)?;
        Ok(WorkspaceLease { record, salvage: salvage.to_owned() })
    }

    /// The salvage ref of the attempt that holds the lease.
    pub fn lease_holder(&self, id: WorkspaceId) -> Option<String> {
        match self.lease_record(id).holder() {
            LeaseHolder::Attempt(salvage) => Some(salvage),
            LeaseHolder::Never | LeaseHolder::Free | LeaseHolder::Unknown => None,
        }
    }

    /// The ref under which the workspace's contents belong, while they are not saved there.
    pub fn unsaved(&self, id: WorkspaceId) -> Option<String> {
        self.lease_record(id).unsaved_files().map(|_| self.holder_salvage_ref(id))
    }

    pub(crate) fn lease_record(&self, id: WorkspaceId) -> LeaseRecord {
        LeaseRecord::new(self.directory(), &id.to_string())
    }

    /// Saves what an earlier attempt left in the workspace and was never harvested.
    pub(crate) fn save_unsaved_work(
        &self,
        id: WorkspaceId,
        keep: &[String],
    ) -> Result<(), HarvestError> {
        let record = self.lease_record(id);
        let Some(files) = record.unsaved_files() else { return Ok(()) };
        has_saved_contents(self.harvest_for_holder(id, &files, keep))?;
        record.mark_saved().map_err(|error| HarvestError::Pool { id, source: error.into() })
    }

    /// Saves the contents of the workspaces of one attempt again, after what was saved under
    /// `salvage` got lost; returns whether there were any.
    pub fn save_again(&self, salvage: &str) -> Result<bool, HarvestError> {
        let workspaces = self.list_workspaces().unwrap_or_default();
        for id in
            workspaces.into_iter().filter(|id| self.lease_holder(*id).as_deref() == Some(salvage))
        {
            let _guard = self.locks.lock_preempting(id);
            if has_saved_contents(self.harvest_for_holder(id, &[], &[]))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Harvests the workspace for the holder of its lease, against the commit it was prepared as.
    pub(crate) fn harvest_for_holder(
        &self,
        id: WorkspaceId,
        files: &[String],
        keep: &[String],
    ) -> Result<WorkspaceHarvest, HarvestError> {
        let salvage = self.holder_salvage_ref(id);
        let workspace = self.workspace_dir(id);
        let base = workspace.prepared().and_then(|id| CommitId::new(id).ok());
        let base = base.ok_or_else(|| HarvestError::Gone { id, tree: workspace.tree() })?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let signature =
            CommitSignature { identity: self.identity.clone(), at_seconds: since.as_secs() };
        let request = HarvestRequest {
            base: &base,
            prepared: &base,
            onto: &base,
            files,
            acceptance: &[],
            keep,
            message: "salvaged: what an attempt left",
            label: None,
            step_body: "Salvaged: what an attempt left.",
            step_names: &[],
            signature: &signature,
            salvage: &salvage,
            limits: HarvestLimits::default(),
        };
        self.harvest_locked(id, &request)
    }

    /// The salvage ref for the workspace's contents.
    pub(crate) fn holder_salvage_ref(&self, id: WorkspaceId) -> String {
        match self.lease_record(id).holder() {
            LeaseHolder::Attempt(salvage) => salvage,
            // The record was tampered with; the work may be valuable nevertheless.
            LeaseHolder::Never | LeaseHolder::Free | LeaseHolder::Unknown => {
                salvage_ref("unknown", &format!("{id}-1"))
            }
        }
    }
}

/// Whether a harvest saved anything. Contents that no longer exist cannot be saved; a rejected harvest has saved
/// what it could.
fn has_saved_contents(
    harvested: Result<WorkspaceHarvest, HarvestError>,
) -> Result<bool, HarvestError> {
    match harvested {
        Ok(harvest) => Ok(harvest.commit.is_some()),
        Err(HarvestError::Rejected { salvaged, .. }) => Ok(salvaged.is_some()),
        Err(HarvestError::Gone { .. } | HarvestError::NotPrepared { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The text of a regular file; reading a pipe would never end.
fn read(path: &Path) -> Option<String> {
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_RECORD_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Writes in one call and truncates afterwards, so that a kill leaves no empty record.
fn write(path: &Path, text: &str) -> Result<(), FileError> {
    let parent = path.parent().expect("a record lies in a directory");
    make_real_directory(parent)?;
    // Through a symlink or a hard link we would write to another file.
    let is_ours =
        |found: Metadata| found.is_file() && found.nlink() == 1 && found.mode() & 0o600 == 0o600;
    if path.symlink_metadata().is_ok_and(|found| !is_ours(found)) {
        TreeRemover::new(parent).remove(path)?;
    }
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .context("write", path)?;
    file.write_all(text.as_bytes()).context("write", path)?;
    file.set_len(text.len() as u64).context("write", path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn record() -> (tempfile::TempDir, LeaseRecord) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let record = LeaseRecord::new(directory.path(), "work-1");
        (directory, record)
    }

    #[test]
    fn a_lease_records_its_holder_and_unsaved_files() {
        let (_directory, record) = record();
        assert_eq!((record.holder(), record.unsaved_files()), (LeaseHolder::Never, None));
        let long = format!("refs/afresh/salvage/{}/T.1", "r".repeat(60));
        for name in [long.as_str(), "refs/afresh/salvage/r/T.1"] {
            record.assign(name).expect("written");
            assert_eq!(record.holder(), LeaseHolder::Attempt(name.to_owned()));
        }
        let files = vec!["a b".to_owned(), "c".to_owned()];
        record.mark_unsaved(&files).expect("written");
        assert_eq!(record.unsaved_files(), Some(files));
        record.mark_saved().expect("written");
        record.free().expect("written");
        assert_eq!((record.holder(), record.unsaved_files()), (LeaseHolder::Free, None));
    }

    #[test]
    fn a_forged_record_names_no_holder() {
        let (_directory, record) = record();
        for odd in [
            "",
            "refs/heads/main\n",
            "refs/afresh/salvage/r/T.1\n",
            "this slot belongs to refs/heads/main\n",
            "this slot belongs to refs/afresh/salvage/../../heads/main\n",
            "this slot belongs to refs/afresh/salvage/r\n",
            "this slot belongs to refs/afresh/salvage/r/T.1",
        ] {
            write(&record.holder, odd).expect("written");
            assert_eq!(record.holder(), LeaseHolder::Unknown, "{odd:?}");
        }
        write(&record.unsaved_marker, "refs/heads/main\nx").expect("written");
        assert_eq!(record.unsaved_files(), Some(Vec::new()), "to be saved, with no list of files");
    }

    #[test]
    fn a_record_that_is_a_link_is_replaced() {
        let (directory, record) = record();
        let precious = directory.path().join("precious");
        fs::write(&precious, "mine").expect("written");
        fs::create_dir(directory.path().join("owners")).expect("a new directory");
        std::os::unix::fs::symlink(&precious, &record.holder).expect("a symlink");
        fs::hard_link(&precious, &record.unsaved_marker).expect("a second name");
        assert_eq!(record.holder(), LeaseHolder::Unknown);
        record.assign("refs/afresh/salvage/r/T.1").expect("written");
        record.mark_saved().expect("written");
        assert_eq!(fs::read_to_string(&precious).expect("text"), "mine");
        assert_eq!(record.holder(), LeaseHolder::Attempt("refs/afresh/salvage/r/T.1".to_owned()));
    }
}
