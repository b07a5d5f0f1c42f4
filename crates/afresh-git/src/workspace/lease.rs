//! The lease of a workspace: which attempt it belongs to, and whether its contents are saved.
//!
//! ```text
//! owners/work-1           the attempt that holds the workspace, by the ref that keeps its work
//! owners/work-1.unsaved   not empty while that work is not saved; lists the files that go with it
//! ```
//! The life of a lease: [`Pool::prepare`] saves unsaved work of the last holder and frees the
//! workspace; [`Pool::acquire_lease`] assigns it to an attempt; [`WorkspaceLease::mark_unsaved`]
//! records, before the worker starts, that it may hold work from now on; [`Pool::harvest`] saves that
//! work and marks it as saved.
//!
//! The journal knows this too, but a workspace outlives a run, and the next attempt in it may belong
//! to another plan, or to a driver with another state directory. The records lie beside the
//! workspaces because they must survive a workspace that is made again. A worker without a sandbox
//! can write them, so they are not trusted: only the name of a salvage ref is accepted.

use std::fs::{File, Metadata};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use afresh_core::ids::CommitId;

use crate::git::error::{Context, FileError};
use crate::git::identity::Signature;
use crate::harvest::{HarvestError, HarvestLimits, HarvestRequest, WorkspaceHarvest};
use crate::refs::names::{is_salvage_ref, salvage_ref};
use crate::workspace::pool::{Place, Pool};
use crate::workspace::remove::Remover;
use crate::workspace::slot::make_real_directory;

/// Before the name of a ref, so that no other text is taken for one.
const BELONGS: &str = "this slot belongs to ";
const NOBODY: &str = "this slot belongs to nobody";
const UNSAVED: &str = "not saved yet; these files belong to it";
/// More than any list of files that a task can have.
const MAX_NOTE_BYTES: u64 = 4 * 1024 * 1024;

/// Who holds the lease of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// There never was a lease.
    Never,
    /// The workspace was prepared, and not leased since.
    Nobody,
    /// The attempt with this salvage ref.
    Attempt(String),
    /// The record holds something that afresh did not write.
    Unknown,
}

impl Owner {
    pub(crate) fn describe(self) -> String {
        match self {
            Self::Never | Self::Nobody => "no attempt".to_owned(),
            Self::Attempt(salvage) => salvage,
            Self::Unknown => "an unknown attempt".to_owned(),
        }
    }
}

/// The lease of one workspace on disk.
#[derive(Debug)]
pub(crate) struct Ownership {
    owner: PathBuf,
    unsaved: PathBuf,
}

impl Ownership {
    pub(crate) fn new(pool: &Path, slot: &str) -> Self {
        let notes = pool.join("owners");
        Self { owner: notes.join(slot), unsaved: notes.join(format!("{slot}.unsaved")) }
    }

    pub(crate) fn owner(&self) -> Owner {
        if self.is_elsewhere() {
            return Owner::Unknown;
        }
        if self.owner.symlink_metadata().is_err() {
            return Owner::Never;
        }
        let text = read(&self.owner).unwrap_or_default();
        // Only a whole line counts; what follows is left over from a longer record.
        let line = text.split_once('\n').map_or("", |(line, _)| line);
        match line.strip_prefix(BELONGS) {
            _ if line == NOBODY => Owner::Nobody,
            Some(name) if is_salvage_ref(name) => Owner::Attempt(name.to_owned()),
            _ => Owner::Unknown,
        }
    }

    pub(crate) fn give_to(&self, salvage: &str) -> Result<(), FileError> {
        write(&self.owner, &format!("{BELONGS}{salvage}\n"))
    }

    /// Frees the workspace; one that was never leased needs no record.
    pub(crate) fn take_away(&self) -> Result<(), FileError> {
        match self.owner() {
            Owner::Never | Owner::Nobody => Ok(()),
            _ => write(&self.owner, &format!("{NOBODY}\n")),
        }
    }

