//! R10, F07, F08: damage is detected: whatever is cut off or changed, either every acknowledged
//! record is intact, or the journal is rejected with the place, and no file has changed.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

mod support;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use afresh_store::{Inbox, Journal, JournalError, JournalRecord};
use support::{bytes_of, journal_of, record};
use tempfile::TempDir;

const DATABASE: &str = "journal.sqlite";
const LOG: &str = "journal.sqlite-wal";
const INDEX: &str = "journal.sqlite-shm";
const HEAD: &str = "journal.head";

/// The files of a journal at one moment, as a power cut or a kill would leave them.
struct JournalFiles {
    files: Vec<(String, Vec<u8>)>,
    acknowledged: Vec<JournalRecord>,
}

/// The result of opening a damaged copy.
enum Outcome {
    Whole,
    Refused(JournalError),
}

impl JournalFiles {
    /// Half of the records are in the database, half only in the log, and a message is in the
    /// inbox.
    fn while_open() -> Self {
        let dir = tempfile::tempdir().unwrap();
        drop(journal_of(dir.path(), 30));
        let journal = journal_of(dir.path(), 60);
        Inbox::open(dir.path()).unwrap().send("terminal", "halt").unwrap();
        let moment = Self::read(dir.path());
        assert!(moment.size(LOG) > 0 && moment.size(DATABASE) > 0);
        drop(journal);
        moment
    }

    /// Everything is in the database; there is no log.
    fn closed() -> Self {
        let dir = tempfile::tempdir().unwrap();
        drop(journal_of(dir.path(), 60));
        Self::read(dir.path())
    }

    fn read(dir: &Path) -> Self {
        let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let files = bytes_of(dir).into_iter().map(|(path, bytes)| (name(path), bytes));
        // Without the index, which is worthless without live connections.
        let files = files.filter(|(name, _)| !name.ends_with("-shm")).collect();
        let reader = Journal::open_read_only(dir).unwrap().unwrap();
        Self { files, acknowledged: reader.read_all().unwrap() }
    }

    fn size(&self, name: &str) -> usize {
        self.files.iter().find(|(it, _)| it == name).map_or(0, |(_, bytes)| bytes.len())
    }

    /// Opens a copy in which the file `name` was changed by `damage`.
    fn opened_after(&self, name: &str, damage: impl Fn(&mut Vec<u8>)) -> Outcome {
        let dir = quick_directory();
        for (it, bytes) in &self.files {
            let mut bytes = bytes.clone();
            if it == name {
                damage(&mut bytes);
            }
            fs::write(dir.path().join(it), bytes).unwrap();
        }
        self.open(dir.path())
    }

    fn open(&self, dir: &Path) -> Outcome {
        let before = bytes_of(dir);
        let read_only = Journal::open_read_only(dir).and_then(|it| it.unwrap().read_all());
        assert!(bytes_of(dir) == before, "reading changed a file");
        match Journal::open(dir) {
            Err(error) => {
                assert!(bytes_of(dir) == before, "refused, but changed: {error}");
                assert!(error.fault().is_none(), "damage is not a fault of the machine: {error}");
                Outcome::Refused(error)
            }
            Ok(mut journal) => {
                assert_eq!(journal.read_all().unwrap(), self.acknowledged, "silently lost");
                assert_eq!(read_only.unwrap(), self.acknowledged);
                let next = self.acknowledged.len() as u64 + 1;
                assert_eq!(journal.append(&[record(next)]).unwrap(), next);
                drop(journal);
                assert_eq!(Journal::open(dir).unwrap().last_seq(), next);
                Outcome::Whole
            }
        }
    }
}

/// In memory if possible: these tests do not test syncs.
fn quick_directory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Every `step`th place, and the places around the borders of pages and frames.
fn places(whole: Range<usize>, step: usize, border: usize) -> Vec<usize> {
    let mut places: Vec<usize> = whole.clone().step_by(step).collect();
    let borders = whole.clone().step_by(border);
    places.extend(borders.flat_map(|at| [at, at + 1, at.saturating_sub(1)]));
    places.retain(|at| whole.contains(at));
    places.sort_unstable();
    places.dedup();
    places
}

fn count_refusals(outcomes: impl Iterator<Item = Outcome>) -> (usize, usize) {
    outcomes.fold((0, 0), |(whole, refused), outcome| match outcome {
        Outcome::Whole => (whole + 1, refused),
        Outcome::Refused(_) => (whole, refused + 1),
    })
}

