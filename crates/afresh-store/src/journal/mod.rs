//! The journal: appends records, durably, as the only writer.
//!
//! The caller holds a [`crate::DriverLock`], which decides who that writer is, and chooses how many
//! records go into one append. Records are never changed and never removed.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `reader` | reading from another process, without changing anything |
//! | `records` | reading records; always checks the hash chain |
//! | `chain` | the hash that ties each record to all before it |
//! | `head` | the last acknowledged record, kept outside the database |
//! | `verify` | checks that a journal is complete |
//! | `schema` | the tables, their version, creating a database |
//! | `connect` | connections that write, and reads that change nothing |
//! | `wal` | whether SQLite's write-ahead log holds anything |
//! | `in_place` | whether the files are still those that were opened |
//! | `error` | damage and failures |

pub(crate) mod chain;
pub(crate) mod connect;
pub mod error;
pub(crate) mod head;
pub(crate) mod in_place;
pub mod reader;
pub(crate) mod records;
pub(crate) mod schema;
pub(crate) mod verify;
pub(crate) mod wal;

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::atomic_file;
use crate::fault::IoFault;
use crate::fs_probe::{self, ProbeDepth};
use crate::inbox::{self, InboxError, InboxMessage};
use crate::journal::chain::{ChainPoint, HashChain, RecordContent};
use crate::journal::error::JournalError;
use crate::journal::head::HeadFile;
use crate::journal::in_place::FileIdentities;
use crate::journal::reader::JournalReader;
use crate::paths::StatePaths;

/// The largest body, kind or run name that is stored, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 << 20;

/// A record to be stored. The journal adds the sequence number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRecord {
    pub run: String,
    pub epoch: u64,
    /// By the run's own monotonic clock.
    pub at_ms: u64,
    /// By the wall clock, for people.
    pub wall_ms: i64,
    pub kind: String,
    pub body: String,
}

/// A stored record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRecord {
    pub seq: u64,
    pub run: String,
    pub epoch: u64,
    pub at_ms: u64,
    pub wall_ms: i64,
    pub kind: String,
    pub body: String,
}

/// The answer to a message of the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageAnswer {
    pub message: i64,
    pub text: String,
}

/// The journal of a state directory, open for appending.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
    head: HeadFile,
    paths: StatePaths,
    last: ChainPoint,
    recovered: u64,
    poisoned: bool,
    in_place: FileIdentities,
    log_name: LogName,
}

/// Whether the name of SQLite's log is on disk: SQLite creates it with the first record, and does not
/// report a failed sync of its directory.
#[derive(Debug, PartialEq, Eq)]
enum LogName {
    Unsynced,
    Durable,
}

impl Journal {
    /// Opens the journal in `dir`, after verifying it; creates it if there is none.
    ///
    /// A journal that is damaged, newer, or misses an acknowledged record is rejected, and so is a
    /// file system that cannot hold one; then no file has changed.
    pub fn open(dir: &Path) -> Result<Self, JournalError> {
        let paths = StatePaths::new(dir)?;
        let made = atomic_file::create_directory(&paths.dir)
            .map_err(|fault| fs_probe::classify_fault(&paths.dir, fault))?;
        let found = verify::whole_journal(&paths)?;
        let depth = if found.is_none() { ProbeDepth::First } else { ProbeDepth::Again };
        fs_probe::probe(&paths.dir, depth).inspect_err(|_| atomic_file::remove_created(&made))?;

        atomic_file::remove_leftovers(&paths.dir)?;
        if !paths.ignore.exists() {
            atomic_file::write_atomically(&paths.ignore, b"*\n")?;
        }
        if found.is_none() {
            schema::create(&paths)?;
        }
        let last = found.unwrap_or(ChainPoint::START);
        let connection = connect::open_writable(&paths)?;
        if records::point_at(&connection, &paths.database, u64::MAX)? != last {
            return Err(JournalError::Overtaken { path: paths.database });
        }
        let head = HeadFile::open(&paths.head)?;
        let recovered = last.seq.saturating_sub(head.newest().seq);
        let in_place = FileIdentities::read(&paths)?;
        let (poisoned, log_name) = (false, LogName::Unsynced);
        let mut journal =
            Self { connection, head, paths, last, recovered, poisoned, in_place, log_name };
        journal.acknowledge_recovered()?;
        Ok(journal)
    }

    /// If the database is gone, gives what is left of the journal other names, so that a new one can
    /// be begun. Changes nothing else.
    pub fn set_aside_remains(dir: &Path) -> Result<(), JournalError> {
        let paths = StatePaths::new(dir)?;
        if paths.database.symlink_metadata().is_ok() {
            return Ok(());
        }
        for file in [&paths.head, &paths.wal, &paths.shm] {
            if file.symlink_metadata().is_ok() {
                atomic_file::set_aside(file)?;
            }
        }
        Ok(())
    }

