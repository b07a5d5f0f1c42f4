//! One holder, whose identity is known, and who leaves no lock behind.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::thread;

use afresh_store::{DriverLock, IoFaultKind, LockError, LockHolder};
use support::{own_dir, process};

fn me() -> LockHolder {
    LockHolder {
        pid: std::process::id(),
        host: "here".to_owned(),
        command: "afresh run".to_owned(),
        since_wall_ms: 1_700_000_000_000,
    }
}

/// R8.
#[test]
fn the_second_process_learns_who_holds_the_lock() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    assert_eq!(DriverLock::holder(&path).unwrap(), None);
    let lock = DriverLock::acquire(&path, &me()).unwrap();
    assert_eq!(DriverLock::holder(&path).unwrap(), Some(me()));
    let error = DriverLock::acquire(&path, &me()).unwrap_err();
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    assert!(matches!(error, LockError::Held(Some(holder)) if holder == me()));
    drop(lock);
    assert_eq!(DriverLock::holder(&path).unwrap(), None);
    assert_eq!(fs::read_to_string(&path).unwrap(), "", "the file stays, the name goes");
    DriverLock::acquire(&path, &me()).unwrap();
}

/// R8.
#[test]
fn a_child_process_does_not_inherit_the_lock() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let lock = DriverLock::acquire(&path, &me()).unwrap();
    // They live until their stdin is closed, which happens when this test ends, however it ends.
    let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let mut shell =
        Command::new("sh").args(["-c", "cat | cat"]).stdin(Stdio::piped()).spawn().unwrap();
    drop(lock);
    let again = DriverLock::acquire(&path, &me());
    let holder = DriverLock::holder(&path);
    for child in [&mut child, &mut shell] {
        assert!(child.try_wait().unwrap().is_none(), "the child was to be alive meanwhile");
        drop(child.stdin.take());
        child.wait().unwrap();
    }
    assert!(again.is_ok(), "{again:?}");
    assert_eq!(holder.unwrap(), Some(me()));
}

/// Acquires the lock, reports it, and keeps it until its stdin is closed or it is killed.
#[test]
#[ignore = "started by the other tests as a process of its own"]
fn process_that_locks() {
    let Some(dir) = own_dir() else { return };
    let lock = DriverLock::acquire(&dir.join("lock"), &me());
    println!("\n{}", if lock.is_ok() { "won" } else { "lost" });
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().read(&mut [0]);
}

/// Starts such a process and waits for its report.
fn contender(dir: &Path) -> (std::process::Child, bool) {
    let mut child = process("process_that_locks", dir).stdin(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let answer = output.lines().map(Result::unwrap).find(|it| it == "won" || it == "lost");
    (child, answer.unwrap() == "won")
}

/// R8.
#[test]
fn a_killed_holder_leaves_no_lock() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    let (mut child, won) = contender(dir.path());
    assert!(won);
    assert_eq!(DriverLock::holder(&path).unwrap().unwrap().pid, child.id());
    assert!(matches!(DriverLock::acquire(&path, &me()), Err(LockError::Held(Some(_)))));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(DriverLock::holder(&path).unwrap(), None, "the name in the file is of no account");
    DriverLock::acquire(&path, &me()).unwrap();
}

/// F11, R8.
#[test]
fn fifty_races_have_one_winner_each() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    for race in 0..50 {
        let (start, end) = (Barrier::new(8), Barrier::new(8));
        let wins: usize = thread::scope(|scope| {
            let run = || {
                start.wait();
                let lock = DriverLock::acquire(&path, &me());
                // Querying must not block a driver.
                let _ = DriverLock::holder(&path);
                end.wait();
                usize::from(lock.is_ok())
            };
            let racers: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).sum()
        });
        assert_eq!(wins, 1, "race {race}");
    }
}

/// F11, R8.
#[test]
fn fifty_races_of_processes_have_one_winner_each() {
    let dir = tempfile::tempdir().unwrap();
    for race in 0..50 {
        let mut contenders: Vec<_> = thread::scope(|scope| {
            let starts: Vec<_> = (0..3).map(|_| scope.spawn(|| contender(dir.path()))).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        let wins = contenders.iter().filter(|(_, won)| *won).count();
        for (child, _) in &mut contenders {
            drop(child.stdin.take());
            child.wait().unwrap();
        }
        assert_eq!(wins, 1, "race {race}");
    }
}

/// R8.
#[test]
fn querying_never_blocks_a_starting_driver() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    drop(DriverLock::acquire(&path, &me()).unwrap());
    thread::scope(|scope| {
        let asking = scope.spawn(|| {
            for _ in 0..200 {
                // For a moment after acquiring the lock, a holder is not identified yet.
                let _ = DriverLock::holder(&path);
            }
        });
        while !asking.is_finished() {
            DriverLock::acquire(&path, &me()).unwrap();
        }
    });
}

#[test]
fn a_lock_in_a_missing_directory_names_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("none/lock");
    let error = DriverLock::acquire(&path, &me()).unwrap_err();
    assert!(matches!(&error, LockError::Fault(fault) if fault.kind == IoFaultKind::Io), "{error}");
    assert!(error.to_string().contains("none/lock"), "{error}");
    assert_eq!(DriverLock::holder(&path).unwrap(), None);
}

#[test]
fn garbage_in_the_lock_file_hides_only_the_holder() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lock");
    fs::write(&path, "rubbish".repeat(1000)).unwrap();
    assert_eq!(DriverLock::holder(&path).unwrap(), None);
    let lock = DriverLock::acquire(&path, &me()).unwrap();
    assert_eq!(DriverLock::holder(&path).unwrap(), Some(me()));
    fs::write(&path, "rubbish").unwrap();
    assert!(matches!(DriverLock::holder(&path), Err(LockError::Held(None))));
    drop(lock);
}
