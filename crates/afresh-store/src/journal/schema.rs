//! The tables, their version, creating and recognising a database.
//!
//! A later format adds its step to `create` and a migration from the one before it; a database of
//! an unknown format is rejected before anything is written.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use rusqlite::Connection;

use crate::atomic_file;
use crate::fault::IoFault;
use crate::journal::error::JournalError;
use crate::paths::StatePaths;

/// The format that this program writes, kept in SQLite's `user_version`.
pub(crate) const FORMAT: i64 = 1;

/// "afrs": marks a database as a journal of afresh, whatever its name.
const APPLICATION: i64 = 0x6166_7273;

/// Where SQLite's file header says that the database has a write-ahead log.
const WRITE_VERSION: usize = 18;
const READ_VERSION: usize = 19;
const WITH_LOG: u8 = 2;

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
/// It is made in memory and written by us: SQLite does not report every failed write and sync of a
/// database that it closes. If another process was faster, its database stays.
pub(crate) fn create(paths: &StatePaths) -> Result<(), JournalError> {
    let bytes =
        render().map_err(|error| JournalError::sqlite("create", &paths.database, 0, error))?;
    let temporary = atomic_file::temporary_beside(&paths.database);
    let linked = atomic_file::write_new(&temporary, &bytes).and_then(|()| {
        // A hard link, not a rename: it never replaces an existing database.
        match fs::hard_link(&temporary, &paths.database) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                Err(IoFault::new("create", &paths.database, error))
            }
            _ => Ok(()),
        }
    });
    let removed = fs::remove_file(&temporary).map_err(IoFault::during("remove", &temporary));
    linked?;
    removed?;
    Ok(atomic_file::sync_directory(&paths.dir)?)
}

/// The bytes of an empty journal.
fn render() -> rusqlite::Result<Vec<u8>> {
    let mut connection = Connection::open_in_memory()?;
    let transaction = connection.transaction()?;
    for (_, text) in TABLES {
        transaction.execute_batch(text)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    let mut bytes = connection.serialize("main")?.to_vec();
    bytes[WRITE_VERSION] = WITH_LOG;
    bytes[READ_VERSION] = WITH_LOG;
    Ok(bytes)
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