    /// The journal in `dir` for reading only, beside a running driver; `None` if there is none.
    pub fn open_read_only(dir: &Path) -> Result<Option<JournalReader>, JournalError> {
        JournalReader::open(dir)
    }

    /// Stores all of `records`, or none; returns the number of the last record of the journal.
    ///
    /// When this returns they survive a kill and a power cut. After an error the journal accepts no
    /// more: whether the records are stored is known only after opening it again.
    pub fn append(&mut self, records: &[NewRecord]) -> Result<u64, JournalError> {
        self.append_and_answer(records, &[])
    }

    /// Like [`Journal::append`], and answers messages in the same transaction, so that after a
    /// crash a message was either acted upon and answered, or neither.
    pub fn append_and_answer(
        &mut self,
        records: &[NewRecord],
        answers: &[MessageAnswer],
    ) -> Result<u64, JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned { path: self.paths.database.clone() });
        }
        self.refuse_too_large(records, answers)?;
        if records.is_empty() && answers.is_empty() {
            return Ok(self.last.seq);
        }
        self.check_in_place()?;
        self.poisoned = true;
        self.check_last_record()?;
        let last = self.commit(records, answers).map_err(|error| self.append_failed(error))?;
        if self.log_name == LogName::Unsynced {
            atomic_file::sync_directory(&self.paths.dir)?;
            self.log_name = LogName::Durable;
        }
        if last != self.last {
            self.head.acknowledge(last)?;
        }
        self.last = last;
        // A file that another program has removed can still be written, and is lost.
        self.in_place.check_and_remember()?;
        self.poisoned = false;
        Ok(last.seq)
    }

    /// Fails if another program has removed, moved or replaced the journal's files.
    pub fn check_in_place(&self) -> Result<(), JournalError> {
        self.in_place.check()
    }

    /// Fails if another program has changed the end of the journal.
    fn check_last_record(&self) -> Result<(), JournalError> {
        let path = &self.paths.database;
        let found = records::point_at(&self.connection, path, u64::MAX)?;
        if found.seq > self.last.seq {
            return Err(JournalError::Overtaken { path: path.clone() });
        }
        if found != self.last {
            return Err(JournalError::Altered { path: path.clone(), seq: self.last.seq });
        }
        Ok(())
    }

    /// Every record, oldest first.
    pub fn read_all(&self) -> Result<Vec<JournalRecord>, JournalError> {
        self.read_after(0)
    }

    /// The records of one run.
    pub fn read_run(&self, run: &str) -> Result<Vec<JournalRecord>, JournalError> {
        self.collect(ChainPoint::START, |content| content.run == run)
    }

    /// The records that follow record `seq`.
    pub fn read_after(&self, seq: u64) -> Result<Vec<JournalRecord>, JournalError> {
        let start = records::point_at(&self.connection, &self.paths.database, seq)?;
        self.collect(start, |_| true)
    }

    /// The number of the last record, 0 if there is none.
    pub fn last_seq(&self) -> u64 {
        self.last.seq
    }

    /// How many stored but unacknowledged records were found when opening, because the last writer
    /// was killed in between. They are part of the journal now.
    pub fn recovered(&self) -> u64 {
        self.recovered
    }

    /// A number that changes when another process has written, such as a message to the inbox.
    /// Reading it costs microseconds.
    pub fn data_version(&self) -> Result<i64, JournalError> {
        self.connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(|error| JournalError::sqlite("read", &self.paths.database, 1, error))
    }

    /// The messages that await an answer, oldest first.
    pub fn pending_messages(&self) -> Result<Vec<InboxMessage>, JournalError> {
        inbox::pending(&self.connection, &self.paths.database)
    }

    /// Answers a message that needs no record; the first answer stays.
    pub fn answer(&mut self, message: i64, text: &str) -> Result<(), InboxError> {
        inbox::answer(&self.connection, &self.paths.database, message, text)
    }

    fn collect(
        &self,
        start: ChainPoint,
        wanted: impl Fn(&RecordContent<'_>) -> bool,
    ) -> Result<Vec<JournalRecord>, JournalError> {
        let mut records = Vec::new();
        let path = &self.paths.database;
        records::records_after(&self.connection, path, start, None, |at, content| {
            if wanted(content) {
                records.push(JournalRecord::new(at.seq, content));
            }
        })?;
        Ok(records)
    }

    /// Stored records that a killed writer did not acknowledge are visible from now on, so they
    /// must not be lost any more.
    fn acknowledge_recovered(&mut self) -> Result<(), JournalError> {
        if self.recovered == 0 {
            return Ok(());
        }
        // The kill may have come before the sync, and then they are only in the page cache. What is
        // no longer in the log has been synced by the checkpoint that moved it.
        match File::open(&self.paths.wal).and_then(|wal| wal.sync_all()) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(IoFault::new("sync", &self.paths.wal, error).into());
            }
            _ => {}
        }
        atomic_file::sync_directory(&self.paths.dir)?;
        Ok(self.head.acknowledge(self.last)?)
    }

    fn commit(
        &mut self,
        records: &[NewRecord],
        answers: &[MessageAnswer],
    ) -> rusqlite::Result<ChainPoint> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut last = self.last;
        let mut chain = HashChain::default();
        {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO records(seq, run, epoch, at_ms, wall_ms, kind, body, hash) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            for record in records {
                last = chain.next(last, &record.content());
                insert.execute((
                    last.seq.cast_signed(),
                    &record.run,
                    record.epoch.cast_signed(),
                    record.at_ms.cast_signed(),
                    record.wall_ms,
                    &record.kind,
                    &record.body,
                    last.hash,
                ))?;
            }
        }
        for answer in answers {
            inbox::store_answer(&transaction, answer.message, &answer.text)?;
        }
        transaction.commit()?;
        Ok(last)
    }

    fn append_failed(&self, error: rusqlite::Error) -> JournalError {
        let path = &self.paths.database;
        if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) {
            return JournalError::Overtaken { path: path.clone() };
        }
        JournalError::sqlite("append to", path, self.last.seq + 1, error)
    }

    fn refuse_too_large(
        &self,
        records: &[NewRecord],
        answers: &[MessageAnswer],
    ) -> Result<(), JournalError> {
        let texts = records
            .iter()
            .flat_map(|record| [&record.run, &record.kind, &record.body])
            .chain(answers.iter().map(|answer| &answer.text));
        match texts.map(String::len).find(|&bytes| bytes > MAX_TEXT_BYTES) {
            Some(bytes) => Err(JournalError::TooLarge {
                path: self.paths.database.clone(),
                bytes,
                limit: MAX_TEXT_BYTES,
            }),
            None => Ok(()),
        }
    }
}

