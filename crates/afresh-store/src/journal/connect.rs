//! Connections that write, and reads that change nothing.
//!
//! SQLite writes more than it seems to: opening a database creates its `-shm` and `-wal` files,
//! closing the last connection moves the log into the database, and an emptied database makes it
//! delete the log. A journal that we reject must stay as it is. So everything is first read through
//! a connection that can do none of this, and opened for writing only afterwards.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::fault::{IoFault, IoFaultKind};
use crate::journal::error::JournalError;
use crate::journal::wal;
use crate::paths::StatePaths;

/// How long we wait for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a read is repeated because the files changed meanwhile.
const READ_ATTEMPTS: u32 = 20;
const READ_RETRY_PAUSE: Duration = Duration::from_millis(25);

/// A connection that may write; the database must have been checked before.
pub(crate) fn open_writable(paths: &StatePaths) -> Result<Connection, JournalError> {
    let _guard = lock_open();
    let failed = |error| JournalError::sqlite("open", &paths.database, 1, error);
    let connection = Connection::open_with_flags(&paths.database, writing()).map_err(failed)?;
    if connection.is_readonly("main").map_err(failed)? {
        return Err(read_only("write", &paths.database).into());
    }
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    prepare_for_writing(&connection).map_err(failed)?;
    Ok(connection)
}

/// Passes one consistent state of the database to `read`, without changing a byte of any file.
///
/// `read` may be called again if the files changed meanwhile, so only its return value counts.
pub(crate) fn read_consistently<T>(
    paths: &StatePaths,
    mut read: impl FnMut(&Connection) -> Result<T, JournalError>,
) -> Result<T, JournalError> {
    let _guard = lock_open();
    let mut attempts = 0;
    loop {
        let before = FileStamps::read(paths);
        let result = read_once(paths, &mut read);
        attempts += 1;
        // What looks like damage may be a driver or a sender that wrote while we were reading.
        if result.is_ok() || attempts == READ_ATTEMPTS || FileStamps::read(paths) == before {
            return result;
        }
        thread::sleep(READ_RETRY_PAUSE);
    }
}

fn read_once<T>(
    paths: &StatePaths,
    read: &mut impl FnMut(&Connection) -> Result<T, JournalError>,
) -> Result<T, JournalError> {
    refuse_what_sqlite_would_repair(paths)?;
    let mode = ReadMode::choose(paths);
    let result = read_in_mode(mode, paths, read);
    // Live connections whose index needs a repair: it is shared by them, and not part of the
    // journal.
    let needs_repair = result.as_ref().err().and_then(JournalError::fault);
    if mode == ReadMode::Log && needs_repair == Some(IoFaultKind::ReadOnly) {
        return read_in_mode(ReadMode::LiveLog, paths, read);
    }
    result
}

/// How to read without writing; which mode is right depends on the files beside the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadMode {
    /// No log, or an empty one: the database file is all there is.
    FileOnly,
    /// A log with its shared index: use the index if it is alive, else one in our own memory.
    Log,
    /// A log with an index that other processes keep alive.
    LiveLog,
    /// A log without an index: no process is connected, so lock others out and use our own memory.
    LogAlone,
}

impl ReadMode {
    fn choose(paths: &StatePaths) -> Self {
        if !wal::has_frames(&paths.wal) {
            Self::FileOnly
        } else if paths.shm.exists() {
            Self::Log
        } else {
            Self::LogAlone
        }
    }

    fn connect(self, paths: &StatePaths) -> rusqlite::Result<Connection> {
        let (query, flags) = match self {
            Self::FileOnly => ("immutable=1", OpenFlags::SQLITE_OPEN_READ_ONLY),
            Self::Log => ("readonly_shm=1", OpenFlags::SQLITE_OPEN_READ_ONLY),
            Self::LiveLog => ("", OpenFlags::SQLITE_OPEN_READ_ONLY),
            Self::LogAlone => ("", OpenFlags::SQLITE_OPEN_READ_WRITE),
        };
        let address = address(&paths.database, query);
        Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)
    }
}

fn read_in_mode<T>(
    mode: ReadMode,
    paths: &StatePaths,
    read: &mut impl FnMut(&Connection) -> Result<T, JournalError>,
) -> Result<T, JournalError> {
    let failed = |error| JournalError::sqlite("read", &paths.database, 1, error);
    let mut connection = mode.connect(paths).map_err(failed)?;
    prepare_for_reading(&connection).map_err(failed)?;
    if mode == ReadMode::LogAlone {
        if connection.is_readonly("main").map_err(failed)? {
            return Err(read_only("lock", &paths.database).into());
        }
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE").map_err(failed)?;
    } else {
        connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    }
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Deferred).map_err(failed)?;
    read(&transaction)
}

/// SQLite's own repairs would be changes: it drops the log of an emptied database, and plays back a
/// rollback log.
fn refuse_what_sqlite_would_repair(paths: &StatePaths) -> Result<(), JournalError> {
    let damaged = |what: &str| JournalError::Damaged {
        path: paths.database.clone(),
        seq: 1,
        what: what.to_owned(),
    };
    // To SQLite, a database of one byte is empty as well.
    if size(&paths.database) <= 1 {
        return Err(damaged("the file is empty"));
    }
    if paths.rollback.exists() {
        return Err(damaged("there is a -journal file beside it, which afresh never makes"));
    }
    Ok(())
}

fn prepare_for_reading(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)
}

fn prepare_for_writing(connection: &Connection) -> rusqlite::Result<()> {
    // The first read also attaches us to the shared index, while no reader holds it read-only.
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode != "wal" {
        connection.pragma_update(None, "journal_mode", "WAL")?;
    }
    connection.pragma_query_value(None, "schema_version", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "cell_size_check", true)
}

fn writing() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE
}

/// Connections of one process to one database share one handle of its index: one that began
/// read-only for a read would stay so for a writer that joins it.
fn lock_open() -> MutexGuard<'static, ()> {
    static LOOKING: Mutex<()> = Mutex::new(());
    LOOKING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_only(doing: &'static str, path: &Path) -> IoFault {
    let source = "SQLite could open it only for reading".into();
    IoFault { doing, path: path.to_path_buf(), kind: IoFaultKind::ReadOnly, source }
}

/// SQLite's name for a file opened with options; a path may contain any byte.
fn address(path: &Path, query: &str) -> String {
    let mut address = String::from("file://");
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(address, "%{byte:02x}");
        }
    }
    address.push('?');
    address.push_str(query);
    address
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Enough of the files' state to notice a write.
#[derive(Debug, PartialEq, Eq)]
struct FileStamps([Option<(u64, Option<SystemTime>)>; 3]);

impl FileStamps {
    fn read(paths: &StatePaths) -> Self {
        // Never by opening them: closing a file drops all locks that this process has on it.
        Self([&paths.database, &paths.wal, &paths.shm].map(|path| {
            let metadata = fs::metadata(path).ok()?;
            Some((metadata.len(), metadata.modified().ok()))
        }))
    }
}
