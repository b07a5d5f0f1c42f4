//! Notices that another program has taken the journal's files away.
//!
//! `git clean -fdx`, `git stash -a` or a hand can remove, move or empty a state directory while it is used.
//! The open files can still be written, but nobody will ever read them.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use crate::fault::IoFault;
use crate::journal::error::JournalError;
use crate::paths::StatePaths;

/// Device and number of a file.
type FileIdentity = (u64, u64);

/// Which files were opened, and how long they are.
#[derive(Debug)]
pub(crate) struct FileIdentities(Vec<KnownFile>);

#[derive(Debug)]
struct KnownFile {
    path: PathBuf,
    /// None until SQLite has made it.
    identity: Option<FileIdentity>,
    /// None of these files ever shrinks while it is open.
    min_bytes: u64,
}

impl FileIdentities {
    /// Of the database and its head, and of SQLite's log, which exists from the first record on.
    pub(crate) fn read(paths: &StatePaths) -> Result<Self, JournalError> {
        let mut files = Vec::new();
        for path in [&paths.database, &paths.head] {
            let found = fs::metadata(path).map_err(IoFault::during("look at", path))?;
            files.push(KnownFile::new(path.clone(), Some(&found)));
        }
        for path in [&paths.wal, &paths.shm] {
            files.push(KnownFile::new(path.clone(), fs::metadata(path).ok().as_ref()));
        }
        Ok(Self(files))
    }

    /// Never by opening them: closing a file drops all locks that this process has on it.
    pub(crate) fn check(&self) -> Result<(), JournalError> {
        match self.0.iter().find(|file| file.is_lost()) {
            Some(file) => Err(JournalError::Vanished { path: file.path.clone() }),
            None => Ok(()),
        }
    }

    /// After a write: checks the files, and remembers how long they are now.
    pub(crate) fn check_and_remember(&mut self) -> Result<(), JournalError> {
        self.check()?;
        for file in &mut self.0 {
            if let Ok(found) = fs::metadata(&file.path) {
                *file = KnownFile::new(std::mem::take(&mut file.path), Some(&found));
            }
        }
        Ok(())
    }
}

impl KnownFile {
    fn new(path: PathBuf, found: Option<&Metadata>) -> Self {
        let identity = found.map(identify);
        Self { path, identity, min_bytes: found.map_or(0, Metadata::len) }
    }

    fn is_lost(&self) -> bool {
        let Some(identity) = self.identity else { return false };
        match fs::metadata(&self.path) {
            Ok(found) => identify(&found) != identity || found.len() < self.min_bytes,
            // A directory that cannot be read at the moment may still hold it.
            Err(error) => {
                matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
            }
        }
    }
}

fn identify(found: &Metadata) -> FileIdentity {
    (found.dev(), found.ino())
}

#[cfg(test)]
mod tests {
    use crate::journal::error::JournalError;
    use crate::journal::{Journal, NewRecord};

    fn record() -> NewRecord {
        NewRecord {
            run: "r".to_owned(),
            epoch: 1,
            at_ms: 1,
            wall_ms: 1,
            kind: "noted".to_owned(),
            body: "{}".to_owned(),
        }
    }

    /// R1, R9: nothing is acknowledged that only an unlinked file holds.
    #[test]
    fn a_journal_that_was_taken_away_accepts_no_more() {
        for removed in
            ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "journal.head", ""]
        {
            for is_replaced in [false, true] {
                let dir = tempfile::tempdir().unwrap();
                let state = dir.path().join("state");
                let mut journal = Journal::open(&state).unwrap();
                journal.append(&[record()]).unwrap();
                journal.check_in_place().unwrap();
                let (from, to) = (state.join(removed), dir.path().join("elsewhere"));
                std::fs::rename(&from, &to).unwrap();
                if is_replaced && !removed.is_empty() {
                    std::fs::copy(&to, &from).unwrap();
                }
                let refused = journal.append(&[record()]).unwrap_err();
                assert!(matches!(refused, JournalError::Vanished { .. }), "{removed}: {refused}");
            }
        }
    }
    /// R1, R10: files that were emptied in place, and records that another program deleted, are noticed by the next
    /// write, before anything is acknowledged.
    #[test]
    fn a_journal_that_was_emptied_accepts_no_more() {
        for emptied in ["journal.sqlite", "journal.sqlite-wal", "journal.head"] {
            let dir = tempfile::tempdir().unwrap();
            let mut journal = Journal::open(dir.path()).unwrap();
            journal.append(&[record()]).unwrap();
            std::fs::File::create(dir.path().join(emptied)).unwrap();
            let refused = journal.append(&[record()]).unwrap_err();
            assert!(matches!(refused, JournalError::Vanished { .. }), "{emptied}: {refused}");
        }
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        journal.append(&[record(), record()]).unwrap();
        let other = rusqlite::Connection::open(dir.path().join("journal.sqlite")).unwrap();
        other.execute("DELETE FROM records WHERE seq = 2", []).unwrap();
        let refused = journal.append(&[record()]).unwrap_err();
        assert!(matches!(refused, JournalError::Altered { seq: 2, .. }), "{refused}");
    }
}
