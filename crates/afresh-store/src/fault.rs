//! Failures of the machine: a full disk, a read-only file system, a failing device.
//!
//! A fault is never about the content of files; damage has its own errors in
//! [`crate::journal::error`]. After a fault the same call may succeed once its cause is gone.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// One operation on one file that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {}: {}", path.display(), self.describe_cause())]
pub struct IoFault {
    /// The verb, such as "write".
    pub doing: &'static str,
    pub path: PathBuf,
    pub kind: IoFaultKind,
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

/// What kind of fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoFaultKind {
    DiskFull,
    ReadOnly,
    /// Another process used the database for longer than we wait.
    Busy,
    Io,
}

impl fmt::Display for IoFaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DiskFull => "the disk or the quota is full; free some space and try again",
            Self::ReadOnly => "it is not writable; check its owner, mode and file system",
            Self::Busy => "another process is using it; try again when that one has finished",
            Self::Io => "the system refused it",
        })
    }
}

impl IoFault {
    /// What is known about the kind of fault; else what the system says.
    fn describe_cause(&self) -> String {
        match self.kind {
            IoFaultKind::Io => self.source.to_string(),
            kind => kind.to_string(),
        }
    }
}

impl IoFault {
    pub(crate) fn new(doing: &'static str, path: &Path, source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => IoFaultKind::DiskFull,
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                IoFaultKind::ReadOnly
            }
            io::ErrorKind::WouldBlock => IoFaultKind::Busy,
            _ => IoFaultKind::Io,
        };
        Self { doing, path: path.to_path_buf(), kind, source: Box::new(source) }
    }

    /// For `map_err`: names the operation and the file once, where the call is made.
    pub(crate) fn during(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::new(doing, path, source)
    }
}
