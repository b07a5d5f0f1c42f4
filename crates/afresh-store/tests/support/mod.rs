//! Shared by several tests: records, copies of a state directory, child processes.

#![allow(dead_code)] // Each story uses its own part.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use afresh_store::{Journal, NewRecord};

/// Tells a child process which directory to use.
pub(crate) const DIR: &str = "AFRESH_STORE_TEST_DIR";

pub(crate) fn record(number: u64) -> NewRecord {
    NewRecord {
        run: if number.is_multiple_of(2) { "even" } else { "odd" }.to_owned(),
        epoch: 1,
        at_ms: number,
        wall_ms: 1_700_000_000_000 + i64::try_from(number).unwrap(),
        kind: "noted".to_owned(),
        body: format!("{{\"number\":{number},\"text\":\"{}\"}}", "x".repeat(50)),
    }
}

/// A journal of records 1 to `count`, each in its own append.
pub(crate) fn journal_of(dir: &Path, count: u64) -> Journal {
    let mut journal = Journal::open(dir).unwrap();
    for number in journal.last_seq() + 1..=count {
        assert_eq!(journal.append(&[record(number)]).unwrap(), number);
    }
    journal
}

/// The directory's files and all their bytes.
pub(crate) fn bytes_of(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Another test of this binary as a child process.
pub(crate) fn process(name: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .env(DIR, dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The directory of this process, if it was started by another test.
pub(crate) fn own_dir() -> Option<PathBuf> {
    std::env::var_os(DIR).map(PathBuf::from)
}

/// The numbers that a process reported as stored, in whole lines only.
pub(crate) fn acknowledged(output: &[u8]) -> Vec<u64> {
    let text = String::from_utf8_lossy(output);
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().filter_map(|line| line.split("stored ").nth(1)?.parse().ok()).collect()
}
