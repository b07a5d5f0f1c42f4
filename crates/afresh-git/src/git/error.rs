//! Failures of file operations.

use std::io;
use std::path::{Path, PathBuf};

/// A file operation that failed, with what it was for.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {}: {source}", path.display())]
pub struct FileError {
    pub doing: &'static str,
    pub path: PathBuf,
    pub source: io::Error,
}

impl FileError {
    /// Full disk or exhausted quota: retrying does not help.
    pub fn is_out_of_space(&self) -> bool {
        matches!(self.source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }
}

/// Says what a failed file operation was for.
pub(crate) trait FileContext<T> {
    fn context(self, doing: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T> FileContext<T> for io::Result<T> {
    fn context(self, doing: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(|source| FileError { doing, path: path.to_owned(), source })
    }
}

/// A file that is missing already counts as removed.
pub(crate) fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
