//! Messages to the driver from other processes.
//!
//! A message is on disk when [`Inbox::send`] returns. The driver notices it by the journal's
//! `data_version` and answers it. The meaning of messages is not known here.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, Row};

use crate::journal::MAX_TEXT_BYTES;
use crate::journal::connect;
use crate::journal::error::JournalError;
use crate::journal::schema;
use crate::paths::StatePaths;

/// Why a message could not be sent, answered or found.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    #[error("there is no journal in {}, so there is no run to send a message to; start a run first", dir.display())]
    NoJournal { dir: std::path::PathBuf },

    #[error("there is no message {id}; `pending` lists those that await an answer")]
    Unknown { id: i64 },

    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// A message that awaits an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxMessage {
    pub id: i64,
    pub wall_ms: i64,
    pub sender: String,
    pub body: String,
}

/// The inbox of a state directory; any process may open it, without a lock.
#[derive(Debug)]
pub struct Inbox {
    connection: Connection,
    paths: StatePaths,
}

impl Inbox {
    /// Opens the inbox beside the journal in `dir`, which must exist.
    pub fn open(dir: &Path) -> Result<Self, InboxError> {
        let paths = StatePaths::new(dir).map_err(JournalError::from)?;
        if !paths.database.exists() {
            return Err(InboxError::NoJournal { dir: paths.dir });
        }
        // Before connecting: a journal of a newer version must not change because of a message.
        connect::read_consistently(&paths, |connection| {
            schema::check(connection, &paths.database)
        })?;
        let connection = connect::open_writable(&paths)?;
        Ok(Self { connection, paths })
    }

    /// Stores a message for the driver; it is durable when this returns.
    pub fn send(&mut self, sender: &str, body: &str) -> Result<i64, InboxError> {
        let path = &self.paths.database;
        if let Some(bytes) = [sender.len(), body.len()].into_iter().find(|&it| it > MAX_TEXT_BYTES)
        {
            let (path, limit) = (path.clone(), MAX_TEXT_BYTES);
            return Err(JournalError::TooLarge { path, bytes, limit }.into());
        }
        self.connection
            .query_row(
                "INSERT INTO inbox(wall_ms, sender, body) VALUES (?1, ?2, ?3) RETURNING id",
                (wall_ms(), sender, body),
                |row| row.get(0),
            )
            .map_err(|error| JournalError::sqlite("send a message through", path, 1, error).into())
    }

    /// The messages that await an answer, oldest first.
    pub fn pending(&self) -> Result<Vec<InboxMessage>, InboxError> {
        Ok(pending(&self.connection, &self.paths.database)?)
    }

    /// Answers a message; the first answer stays.
    pub fn answer(&mut self, id: i64, text: &str) -> Result<(), InboxError> {
        answer(&self.connection, &self.paths.database, id, text)
    }

    /// The answer to a message, once there is one.
    pub fn read_answer(&self, id: i64) -> Result<Option<String>, InboxError> {
        answer_of(&self.connection, &self.paths.database, id)
    }
}

pub(crate) fn pending(
    connection: &Connection,
    path: &Path,
) -> Result<Vec<InboxMessage>, JournalError> {
    let read = || {
        connection
            .prepare_cached(
                "SELECT id, wall_ms, sender, body FROM inbox WHERE answered_ms IS NULL ORDER BY id",
            )?
            .query_map([], message)?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    read().map_err(|error| JournalError::sqlite("read the inbox in", path, 1, error))
}

pub(crate) fn answer(
    connection: &Connection,
    path: &Path,
    id: i64,
    text: &str,
) -> Result<(), InboxError> {
    // Checked first, because a missing message must not look answered.
    answer_of(connection, path, id)?;
    store_answer(connection, id, text)
        .map_err(|error| JournalError::sqlite("answer a message in", path, 1, error).into())
}

/// Answers within the caller's transaction; a message that is answered already, or was never sent,
/// is left alone.
pub(crate) fn store_answer(connection: &Connection, id: i64, text: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE inbox SET answered_ms = ?2, answer = ?3 WHERE id = ?1 AND answered_ms IS NULL",
        )?
        .execute((id, wall_ms(), text))
        .map(|_| ())
}

fn answer_of(connection: &Connection, path: &Path, id: i64) -> Result<Option<String>, InboxError> {
    connection
        .query_row("SELECT answer FROM inbox WHERE id = ?1", [id], |row| row.get(0))
        .optional()
        .map_err(|error| JournalError::sqlite("read the inbox in", path, 1, error))?
        .ok_or(InboxError::Unknown { id })
}

fn message(row: &Row<'_>) -> rusqlite::Result<InboxMessage> {
    Ok(InboxMessage {
        id: row.get(0)?,
        wall_ms: row.get(1)?,
        sender: row.get(2)?,
        body: row.get(3)?,
    })
}

/// The wall clock, for people; the order of messages is that of their ids.
fn wall_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
