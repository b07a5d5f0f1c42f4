//! The names of the files in a state directory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::fault::IoFault;

#[derive(Debug, Clone)]
pub(crate) struct StatePaths {
    pub(crate) dir: PathBuf,
    pub(crate) database: PathBuf,
    /// SQLite's write-ahead log: records that are not in the database file yet.
    pub(crate) wal: PathBuf,
    /// SQLite's index of that log, shared by live connections; worthless without any.
    pub(crate) shm: PathBuf,
    /// SQLite's other kind of log, which we never use.
    pub(crate) rollback: PathBuf,
    pub(crate) head: PathBuf,
    pub(crate) ignore: PathBuf,
}

impl StatePaths {
    pub(crate) fn new(dir: &Path) -> Result<Self, IoFault> {
        // Absolute, so that changing the working directory changes nothing.
        let dir = std::path::absolute(dir).map_err(IoFault::during("find", dir))?;
        let database = dir.join("journal.sqlite");
        Ok(Self {
            wal: with_suffix(&database, "-wal"),
            shm: with_suffix(&database, "-shm"),
            rollback: with_suffix(&database, "-journal"),
            head: dir.join("journal.head"),
            ignore: dir.join(".gitignore"),
            database,
            dir,
        })
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