    pub(crate) fn mark_unsaved(&self, files: &[String]) -> Result<(), FileError> {
        write(&self.unsaved, &format!("{UNSAVED}\n{}\n", files.join("\n")))
    }

    pub(crate) fn mark_saved(&self) -> Result<(), FileError> {
        if self.is_elsewhere() {
            return write(&self.unsaved, "");
        }
        match self.unsaved.symlink_metadata() {
            Ok(found) if found.is_file() && found.len() == 0 => Ok(()),
            Ok(_) => write(&self.unsaved, ""),
            Err(_) => Ok(()),
        }
    }

    /// Whether the directory of the records was replaced by something else.
    fn is_elsewhere(&self) -> bool {
        let notes = self.owner.parent().expect("a note lies in a directory");
        notes.symlink_metadata().is_ok_and(|found| !found.is_dir())
    }

    /// Deletes the record, after the workspace was removed.
    pub(crate) fn forget(&self) -> Result<(), FileError> {
        if self.is_elsewhere() {
            return Ok(());
        }
        for note in [&self.owner, &self.unsaved] {
            let parent = note.parent().expect("a note lies in a directory");
            Remover::new(parent).remove(note)?;
        }
        Ok(())
    }

    /// The files that go with the work, if it is not saved yet.
    pub(crate) fn unsaved(&self) -> Option<Vec<String>> {
        // The record is lost, so the work counts as unsaved.
        if self.is_elsewhere() {
            return Some(Vec::new());
        }
        let found = self.unsaved.symlink_metadata().ok()?;
        if found.is_file() && found.len() == 0 {
            return None;
        }
        // The work is saved even if its record cannot be read.
        let text = read(&self.unsaved).unwrap_or_default();
        let mut lines = text.lines();
        let ours = lines.next() == Some(UNSAVED);
        let files = lines.filter(|line| ours && !line.is_empty());
        Some(files.map(str::to_owned).collect())
    }
}

/// A workspace that is assigned to an attempt.
#[derive(Debug)]
pub struct WorkspaceLease {
    record: Ownership,
    salvage: String,
}

impl WorkspaceLease {
    /// Records that the workspace may hold work from now on: until it is harvested, its contents are
    /// saved under the attempt's salvage ref before it is emptied, with `files` even where they are
    /// ignored.
    pub fn mark_unsaved(&self, files: &[String]) -> Result<(), FileError> {
        // Another worker without a sandbox may have changed the record meanwhile.
        if self.record.owner() != Owner::Attempt(self.salvage.clone()) {
            self.record.give_to(&self.salvage)?;
        }
        self.record.mark_unsaved(files)
    }
}

impl Pool {
    /// Assigns a prepared workspace to the attempt with this salvage ref. Until it is prepared again,
    /// it is harvested for that ref alone.
    pub fn acquire_lease(&self, place: Place, salvage: &str) -> Result<WorkspaceLease, FileError> {
        let record = self.ownership(place);
        record.give_to(salvage)?;
        Ok(WorkspaceLease { record, salvage: salvage.to_owned() })
    }

    /// The salvage ref of the attempt that holds the lease.
    pub fn owner(&self, place: Place) -> Option<String> {
        match self.ownership(place).owner() {
            Owner::Attempt(salvage) => Some(salvage),
            Owner::Never | Owner::Nobody | Owner::Unknown => None,
        }
    }

    /// The ref under which the workspace's contents belong, while they are not saved there.
    pub fn unsaved(&self, place: Place) -> Option<String> {
        self.ownership(place).unsaved().map(|_| self.salvage_name(place))
    }

    pub(crate) fn ownership(&self, place: Place) -> Ownership {
        Ownership::new(self.directory(), &place.to_string())
    }

    /// Saves what an earlier attempt left in the workspace and was never harvested. Contents that no
    /// longer exist cannot be saved; a rejected harvest has saved what it could.
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

    /// Harvests the workspace for the holder of its lease, against the commit it was prepared as.
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