/// F07, R10.
#[test]
fn a_truncated_database_is_intact_or_rejected() {
    for moment in [JournalFiles::while_open(), JournalFiles::closed()] {
        let places = places(0..moment.size(DATABASE), 401, 4096);
        let cut = |&at: &usize| moment.opened_after(DATABASE, |bytes| bytes.truncate(at));
        let (_, refused) = count_refusals(places.iter().map(cut));
        assert!(refused > 0);
    }
}

/// F07, R10.
#[test]
fn a_truncated_wal_is_intact_or_rejected() {
    let moment = JournalFiles::while_open();
    // 32 bytes of header, then frames of 24 bytes and a page.
    let places = places(0..moment.size(LOG), 991, 4120);
    let cut = |&at: &usize| moment.opened_after(LOG, |bytes| bytes.truncate(at));
    let (_, refused) = count_refusals(places.iter().map(cut));
    assert!(refused * 10 > places.len() * 9, "only {refused} of {} refused", places.len());
}

/// F07, R10.
#[test]
fn a_truncated_head_is_rejected() {
    let moment = JournalFiles::while_open();
    let places = places(0..moment.size(HEAD), 997, 4096);
    let cut = |&at: &usize| moment.opened_after(HEAD, |bytes| bytes.truncate(at));
    let (whole, _) = count_refusals(places.iter().map(cut));
    assert_eq!(whole, 0);
}

/// F08, R10.
#[test]
fn a_flipped_bit_is_harmless_or_rejected() {
    for moment in [JournalFiles::while_open(), JournalFiles::closed()] {
        for (name, step) in [(DATABASE, 193), (LOG, 1801), (HEAD, 61)] {
            for at in (0..moment.size(name)).step_by(step) {
                moment.opened_after(name, |bytes| bytes[at] ^= 1 << (at % 8));
            }
        }
    }
}

/// F04, R10: zeros are what a power cut leaves of blocks that never reached the disk.
#[test]
fn a_tail_of_zeros_is_intact_or_rejected() {
    let moment = JournalFiles::while_open();
    for (name, step) in [(DATABASE, 1024), (LOG, 4120), (HEAD, 1024)] {
        for at in (0..moment.size(name)).step_by(step) {
            moment.opened_after(name, |bytes| bytes[at..].fill(0));
        }
    }
}

/// F08, R10.
#[test]
fn a_changed_body_is_rejected_with_its_record() {
    let moment = JournalFiles::closed();
    let wanted = b"{\"number\":41,";
    let outcome = moment.opened_after(DATABASE, |bytes| {
        let at = bytes.windows(wanted.len()).position(|it| it == wanted).unwrap();
        bytes[at + 10..at + 12].copy_from_slice(b"14");
    });
    let Outcome::Refused(error) = outcome else { panic!("accepted") };
    assert!(matches!(error, JournalError::Damaged { seq: 41, .. }), "{error}");
    assert!(error.to_string().contains("record 41"), "{error}");
}

/// R1: a tail that was never acknowledged may be lost, and one that was stored just before the kill
/// stays.
#[test]
fn a_journal_ahead_of_its_head_is_recovered() {
    let dir = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 10));
    let head = fs::read(dir.path().join(HEAD)).unwrap();
    drop(journal_of(dir.path(), 13));
    fs::write(dir.path().join(HEAD), head).unwrap();
    let journal = Journal::open(dir.path()).unwrap();
    assert_eq!((journal.last_seq(), journal.recovered()), (13, 3));
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    assert_eq!((journal.last_seq(), journal.recovered()), (13, 0));
}

/// R10.
#[test]
fn an_older_copy_of_the_database_is_rejected() {
    let dir = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 10));
    let old = fs::read(dir.path().join(DATABASE)).unwrap();
    drop(journal_of(dir.path(), 11));
    fs::write(dir.path().join(DATABASE), old).unwrap();
    let before = bytes_of(dir.path());
    let error = Journal::open(dir.path()).unwrap_err();
    assert!(matches!(error, JournalError::MissesHead { head: 11, last: 10, .. }), "{error}");
    assert_eq!(bytes_of(dir.path()), before);
}

/// R10.
#[test]
fn another_history_of_the_same_length_is_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 5));
    let mut journal = Journal::open(other.path()).unwrap();
    for number in 11..=15 {
        journal.append(&[record(number)]).unwrap();
    }
    drop(journal);
    fs::copy(other.path().join(DATABASE), dir.path().join(DATABASE)).unwrap();
    let before = bytes_of(dir.path());
    let error = Journal::open(dir.path()).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
    assert_eq!(bytes_of(dir.path()), before);
}