impl NewRecord {
    fn content(&self) -> RecordContent<'_> {
        RecordContent {
            run: &self.run,
            epoch: self.epoch,
            at_ms: self.at_ms,
            wall_ms: self.wall_ms,
            kind: &self.kind,
            body: &self.body,
        }
    }
}

impl JournalRecord {
    pub(crate) fn new(seq: u64, content: &RecordContent<'_>) -> Self {
        Self {
            seq,
            run: content.run.to_owned(),
            epoch: content.epoch,
            at_ms: content.at_ms,
            wall_ms: content.wall_ms,
            kind: content.kind.to_owned(),
            body: content.body.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::IoFaultKind;

    fn record(body: &str) -> NewRecord {
        NewRecord {
            run: "r".to_owned(),
            epoch: 1,
            at_ms: 2,
            wall_ms: 3,
            kind: "noted".to_owned(),
            body: body.to_owned(),
        }
    }

    /// Appends until a fault of this kind, and checks that nothing unstored was acknowledged.
    fn fails_with(kind: IoFaultKind, prepare: impl Fn(&mut Journal)) {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        journal.append(&[record("first")]).unwrap();
        prepare(&mut journal);
        let body = "x".repeat(20_000);
        let error = loop {
            if let Err(error) = journal.append(&[record(&body)]) {
                break error;
            }
        };
        assert_eq!(error.fault(), Some(kind), "{error}");
        assert!(matches!(journal.append(&[record("")]), Err(JournalError::Poisoned { .. })));
        let known = journal.last_seq();
        drop(journal);
        let mut journal = Journal::open(dir.path()).unwrap();
        assert!(journal.last_seq() >= known);
        journal.append(&[record("after the cause is gone")]).unwrap();
    }

    /// R9, F05.
    #[test]
    fn a_full_disk_stops_the_journal_and_loses_nothing() {
        fails_with(IoFaultKind::DiskFull, |journal| {
            journal.connection.pragma_update(None, "max_page_count", 30).unwrap();
        });
    }

    /// R9, F05.
    #[test]
    #[cfg(target_os = "linux")] // Only there is a device that is always full.
    fn a_disk_too_full_for_the_head_stops_the_journal() {
        fails_with(IoFaultKind::DiskFull, |journal| journal.head.fill_the_disk());
    }

    /// R9, F06: a read-only journal is not a damaged one.
    #[test]
    fn a_read_only_journal_is_not_reported_as_damaged() {
        fails_with(IoFaultKind::ReadOnly, |journal| {
            journal.connection.pragma_update(None, "query_only", true).unwrap();
        });
    }

    /// R15.
    #[test]
    fn a_text_beyond_the_limit_is_rejected_and_the_next_is_stored() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        let large = record(&"x".repeat(MAX_TEXT_BYTES + 1));
        assert!(matches!(journal.append(&[large]), Err(JournalError::TooLarge { .. })));
        assert_eq!(journal.append(&[record("small")]).unwrap(), 1);
    }
}
