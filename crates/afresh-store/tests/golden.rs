//! R13: journals of every format that was ever written can still be read.
//!
//! A golden journal is made once, when its format is new, and never again: a change that cannot
//! read it needs a new format and a migration, not a new golden journal.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

mod support;

use std::fs;
use std::path::Path;

use afresh_store::{Inbox, Journal, MessageAnswer};
use support::{own_dir, record};

fn golden(format: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format)
}

/// R13.
#[test]
fn a_journal_of_format_1_is_read_and_continued() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["journal.sqlite", "journal.head"] {
        let bytes = fs::read(golden("format-1").join(name)).unwrap();
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    let mut journal = Journal::open(dir.path()).unwrap();
    let all = journal.read_all().unwrap();
    assert_eq!(all.len(), 12);
    for (number, it) in (1..).zip(&all) {
        let expected = record(number);
        assert_eq!((it.seq, &it.run, &it.body), (number, &expected.run, &expected.body));
        assert_eq!((it.at_ms, it.wall_ms), (expected.at_ms, expected.wall_ms));
    }
    let pending = journal.pending_messages().unwrap();
    assert_eq!((pending.len(), pending[0].id, &*pending[0].body), (1, 2, "second"));
    let inbox = Inbox::open(dir.path()).unwrap();
    assert_eq!(inbox.read_answer(1).unwrap().as_deref(), Some("done"));
    assert_eq!(journal.append(&[record(13)]).unwrap(), 13);
}

/// Run by hand, with `AFRESH_STORE_TEST_DIR=DIR` and `--ignored`, when a format is new.
#[test]
#[ignore = "makes the golden journal of a new format"]
fn make_golden_journal() {
    let Some(dir) = own_dir() else { return };
    let mut journal = Journal::open(&dir).unwrap();
    let mut inbox = Inbox::open(&dir).unwrap();
    let message = inbox.send("terminal", "first").unwrap();
    inbox.send("terminal", "second").unwrap();
    let answer = MessageAnswer { message, text: "done".to_owned() };
    journal.append_and_answer(&(1..=11).map(record).collect::<Vec<_>>(), &[answer]).unwrap();
    journal.append(&[record(12)]).unwrap();
}
