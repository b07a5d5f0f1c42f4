//! Verifies that a journal is complete; every reader does this first.
//!
//! Complete means: a known format, an unbroken chain, and no acknowledged record missing.

use rusqlite::Connection;

use crate::journal::chain::{ChainPoint, RecordContent};
use crate::journal::connect;
use crate::journal::error::JournalError;
use crate::journal::head::JournalHead;
use crate::journal::records;
use crate::journal::schema;
use crate::paths::StatePaths;

/// Verifies the whole journal and returns its end, or `None` if there is none yet.
pub(crate) fn whole_journal(paths: &StatePaths) -> Result<Option<ChainPoint>, JournalError> {
    if !database_exists(paths)? {
        return Ok(None);
    }
    let last = connect::read_consistently(paths, |connection| {
        let ((), last) = acknowledged(connection, paths, 0, |(), _, _| ())?;
        check_pages(connection, paths, last)?;
        Ok(last)
    })?;
    Ok(Some(last))
}

/// Collects the records after `seq` that `keep` accepts; `None` if there is no journal.
pub(crate) fn records_after<T: Default>(
    paths: &StatePaths,
    seq: u64,
    keep: impl Fn(&mut T, ChainPoint, &RecordContent<'_>),
) -> Result<Option<T>, JournalError> {
    if !database_exists(paths)? {
        return Ok(None);
    }
    let kept = connect::read_consistently(paths, |connection| {
        let (kept, _) = acknowledged(connection, paths, seq, &keep)?;
        Ok(kept)
    })?;
    Ok(Some(kept))
}

/// Whether there is a database; if it is missing although records were acknowledged, that is an
/// error.
fn database_exists(paths: &StatePaths) -> Result<bool, JournalError> {
    if paths.database.exists() {
        return Ok(true);
    }
    let path = paths.database.clone();
    let head = JournalHead::load(&paths.head)?.map_or(0, |head| head.newest().seq);
    if head > 0 {
        return Err(JournalError::DatabaseGone { path, head });
    }
    // SQLite would use the log of a lost database for a new one.
    if paths.wal.exists() {
        let what = "its -wal file exists, but the database is missing".to_owned();
        return Err(JournalError::Damaged { path, seq: 1, what });
    }
    Ok(false)
}

fn acknowledged<T: Default>(
    connection: &Connection,
    paths: &StatePaths,
    seq: u64,
    keep: impl Fn(&mut T, ChainPoint, &RecordContent<'_>),
) -> Result<(T, ChainPoint), JournalError> {
    // Read before the database, because the driver writes it after the database: so it is never
    // ahead of what we are about to read.
    let head = JournalHead::load(&paths.head)?;
    let path = &paths.database;
    schema::check(connection, path)?;
    let start = records::point_at(connection, path, seq)?;
    let mut kept = T::default();
    let last = records::records_after(connection, path, start, head.as_ref(), |at, content| {
        keep(&mut kept, at, content);
    })?;
    if head.is_none() && last.seq > 0 {
        return Err(JournalError::HeadMissing { path: paths.head.clone(), last: last.seq });
    }
    Ok((kept, last))
}

/// Damage that no record shows, in the inbox or in SQLite's own structures, would spread later.
fn check_pages(
    connection: &Connection,
    paths: &StatePaths,
    last: ChainPoint,
) -> Result<(), JournalError> {
    let path = &paths.database;
    let what: String = connection
        .pragma_query_value(None, "quick_check", |row| row.get(0))
        .map_err(|error| JournalError::sqlite("check", path, last.seq + 1, error))?;
    if what == "ok" {
        return Ok(());
    }
    Err(JournalError::Damaged { path: path.clone(), seq: last.seq + 1, what })
}
