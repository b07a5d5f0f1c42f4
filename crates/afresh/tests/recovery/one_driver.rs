//! One driver per repository (F11, R8, ST-03).

use std::fs;

use crate::support::processes::supervisors_below;
use crate::support::sweep::rounds;
use crate::support::{Driver, expect_landed_once, gated};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// F11, R8, ST-03: races of two drivers that start at once.
#[test]
fn of_two_that_start_at_once_exactly_one_drives() {
    for race in 0..rounds(15, 50) {
        let (repo, go) = gated(1);
        let mut drivers = [Driver::run(&repo, &[]), Driver::run(&repo, &[])];
        let mut loser = None;
        repo.wait_until("one of the two gives up", || {
            loser = drivers.iter_mut().position(|driver| driver.has_ended().is_some());
            loser.is_some()
        });
        let [first, second] = drivers;
        let (winner, loser) = if loser == Some(0) { (second, first) } else { (first, second) };
        let holder = winner.pid();
        let lost = loser.end().expect(5);
        assert!(lost.stderr.contains(&format!("pid {holder} ")), "{race}: {}", lost.stderr);
        go.open();
        winner.end().expect(0);
        expect_landed_once(&repo, 1);
        assert_eq!(repo.status()["tasks"][0]["attempts"], 1, "race {race}");
    }
}

/// ST-03, R8: `status` names the driver, and the second one changes nothing.
#[test]
fn the_second_driver_names_the_first_and_changes_nothing() {
    let (repo, go) = gated(1);
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start ");
    assert_eq!(repo.status()["driver"]["pid"], driver.pid());
    let lost = repo.afresh(&["run", "p.plan.toml", "--json"]).expect(5);
    assert_eq!(lost.json()["error"]["kind"], "busy", "{}", lost.stdout);
    repo.afresh(&["resume"]).expect(5);
    go.open();
    driver.end().expect(0);
    expect_landed_once(&repo, 1);
    assert_eq!(repo.status()["driver"], serde_json::Value::Null);
}

/// R8: the lock is released on kill -9, though workers are still alive, because none of them holds it.
#[test]
fn the_lock_is_free_after_a_kill_and_no_worker_holds_it() {
    let (repo, go) = gated(1);
    let open = repo.path().join("open-files");
    repo.agent(&format!(
        "ls -l /proc/self/fd > '{}'\n{}\necho \"by T001\" > T001.txt",
        open.display(),
        go.wait()
    ));
    let start = || {
        let mut command = repo.command(&["run", "p.plan.toml"]);
        command.env("AFRESH_CONTAINMENT", "group");
        Driver::start_command(&repo, command)
    };
    let mut driver = start();
    driver.await_stderr(" start ");
    repo.wait_until("the worker has looked", || open.exists());
    let files = fs::read_to_string(&open).expect("text");
    assert!(!files.contains("afresh.lock") && !files.contains("journal"), "{files}");
    // With its supervisor dead too, the worker outlives its driver.
    let supervisors = supervisors_below(driver.pid());
    assert!(!supervisors.is_empty());
    driver.signal(Signal::SIGKILL);
    for pid in supervisors {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
    driver.kill_9();
    assert_eq!(repo.status()["driver"], serde_json::Value::Null);
    let mut next = start();
    next.await_stderr(" start T001.2");
    go.open();
    next.end().expect(0);
    expect_landed_once(&repo, 1);
    repo.expect_no_survivors();
}