    /// The salvage ref for the workspace's contents.
    pub(crate) fn salvage_name(&self, place: Place) -> String {
        match self.ownership(place).owner() {
            Owner::Attempt(salvage) => salvage,
            // The record was tampered with; the work may be valuable nevertheless.
            Owner::Never | Owner::Nobody | Owner::Unknown => {
                salvage_ref("unknown", &format!("{place}-1"))
            }
        }
    }
}

/// A plain file's text; a pipe would never end.
fn read(note: &Path) -> Option<String> {
    if !note.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(note).ok()?.take(MAX_NOTE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Writes in one call, and shortens afterwards: somebody who is killed leaves no empty note.
fn write(note: &Path, text: &str) -> Result<(), FileError> {
    let parent = note.parent().expect("a note lies in a directory");
    make_real_directory(parent)?;
    // Through a link or a second name we would write somewhere else.
    let is_ours =
        |found: Metadata| found.is_file() && found.nlink() == 1 && found.mode() & 0o600 == 0o600;
    if note.symlink_metadata().is_ok_and(|found| !is_ours(found)) {
        Remover::new(parent).remove(note)?;
    }
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(note)
        .context("write", note)?;
    file.write_all(text.as_bytes()).context("write", note)?;
    file.set_len(text.len() as u64).context("write", note)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn notes() -> (tempfile::TempDir, Ownership) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let notes = Ownership::new(directory.path(), "work-1");
        (directory, notes)
    }

    #[test]
    fn a_lease_records_its_holder_and_unsaved_files() {
        let (_directory, notes) = notes();
        assert_eq!((notes.owner(), notes.unsaved()), (Owner::Never, None));
        let long = format!("refs/afresh/salvage/{}/T.1", "r".repeat(60));
        for name in [long.as_str(), "refs/afresh/salvage/r/T.1"] {
            notes.give_to(name).expect("written");
            assert_eq!(notes.owner(), Owner::Attempt(name.to_owned()));
        }
        let files = vec!["a b".to_owned(), "c".to_owned()];
        notes.mark_unsaved(&files).expect("written");
        assert_eq!(notes.unsaved(), Some(files));
        notes.mark_saved().expect("written");
        notes.take_away().expect("written");
        assert_eq!((notes.owner(), notes.unsaved()), (Owner::Nobody, None));
    }

    #[test]
    fn a_forged_record_names_no_holder() {
        let (_directory, notes) = notes();
        for odd in [
            "",
            "refs/heads/main\n",
            "refs/afresh/salvage/r/T.1\n",
            "this slot belongs to refs/heads/main\n",
            "this slot belongs to refs/afresh/salvage/../../heads/main\n",
            "this slot belongs to refs/afresh/salvage/r\n",
            "this slot belongs to refs/afresh/salvage/r/T.1",
        ] {
            write(&notes.owner, odd).expect("written");
            assert_eq!(notes.owner(), Owner::Unknown, "{odd:?}");
        }
        write(&notes.unsaved, "refs/heads/main\nx").expect("written");
        assert_eq!(notes.unsaved(), Some(Vec::new()), "to be saved, with no list of files");
    }

    #[test]
    fn a_record_that_is_a_link_is_replaced() {
        let (directory, notes) = notes();
        let precious = directory.path().join("precious");
        fs::write(&precious, "mine").expect("written");
        fs::create_dir(directory.path().join("owners")).expect("a new directory");
        std::os::unix::fs::symlink(&precious, &notes.owner).expect("a symlink");
        fs::hard_link(&precious, &notes.unsaved).expect("a second name");
        assert_eq!(notes.owner(), Owner::Unknown);
        notes.give_to("refs/afresh/salvage/r/T.1").expect("written");
        notes.mark_saved().expect("written");
        assert_eq!(fs::read_to_string(&precious).expect("text"), "mine");
        assert_eq!(notes.owner(), Owner::Attempt("refs/afresh/salvage/r/T.1".to_owned()));
    }
}
