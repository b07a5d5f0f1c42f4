//! Messages from many processes to the driver.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

mod support;

use std::collections::BTreeSet;
use std::fs;

use afresh_store::{Inbox, InboxError, Journal, MessageAnswer};
use support::{acknowledged, journal_of, own_dir, process, record};

#[test]
fn a_message_is_seen_and_answered_across_connections() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = journal_of(dir.path(), 1);
    let quiet = journal.data_version().unwrap();
    journal.append(&[record(2)]).unwrap();
    assert_eq!(journal.data_version().unwrap(), quiet, "our own writes are no news");

    let mut terminal = Inbox::open(dir.path()).unwrap();
    let first = terminal.send("terminal", "{\"halt\":1}").unwrap();
    let second = terminal.send("page", "{}").unwrap();
    assert_ne!(journal.data_version().unwrap(), quiet);
    assert_eq!(journal.data_version().unwrap(), journal.data_version().unwrap());

    let pending = journal.pending_messages().unwrap();
    assert_eq!(pending.iter().map(|it| it.id).collect::<Vec<_>>(), [first, second]);
    assert_eq!((&*pending[0].sender, &*pending[0].body), ("terminal", "{\"halt\":1}"));
    assert_eq!(terminal.read_answer(first).unwrap(), None);

    let halting = MessageAnswer { message: first, text: "halting".to_owned() };
    journal.append_and_answer(&[record(3)], &[halting]).unwrap();
    journal.answer(second, "yes").unwrap();
    journal.answer(second, "no").unwrap();
    assert_eq!(terminal.read_answer(first).unwrap().as_deref(), Some("halting"));
    assert_eq!(terminal.read_answer(second).unwrap().as_deref(), Some("yes"));
    assert_eq!(terminal.pending().unwrap(), []);
    assert!(matches!(terminal.read_answer(99), Err(InboxError::Unknown { id: 99 })));
    assert!(matches!(journal.answer(99, "?"), Err(InboxError::Unknown { id: 99 })));
    drop((journal, terminal));
    assert_eq!(Journal::open(dir.path()).unwrap().last_seq(), 3);
}

#[test]
fn no_inbox_is_created_without_a_journal() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Inbox::open(dir.path()), Err(InboxError::NoJournal { .. })));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Sends ten messages and prints the id of each when it is stored.
#[test]
#[ignore = "started by another test as a process of its own"]
fn process_that_sends() {
    let Some(dir) = own_dir() else { return };
    println!();
    for _ in 0..10 {
        let mut inbox = Inbox::open(&dir).unwrap();
        for _ in 0..3 {
            let id = inbox.send("process", &std::process::id().to_string()).unwrap();
            println!("stored {id}");
        }
    }
}

/// R1: sixteen senders at once, each with its own connections, while the driver appends.
#[test]
fn sixteen_processes_send_at_once_and_nothing_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = journal_of(dir.path(), 1);
    let senders: Vec<_> =
        (0..16).map(|_| process("process_that_sends", dir.path()).spawn().unwrap()).collect();
    for number in 2..=100 {
        journal.append(&[record(number)]).unwrap();
    }
    let mut sent = BTreeSet::new();
    for sender in senders {
        let output = sender.wait_with_output().unwrap();
        let ids = acknowledged(&output.stdout);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(ids.len(), 30);
        sent.extend(ids);
    }
    assert_eq!(sent.len(), 16 * 30, "an id was given twice");
    drop(journal);
    let journal = Journal::open(dir.path()).unwrap();
    let pending = journal.pending_messages().unwrap();
    let found: BTreeSet<u64> = pending.iter().map(|it| u64::try_from(it.id).unwrap()).collect();
    assert_eq!(found, sent);
    assert_eq!(journal.last_seq(), 100);
}
