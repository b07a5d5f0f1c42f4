//! The journal in normal use, what it rejects, and several processes that use it at once.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

mod support;

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use afresh_store::{Inbox, Journal, JournalError};
use rusqlite::Connection;
use support::{bytes_of, journal_of, own_dir, process, record};

/// R1.
#[test]
fn appended_records_are_read_back_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("deep/state");
    let mut journal = Journal::open(&state).unwrap();
    assert_eq!(journal.append(&[]).unwrap(), 0);
    assert_eq!(journal.append(&[record(1), record(2)]).unwrap(), 2);
    assert_eq!(journal.append(&[record(3)]).unwrap(), 3);
    drop(journal);

    let journal = Journal::open(&state).unwrap();
    assert_eq!((journal.last_seq(), journal.recovered()), (3, 0));
    let all = journal.read_all().unwrap();
    assert_eq!(all.iter().map(|it| it.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(all[2].body, record(3).body);
    assert_eq!(all[2].wall_ms, record(3).wall_ms);
    assert_eq!(journal.read_after(2).unwrap(), all[2..]);
    assert_eq!(journal.read_after(99).unwrap(), []);
    assert_eq!(journal.read_run("even").unwrap(), all[1..2]);
    assert_eq!(fs::read_to_string(state.join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn any_text_and_any_number_is_stored_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let mut odd = record(1);
    odd.body = "nul \0, newline \n, \u{202e}bidi, 漢字 🦀".to_owned();
    odd.run = String::new();
    (odd.epoch, odd.at_ms, odd.wall_ms) = (u64::MAX, u64::MAX, i64::MIN);
    let mut large = record(2);
    large.body = "y".repeat(3 << 20);
    Journal::open(dir.path()).unwrap().append(&[odd.clone(), large.clone()]).unwrap();
    let all = Journal::open(dir.path()).unwrap().read_all().unwrap();
    assert_eq!((&all[0].body, all[0].epoch, all[0].at_ms), (&odd.body, u64::MAX, u64::MAX));
    assert_eq!((all[0].wall_ms, &all[1].body), (i64::MIN, &large.body));
}

#[test]
fn a_directory_may_have_any_name() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("50%25 a?mode=rw#x &ü");
    let journal = journal_of(&state, 2);
    let reader = Journal::open_read_only(&state).unwrap().unwrap();
    assert_eq!(reader.read_all().unwrap().len(), 2);
    drop(journal);
    assert_eq!(Journal::open(&state).unwrap().last_seq(), 2);
}

/// Changes the version, in the database itself or only in its log.
fn make_newer(dir: &Path, keep_connected: bool) -> Option<Connection> {
    let connection = Connection::open(dir.join("journal.sqlite")).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    keep_connected.then_some(connection)
}

/// R13, F09.
#[test]
fn a_newer_journal_is_rejected_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 3));
    make_newer(dir.path(), false);
    let before = bytes_of(dir.path());
    let newer =
        |error: JournalError| matches!(error, JournalError::Newer { found: 2, known: 1, .. });
    assert!(newer(Journal::open(dir.path()).unwrap_err()));
    assert!(newer(Journal::open_read_only(dir.path()).unwrap_err()));
    assert!(Inbox::open(dir.path()).is_err());
    assert_eq!(bytes_of(dir.path()), before);
}

/// R13, F09: a newer program that was killed has its version only in the log, with or without the
/// index.
#[test]
fn a_newer_version_in_the_wal_alone_is_rejected_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 3));
    let newer = make_newer(dir.path(), true);
    for with_index in [true, false] {
        let copy = tempfile::tempdir().unwrap();
        for (path, bytes) in bytes_of(dir.path()) {
            let name = path.file_name().unwrap();
            if with_index || name != "journal.sqlite-shm" {
                fs::write(copy.path().join(name), bytes).unwrap();
            }
        }
        let before = bytes_of(copy.path());
        assert!(before.keys().any(|path| path.ends_with("journal.sqlite-wal")));
        for _ in 0..2 {
            let error = Journal::open(copy.path()).unwrap_err();
            assert!(matches!(error, JournalError::Newer { found: 2, .. }), "{error}");
            let error = Journal::open_read_only(copy.path()).unwrap_err();
            assert!(matches!(error, JournalError::Newer { found: 2, .. }), "{error}");
        }
        assert!(bytes_of(copy.path()) == before, "changed, with index: {with_index}");
    }
    drop(newer);
}

/// R10.
#[test]
fn a_file_that_is_not_a_journal_is_rejected_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.sqlite");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine(x)").unwrap();
    let before = bytes_of(dir.path());
    assert!(matches!(Journal::open(dir.path()), Err(JournalError::Foreign { .. })));
    assert_eq!(bytes_of(dir.path()), before);
    fs::write(&path, "# notes\n".repeat(1000)).unwrap();
    let before = bytes_of(dir.path());
    assert!(matches!(Journal::open(dir.path()), Err(JournalError::Damaged { .. })));
    assert_eq!(bytes_of(dir.path()), before);
}

#[test]
fn a_reader_without_a_journal_creates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Journal::open_read_only(&dir.path().join("none")).unwrap().is_none());
    assert!(Journal::open_read_only(dir.path()).unwrap().is_none());
    assert!(bytes_of(dir.path()).is_empty());
}

