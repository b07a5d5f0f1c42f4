//! The tables, their version, creating and recognising a database.
//!
//! A later format adds its step to `create` and a migration from the one before it; a database of
//! an unknown format is rejected before anything is written.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::atomic_file;
use crate::fault::IoFault;
use crate::journal::error::JournalError;
use crate::paths::StatePaths;

/// The format that this program writes, kept in SQLite's `user_version`.
pub(crate) const FORMAT: i64 = 1;

/// "afrs": marks a database as a journal of afresh, whatever its name.
const APPLICATION: i64 = 0x6166_7273;

/// Name and SQL of every table, in the order of their names.
const TABLES: [(&str, &str); 2] = [
    (
        "inbox",
        "CREATE TABLE inbox(id INTEGER PRIMARY KEY AUTOINCREMENT, wall_ms INTEGER NOT NULL, \
         sender TEXT NOT NULL, body TEXT NOT NULL, answered_ms INTEGER, answer TEXT) STRICT",
    ),
    (
        "records",
        "CREATE TABLE records(seq INTEGER PRIMARY KEY, run TEXT NOT NULL, epoch INTEGER NOT NULL, \
         at_ms INTEGER NOT NULL, wall_ms INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, \
         hash BLOB NOT NULL) STRICT",
    ),
];

/// Creates an empty database, which appears under its name complete or not at all.
///
/// If another process was faster, its database stays.
pub(crate) fn create(paths: &StatePaths) -> Result<(), JournalError> {
    let temporary = atomic_file::temporary_beside(&paths.database);
    fill(&temporary).map_err(|error| JournalError::sqlite("create", &paths.database, 0, error))?;
    File::open(&temporary)
        .and_then(|file| file.sync_all())
        .map_err(IoFault::during("sync", &temporary))?;
    // A hard link, not a rename: it never replaces an existing database.
    match fs::hard_link(&temporary, &paths.database) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(IoFault::new("create", &paths.database, error).into());
        }
        _ => {}
    }
    fs::remove_file(&temporary).map_err(IoFault::during("remove", &temporary))?;
    Ok(atomic_file::sync_directory(&paths.dir)?)
}

fn fill(path: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let transaction = connection.transaction()?;
    for (_, text) in TABLES {
        transaction.execute_batch(text)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    // The last connection moves everything into the one file that is linked afterwards.
    connection.close().map_err(|(_, error)| error)
}

/// Rejects a database that is not a journal of a known format.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), JournalError> {
    let ask = |name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(|error| JournalError::sqlite("read", path, 1, error))
    };
    let application = ask("application_id")?;
    if application != APPLICATION {
        let what = format!("its application id is {application:#x}, not {APPLICATION:#x}");
        return Err(JournalError::Foreign { path: path.to_path_buf(), what });
    }
    let found = ask("user_version")?;
    if found > FORMAT {
        return Err(JournalError::Newer { path: path.to_path_buf(), found, known: FORMAT });
    }
    let damaged = |what| JournalError::Damaged { path: path.to_path_buf(), seq: 1, what };
    if found != FORMAT {
        return Err(damaged(format!("its format {found} does not exist")));
    }
    let tables =
        tables(connection).map_err(|error| JournalError::sqlite("read", path, 1, error))?;
    if !tables.iter().map(|(name, text)| (name.as_str(), text.as_str())).eq(TABLES) {
        return Err(damaged(format!("its tables are not those of format {FORMAT}")));
    }
    Ok(())
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    connection
        .prepare(
            "SELECT name, sql FROM sqlite_schema WHERE name <> 'sqlite_sequence' ORDER BY name",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}