/// R10.
#[test]
fn a_missing_file_is_rejected_unless_the_journal_is_empty() {
    let moment = JournalFiles::while_open();
    for missing in [DATABASE, LOG, HEAD] {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in moment.files.iter().filter(|(name, _)| name != missing) {
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        let before = bytes_of(dir.path());
        let error = Journal::open(dir.path()).unwrap_err();
        let expected = match missing {
            HEAD => matches!(error, JournalError::HeadMissing { last: 60, .. }),
            DATABASE => matches!(error, JournalError::DatabaseGone { head: 60, .. }),
            _ => matches!(error, JournalError::MissesHead { head: 60, last: 30, .. }),
        };
        assert!(expected, "without {missing}: {error}");
        assert!(Journal::open_read_only(dir.path()).is_err());
        assert_eq!(bytes_of(dir.path()), before);
    }
}

/// R10.
#[test]
fn a_wal_without_its_database_is_rejected() {
    let moment = JournalFiles::while_open();
    let dir = tempfile::tempdir().unwrap();
    let log = &moment.files.iter().find(|(name, _)| name == LOG).unwrap().1;
    fs::write(dir.path().join(LOG), log).unwrap();
    let before = bytes_of(dir.path());
    assert!(matches!(Journal::open(dir.path()), Err(JournalError::Damaged { .. })));
    assert_eq!(bytes_of(dir.path()), before);
}

#[test]
fn an_empty_journal_without_a_head_is_new() {
    let dir = tempfile::tempdir().unwrap();
    drop(Journal::open(dir.path()).unwrap());
    fs::remove_file(dir.path().join(HEAD)).unwrap();
    drop(journal_of(dir.path(), 1));
    fs::remove_file(dir.path().join(DATABASE)).unwrap();
    assert!(Journal::open(dir.path()).is_err(), "its head knows of a record");
}

/// R10.
#[test]
fn a_missing_record_is_rejected_with_its_number() {
    let dir = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 9));
    rusqlite::Connection::open(dir.path().join(DATABASE))
        .unwrap()
        .execute_batch("DELETE FROM records WHERE seq = 4")
        .unwrap();
    let error = Journal::open(dir.path()).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { seq: 4, .. }), "{error}");
}

/// R10.
#[test]
fn foreign_tables_are_rejected() {
    let dir = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 9));
    rusqlite::Connection::open(dir.path().join(DATABASE))
        .unwrap()
        .execute_batch("CREATE TRIGGER forget AFTER INSERT ON inbox BEGIN DELETE FROM inbox; END")
        .unwrap();
    let before = bytes_of(dir.path());
    let error = Journal::open(dir.path()).unwrap_err();
    assert!(error.to_string().contains("tables"), "{error}");
    assert!(Inbox::open(dir.path()).is_err());
    assert_eq!(bytes_of(dir.path()), before);
}

/// F08, R10.
#[test]
fn damage_to_the_inbox_is_rejected() {
    let dir = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 9));
    Inbox::open(dir.path()).unwrap().send("terminal", "a message to be lost").unwrap();
    let moment = JournalFiles::read(dir.path());
    let outcome = moment.opened_after(DATABASE, |bytes| {
        let text = b"a message to be lost";
        let at = bytes.windows(text.len()).position(|it| it == text).unwrap();
        // The page describes itself at its beginning.
        bytes[at / 4096 * 4096..][..8].fill(0);
    });
    assert!(matches!(outcome, Outcome::Refused(JournalError::Damaged { .. })));
}

/// R1, F01: the index of the log is worthless without live connections, so nothing in it may
/// matter: a kill leaves it at any size and in any state.
#[test]
fn a_torn_wal_index_does_not_matter() {
    let moment = JournalFiles::while_open();
    let mut indexes: Vec<Vec<u8>> =
        [0, 1, 4095, 4096, 8192, 20_000, 32_767, 32_768].map(|size| vec![0; size]).to_vec();
    indexes.push(vec![0xa5; 32_768]);
    indexes.push(b"rubbish".repeat(9000));
    for index in indexes {
        let dir = quick_directory();
        for (name, bytes) in &moment.files {
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        fs::write(dir.path().join(INDEX), &index).unwrap();
        let outcome = moment.open(dir.path());
        assert!(matches!(outcome, Outcome::Whole), "an index of {} bytes", index.len());
    }
}

/// F07, F08, R10.
#[test]
fn a_damaged_wal_is_detected_despite_its_index() {
    let mut moment = JournalFiles::while_open();
    moment.files.push((INDEX.to_owned(), vec![0; 32_768]));
    let places = places(0..moment.size(LOG), 4001, 4120);
    for at in (0..40).chain(places) {
        moment.opened_after(LOG, |bytes| bytes.truncate(at));
        moment.opened_after(LOG, |bytes| bytes[at] ^= 1 << (at % 8));
    }
}
