//! Notices that another program has taken the journal's files away.
//!
//! `git clean -fdx`, `git stash -a` or a hand can remove or move a state directory while it is used.
//! The open files can still be written, but nobody will ever read them.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::fault::IoFault;
use crate::journal::error::JournalError;
use crate::paths::StatePaths;

/// Device and number of a file.
type FileIdentity = (u64, u64);

/// Which files were opened.
#[derive(Debug)]
pub(crate) struct FileIdentities(Vec<(PathBuf, FileIdentity)>);

impl FileIdentities {
    /// Of the database and its head. SQLite creates its log with the first record.
    pub(crate) fn read(paths: &StatePaths) -> Result<Self, JournalError> {
        let mut files = Vec::new();
        for path in [&paths.database, &paths.head] {
            let found = identify(path).map_err(IoFault::during("look at", path))?;
            files.push((path.clone(), found));
        }
        Ok(Self(files))
    }

    /// Never by opening them: closing a file drops all locks that this process has on it.
    pub(crate) fn check(&self, paths: &StatePaths) -> Result<(), JournalError> {
        let moved = self.0.iter().find(|(path, known)| match identify(path) {
            Ok(found) => found != *known,
            // A directory that cannot be read at the moment may still hold them.
            Err(error) => {
                matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
            }
        });
        match moved {
            Some((path, _)) => Err(JournalError::Vanished { path: path.clone() }),
            // The log holds what is not in the database yet.
            None if paths.shm.exists() && !paths.wal.exists() => {
                Err(JournalError::Vanished { path: paths.wal.clone() })
            }
            None => Ok(()),
        }
    }
}

fn identify(path: &Path) -> io::Result<FileIdentity> {
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
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
        for removed in ["journal.sqlite", "journal.sqlite-wal", "journal.head", ""] {
            for is_replaced in [false, true] {
                let dir = tempfile::tempdir().unwrap();
                let state = dir.path().join("state");
                let mut journal = Journal::open(&state).unwrap();
                journal.append(&[record()]).unwrap();
                journal.check_in_place().unwrap();
                let (from, to) = (state.join(removed), dir.path().join("elsewhere"));
                std::fs::rename(&from, &to).unwrap();
                if is_replaced && !removed.is_empty() && !removed.ends_with("-wal") {
                    std::fs::copy(&to, &from).unwrap();
                }
                let refused = journal.append(&[record()]).unwrap_err();
                assert!(matches!(refused, JournalError::Vanished { .. }), "{removed}: {refused}");
            }
        }
    }
}
