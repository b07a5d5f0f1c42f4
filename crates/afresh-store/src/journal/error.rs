//! Why a journal is rejected, or did not accept a record.
//!
//! Damage, a newer format and a fault of the machine are different errors, because they need
//! different fixes. SQLite's codes are classified only here.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::fault::{IoFault, IoFaultKind};

/// Whatever the variant, nothing unstored was acknowledged, and a rejection changed no file.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error(
        "{} was written by a newer afresh: it has format {found}, this program knows up to \
         {known}; use the newer program; nothing was changed",
        path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },

    #[error(
        "{} is not a journal of afresh ({what}); move it away or use another state directory; \
         nothing was changed",
        path.display()
    )]
    Foreign { path: PathBuf, what: String },

    /// `seq` is the first record that cannot be trusted.
    #[error(
        "{} is damaged from record {seq} on ({what}); restore it from a copy, or move the state \
         directory away to start over; nothing was changed",
        path.display()
    )]
    Damaged { path: PathBuf, seq: u64, what: String },

    #[error(
        "{} ends at record {last}, but record {head} was acknowledged; restore it from a copy \
         together with its -wal file; nothing was changed",
        path.display()
    )]
    MissesHead { path: PathBuf, head: u64, last: u64 },

    #[error(
        "{} is missing although the journal holds {last} records, so it is unknown whether some \
         were lost; put it back beside the journal; nothing was changed",
        path.display()
    )]
    HeadMissing { path: PathBuf, last: u64 },

    #[error(
        "{} is damaged ({what}), so it is unknown whether records were lost; restore it from a \
         copy; nothing was changed",
        path.display()
    )]
    HeadDamaged { path: PathBuf, what: &'static str },

    /// Another program removed or replaced a file of the journal while we were writing it.
    #[error(
        "{} was removed or replaced by another program while this run was driven; what is recorded \
         from now on would be lost, so the run has stopped",
        path.display()
    )]
    Vanished { path: PathBuf },

    /// Another program deleted or changed records while we were writing.
    #[error(
        "record {seq} of {} was removed or changed by another program while this run was driven; \
         the journal is damaged, so the run has stopped",
        path.display()
    )]
    Altered { path: PathBuf, seq: u64 },

    /// The database is gone; the head file says that it had records.
    #[error("{} is gone; {head} records in it were acknowledged; nothing was changed", path.display())]
    DatabaseGone { path: PathBuf, head: u64 },

    /// What the file system does not support.
    #[error("the file system of {} cannot hold the journal: {what}; nothing was changed", path.display())]
    Unfit { path: PathBuf, what: String },

    #[error(
        "{} has another writer, which has appended records meanwhile; only the holder of the lock \
         may write: end one of the two and try again",
        path.display()
    )]
    Overtaken { path: PathBuf },

    #[error("a text of {bytes} bytes is too large for {}; at most {limit} are stored", path.display())]
    TooLarge { path: PathBuf, bytes: usize, limit: usize },

    #[error(
        "{} accepts no more records, because an earlier append failed; fix the cause and try \
         again",
        path.display()
    )]
    Poisoned { path: PathBuf },

    #[error(transparent)]
    Fault(#[from] IoFault),
}

impl JournalError {
    /// Classifies an error of SQLite about `path` as damage or a fault.
    ///
    /// `seq` is the first record that had not been read completely; it is the place of any damage.
    pub(crate) fn sqlite(
        doing: &'static str,
        path: &Path,
        seq: u64,
        source: rusqlite::Error,
    ) -> Self {
        let path = path.to_path_buf();
        match kind_of(&source) {
            Some(kind) => IoFault { doing, path, kind, source: Box::new(source) }.into(),
            None => Self::Damaged { path, seq, what: source.to_string() },
        }
    }

    /// The fault of the machine, if that is the cause.
    pub fn fault(&self) -> Option<IoFaultKind> {
        match self {
            Self::Fault(fault) => Some(fault.kind),
            _ => None,
        }
    }
}

/// The kind of fault behind an error of SQLite, or `None` if the file is to blame.
fn kind_of(error: &rusqlite::Error) -> Option<IoFaultKind> {
    let rusqlite::Error::SqliteFailure(failure, _) = error else {
        // Columns of the wrong type, missing rows: our own tables never cause these.
        return None;
    };
    match failure.code {
        ErrorCode::DiskFull => Some(IoFaultKind::DiskFull),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Some(IoFaultKind::ReadOnly),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(IoFaultKind::Busy),
        // `Unknown` is SQLite's general error: a statement for our tables fails to compile only if
        // these are not our tables.
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown => None,
        // A page is missing: the file was truncated.
        ErrorCode::SystemIoFailure
            if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ =>
        {
            None
        }
        _ => Some(IoFaultKind::Io),
    }
}