#[test]
fn reading_changes_no_byte_whether_the_journal_was_closed_or_killed() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal_of(dir.path(), 20);
    let killed = tempfile::tempdir().unwrap();
    for (path, bytes) in bytes_of(dir.path()) {
        fs::write(killed.path().join(path.file_name().unwrap()), bytes).unwrap();
    }
    drop(journal);
    for dir in [dir.path(), killed.path()] {
        let before = bytes_of(dir);
        let reader = Journal::open_read_only(dir).unwrap().unwrap();
        assert_eq!(reader.read_all().unwrap().len(), 20);
        assert_eq!(reader.read_after(18).unwrap().len(), 2);
        assert_eq!(reader.read_run("odd").unwrap().len(), 10);
        assert!(bytes_of(dir) == before, "reading changed {}", dir.display());
    }
}

/// R1: readers come and go, in this process and others, while the driver writes, closes and opens.
#[test]
fn readers_always_see_a_whole_journal_while_the_driver_writes() {
    let dir = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 1));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let (mut seen, mut looks) = (1, 0_u32);
                    while !over.load(Ordering::Relaxed) || looks < 20 {
                        let reader = Journal::open_read_only(dir.path()).unwrap().unwrap();
                        let all = reader.read_all().unwrap();
                        assert!(all.len() >= seen, "records went away");
                        seen = all.len();
                        looks += 1;
                    }
                })
            })
            .collect();
        let writer = scope.spawn(|| {
            for round in 1..=10 {
                drop(journal_of(dir.path(), round * 15));
            }
        });
        let written = writer.join();
        over.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().unwrap();
        }
        written.unwrap();
    });
    assert_eq!(Journal::open(dir.path()).unwrap().last_seq(), 150);
}

/// Connects, reports it, and stays until its stdin is closed.
#[test]
#[ignore = "started by another test as a process of its own"]
fn process_that_stays_connected() {
    let Some(dir) = own_dir() else { return };
    let inbox = Inbox::open(&dir).unwrap();
    inbox.pending().unwrap();
    println!("\nconnected");
    let _ = std::io::stdin().read(&mut [0]);
}

/// R1: a driver killed in the middle of a commit leaves the shared index torn, while others still
/// use it and none of them repairs it.
#[test]
fn a_torn_index_that_others_keep_alive_does_not_stop_a_reader() {
    let dir = tempfile::tempdir().unwrap();
    drop(journal_of(dir.path(), 3));
    let mut command = process("process_that_stays_connected", dir.path());
    let mut other = command.stdin(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(other.stdout.take().unwrap());
    assert!(output.lines().map(Result::unwrap).any(|line| line == "connected"));
    drop(journal_of(dir.path(), 6));
    let index = OpenOptions::new().write(true).open(dir.path().join("journal.sqlite-shm")).unwrap();
    index.write_all_at(&[0x55; 48], 0).unwrap();

    let reader = Journal::open_read_only(dir.path()).unwrap().unwrap();
    assert_eq!(reader.read_all().unwrap().len(), 6);
    assert_eq!(Journal::open(dir.path()).unwrap().last_seq(), 6);
    drop(other.stdin.take());
    other.wait().unwrap();
}

/// R8.
#[test]
fn a_second_writer_is_detected_and_damages_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = journal_of(dir.path(), 3);
    let mut second = Journal::open(dir.path()).unwrap();
    second.append(&[record(4)]).unwrap();
    assert!(matches!(first.append(&[record(4)]), Err(JournalError::Overtaken { .. })));
    assert!(matches!(first.append(&[record(4)]), Err(JournalError::Poisoned { .. })));
    second.append(&[record(5)]).unwrap();
    drop((first, second));
    assert_eq!(Journal::open(dir.path()).unwrap().last_seq(), 5);
}

#[test]
fn leftovers_of_a_killed_creation_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("journal.sqlite.77-0.afresh-tmp"), "half").unwrap();
    fs::write(dir.path().join("journal.sqlite.77-0.afresh-tmp-wal"), "half").unwrap();
    drop(journal_of(dir.path(), 1));
    let names = bytes_of(dir.path()).into_keys().map(|it| it.file_name().unwrap().to_owned());
    assert_eq!(names.collect::<Vec<_>>(), [".gitignore", "journal.head", "journal.sqlite"]);
}

/// Run by hand, with `--release --ignored --nocapture`: what verifying a long journal costs.
#[test]
#[ignore = "measures, and takes its time"]
fn a_hundred_thousand_records_are_verified_quickly() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(dir.path()).unwrap();
    let started = Instant::now();
    for first in (1..=100_000).step_by(100) {
        let group: Vec<_> = (first..first + 100).map(record).collect();
        journal.append(&group).unwrap();
    }
    println!("1,000 appends of 100 records: {:?}", started.elapsed());
    let started = Instant::now();
    for number in 100_001..=101_000 {
        journal.append(&[record(number)]).unwrap();
    }
    println!("1,000 appends of one record: {:?}", started.elapsed());
    drop(journal);
    let started = Instant::now();
    let journal = Journal::open(dir.path()).unwrap();
    println!("open: {:?}", started.elapsed());
    let started = Instant::now();
    assert_eq!(journal.read_all().unwrap().len(), 101_000);
    println!("read all: {:?}", started.elapsed());
    let reader = Journal::open_read_only(dir.path()).unwrap().unwrap();
    let started = Instant::now();
    assert_eq!(reader.read_after(100_990).unwrap().len(), 10);
    println!("the last ten, by a reader: {:?}", started.elapsed());
    let started = Instant::now();
    journal.data_version().unwrap();
    println!("data version: {:?}", started.elapsed());
}
