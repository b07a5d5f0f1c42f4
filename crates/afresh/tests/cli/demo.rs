//! `afresh demo`: the first command of a new user.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Driver;
use afresh_testkit::repo::finish;
use afresh_testkit::{CommandOutput, TestRepo};
use nix::sys::signal::Signal;

/// A user in their own repository, with a directory for temporary files that the test can inspect.
fn user() -> (TestRepo, PathBuf) {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    let scratch = repo.path().join("tmp");
    fs::create_dir(&scratch).expect("a new directory");
    (repo, scratch)
}

fn demo(repo: &TestRepo, more: &[&str]) -> Command {
    let args: Vec<&str> = ["demo"].iter().chain(more).copied().collect();
    let mut command = repo.command(&args);
    command.env("TMPDIR", repo.path().join("tmp"));
    command
}

fn left_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The failed attempts, by the progress lines with this mark.
fn marked(ran: &CommandOutput, mark: &str) -> BTreeSet<String> {
    let lines = ran.stderr.lines().filter_map(|line| line.split_once(&format!("s {mark:>9} ")));
    lines.map(|(_, rest)| rest.split(' ').next().unwrap_or_default().to_owned()).collect()
}

/// AG-02: without a terminal, a key or a network it completes by itself: a mistake, a lie, a conflict and a question,
/// all resolved. Nothing is left behind, and nothing of the user's is touched.
#[test]
fn the_demo_shows_everything_and_leaves_nothing() {
    let (repo, scratch) = user();
    let before = repo.untouched();
    let ran = finish(demo(&repo, &[])).expect(0);
    assert!(ran.stderr.contains("9/9 tasks: 9 merged"), "{}", ran.stderr);
    assert_eq!(
        marked(&ran, "rejected").len(),
        3,
        "a forgotten requirement, a mistake and a lie:\n{}",
        ran.stderr
    );
    assert!(marked(&ran, "rejected").contains("plan.1"), "{}", ran.stderr);
    assert!(!marked(&ran, "collided").is_empty(), "{}", ran.stderr);
    assert_eq!(marked(&ran, "asks"), BTreeSet::from(["empty.1".to_owned()]));
    assert!(ran.stderr.contains("ended with exit code 1") && ran.stderr.contains("no-op"));
    assert!(ran.stderr.contains("Q1 friendly (by policy)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Try next"), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("# todo: done\n"), "{}", ran.stdout);
    assert_eq!(left_in(&scratch), [""; 0]);
    assert_eq!(left_in(&repo.cache()), [""; 0]);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
}

/// AG-02: it can be kept; then it is a repository like any other, with a program that works.
#[test]
fn a_kept_demo_can_be_looked_at_and_landed() {
    let (repo, scratch) = user();
    let mut command = demo(&repo, &["--keep"]);
    // The demo does not use the user's own state directory.
    command.env("AFRESH_STATE", repo.path().join("mine"));
    finish(command).expect(0);
    assert!(!repo.path().join("mine").exists());
    let kept = left_in(&scratch);
    assert_eq!(kept.len(), 1, "{kept:?}");
    let root = scratch.join(&kept[0]);
    let report = fs::read_to_string(root.join("report.md")).expect("the report");
    assert!(report.starts_with("# todo: done\n"), "{report}");
    let todo = root.join("todo");
    let directory = todo.to_str().expect("a path");
    let status = repo.afresh(&["-C", directory, "status", "--json"]).expect(0).json();
    assert_eq!(status["counts"]["done"], 9, "{status}");
    repo.afresh(&["-C", directory, "land"]).expect(0);
    let run = |args: &[&str]| {
        let mut shell = Command::new("sh");
        shell.arg("todo.sh").args(args).current_dir(&todo).env("TODO_FILE", root.join("list"));
        finish(shell).expect(0).stdout
    };
    assert_eq!(run(&["add", " buy milk "]), "added: buy milk\n");
    assert_eq!(run(&["list"]), "1 [ ] buy milk\n");
    run(&["done", "1"]);
    assert_eq!(run(&["count"]), "0 to do\n");
}

/// AG-02: with another seed, other workers fail; scripts get the report as JSON.
#[test]
fn a_seed_decides_which_workers_fail() {
    let (repo, _) = user();
    let failing = |seed: &str| {
        let ran = finish(demo(&repo, &["--seed", seed, "--json"])).expect(0);
        assert_eq!(ran.json()["counts"]["done"], 9, "{}", ran.stdout);
        marked(&ran, "rejected")
    };
    let first = failing("1");
    assert_eq!(first, failing("1"));
    assert_ne!(first, failing("2"));
}

/// AG-02, ST-04: a demo that is halted says so and leaves nothing behind either.
#[test]
fn a_demo_that_is_halted_leaves_nothing() {
    let (repo, scratch) = user();
    let mut driver = Driver::start_command(&repo, demo(&repo, &["--slow"]));
    driver.await_stderr("start plan.1");
    driver.signal(Signal::SIGINT);
    driver.await_stderr("a second request ends them");
    driver.signal(Signal::SIGINT);
    let ran = driver.end().expect(3);
    assert!(ran.stderr.contains("the demo starts over each time"), "{}", ran.stderr);
    assert_eq!(left_in(&scratch), [""; 0]);
    repo.expect_no_survivors();
}

/// AG-02: a demo that could not clean up is removed by a later one; one that was to be kept stays.
#[test]
fn a_later_demo_removes_one_that_was_killed() {
    let (repo, scratch) = user();
    finish(demo(&repo, &["--keep"])).expect(0);
    let kept = left_in(&scratch);
    let mut driver = Driver::start_command(&repo, demo(&repo, &["--slow"]));
    driver.await_stderr("start plan.1");
    driver.kill_9();
    let killed = left_in(&scratch).into_iter().find(|name| !kept.contains(name)).expect("one");
    finish(demo(&repo, &[])).expect(0);
    assert_eq!(left_in(&scratch).len(), 2, "it can be inspected for a day");
    let marker = fs::File::open(scratch.join(killed).join(".afresh-scratch")).expect("a marker");
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 86_400);
    marker.set_modified(before).expect("a time");
    finish(demo(&repo, &[])).expect(0);
    assert_eq!(left_in(&scratch), kept);
}
