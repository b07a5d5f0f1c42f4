//! Whose work is in a slot, and whether it is saved.
//!
//! ```text
//! owners/work-1           for whom the slot was prepared last: the ref that keeps their work
//! owners/work-1.unsaved   there while that work is not kept; the files that go with it
//! ```
//! The notes lie beside the slots, and not in them: they outlive a slot that is made anew. Workers
//! without a sandbox can write them all the same, so they are read as a stranger's: a name that is
//! not one of a salvage ref is no name.

use std::fs::{File, Metadata};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::git::error::{Context, FileError};
use crate::refs::names::is_salvage_ref;
use crate::workspace::remove::Remover;
use crate::workspace::slot::make_real_directory;

/// Before the name of a ref, so that no other text is taken for one.
const BELONGS: &str = "this slot belongs to ";
const NOBODY: &str = "this slot belongs to nobody";
const UNSAVED: &str = "not saved yet; these files belong to it";
/// More than any list of files that a task can have.
const MAX_NOTE_BYTES: u64 = 4 * 1024 * 1024;

/// For whom a slot was prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// It was never entrusted to anybody.
    Never,
    /// It was prepared anew, and not entrusted since.
    Nobody,
    /// The salvage ref of an attempt.
    Attempt(String),
    /// The note says something that we did not write.
    Unknown,
}

impl Owner {
    /// As a person reads it.
    pub(crate) fn told(self) -> String {
        match self {
            Self::Never | Self::Nobody => "nobody".to_owned(),
            Self::Attempt(salvage) => salvage,
            Self::Unknown => "somebody unknown".to_owned(),
        }
    }
}

/// The notes about one slot.
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
        // Only a whole line counts; what follows is left over from a longer one.
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

    /// From now on what is in the slot is nobody's; a slot that never had an owner needs no note.
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

    /// Whether somebody put something else in the place of our notes.
    fn is_elsewhere(&self) -> bool {
        let notes = self.owner.parent().expect("a note lies in a directory");
        notes.symlink_metadata().is_ok_and(|found| !found.is_dir())
    }

    /// The slot is gone, and with it all there was to say about it.
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

    /// The files that go with the work, if it is still to be saved.
    pub(crate) fn unsaved(&self) -> Option<Vec<String>> {
        // What was noted is not known any more.
        if self.is_elsewhere() {
            return Some(Vec::new());
        }
        let found = self.unsaved.symlink_metadata().ok()?;
        if found.is_file() && found.len() == 0 {
            return None;
        }
        // A note that cannot be read is no reason to lose the work.
        let text = read(&self.unsaved).unwrap_or_default();
        let mut lines = text.lines();
        let ours = lines.next() == Some(UNSAVED);
        let files = lines.filter(|line| ours && !line.is_empty());
        Some(files.map(str::to_owned).collect())
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
    fn a_slot_remembers_its_owner_and_what_is_not_saved() {
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
    fn a_note_that_we_did_not_write_names_nobody() {
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
    fn a_note_that_leads_elsewhere_is_replaced() {
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
