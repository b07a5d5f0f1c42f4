//! A writer that dies: by kill -9 at any moment, or because it cannot write any more.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

mod support;

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use afresh_store::{IoFaultKind, Journal};
use support::{DIR, acknowledged, own_dir, process, record};

/// Appends until it is killed, and prints after each append what is stored now.
#[test]
#[ignore = "started by the other tests as a process of its own"]
fn process_that_appends() {
    let Some(dir) = own_dir() else { return };
    let mut journal = match Journal::open(&dir) {
        Ok(journal) => journal,
        Err(error) => return println!("\nfailed {:?}: {error}", error.fault()),
    };
    println!("\nstored {}", journal.last_seq());
    for round in 0_u64.. {
        let next = journal.last_seq() + 1;
        let records: Vec<_> = (next..=next + round % 4).map(record).collect();
        match journal.append(&records) {
            Ok(last) => println!("stored {last}"),
            Err(error) => {
                println!("failed {:?}: {error}", error.fault());
                assert!(matches!(
                    journal.append(&records),
                    Err(afresh_store::JournalError::Poisoned { .. })
                ));
                return;
            }
        }
    }
}

/// R1.
#[test]
fn acknowledged_records_survive_twenty_kills() {
    let dir = tempfile::tempdir().unwrap();
    let mut known = 0;
    for round in 0..20_u64 {
        let mut child = process("process_that_appends", dir.path()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        // Reading meanwhile, so that a full pipe does not stop the writer.
        let reading = thread::spawn(move || {
            let mut stdout = Vec::new();
            output.read_to_end(&mut stdout).unwrap();
            stdout
        });
        // From before the creation of any file to the middle of the appends.
        thread::sleep(Duration::from_micros(round * round * 700 + 911 * (round % 7)));
        child.kill().unwrap();
        child.wait().unwrap();
        known = acknowledged(&reading.join().unwrap()).into_iter().fold(known, u64::max);

        if round % 2 == 1 {
            let reader = Journal::open_read_only(dir.path()).unwrap();
            assert!(reader.map_or(0, |it| it.read_all().unwrap().len() as u64) >= known);
        }
        // Every other round is left for the next process to recover.
        if round % 3 == 2 {
            let journal = Journal::open(dir.path()).unwrap();
            assert!(journal.last_seq() >= known, "{} of {known}", journal.last_seq());
            known = journal.last_seq();
        }
    }
    let all = Journal::open(dir.path()).unwrap().read_all().unwrap();
    assert!(all.len() as u64 >= known && known > 0, "{} of {known}", all.len());
    for (number, it) in (1..).zip(&all) {
        assert_eq!((it.seq, &it.body), (number, &record(number).body));
    }
}

/// R9, F05: a limit on the size of files fails a write in its middle, as a failing device does.
#[test]
fn a_failing_writer_acknowledges_nothing_unstored() {
    let dir = tempfile::tempdir().unwrap();
    // The smallest limit does not even allow creating the journal.
    for blocks in [10, 100, 160, 300] {
        let limited = Command::new("sh")
            .args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""), "sh"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "process_that_appends", "--ignored", "--nocapture"])
            .env(DIR, dir.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&limited.stdout);
        let known = acknowledged(&limited.stdout).into_iter().fold(0, u64::max);
        assert!(output.contains(&format!("failed Some({:?})", IoFaultKind::Io)), "{output}");
        let journal = Journal::open(dir.path()).unwrap();
        assert!(journal.last_seq() >= known, "{} of {known}", journal.last_seq());
        assert_eq!(known > 0, blocks > 10, "{output}");
    }
    assert!(
        !fs::read_dir(dir.path())
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().to_string_lossy().contains("afresh-tmp") })
    );
}

/// R1, R12, F01: run by hand with `--ignored`, because it needs strace: killed at every call that writes,
/// from the creation on; the next process recovers, and is killed at the same call itself.
#[test]
#[ignore = "needs strace, and takes its time"]
fn a_kill_at_every_writing_call_loses_nothing_acknowledged() {
    const CALLS: &str = "openat,write,pwrite64,fsync,fdatasync,link,linkat,unlink,unlinkat,rename,\
                         renameat,ftruncate,mkdir,mkdirat,fallocate";
    // Counted for each thread; the one that appends begins with the creation.
    for when in 1..=200 {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let mut known = 0;
        for _ in 0..2 {
            let killed = Command::new("strace")
                .args(["-f", "-qq", "-o", "/dev/null"])
                .args(["-e", &format!("inject={CALLS}:signal=KILL:when={when}")])
                .arg(std::env::current_exe().unwrap())
                .args(["--exact", "process_that_appends", "--ignored", "--nocapture"])
                .env(DIR, &state)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            assert!(!killed.status.success(), "{killed:?}");
            known = acknowledged(&killed.stdout).into_iter().fold(known, u64::max);
        }
        let journal = Journal::open(&state).unwrap();
        assert!(journal.last_seq() >= known, "call {when}: {} of {known}", journal.last_seq());
    }
}
