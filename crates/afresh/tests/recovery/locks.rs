//! One driver per repository (F11, R8, ST-03), and the locks of the user's own git (F12).

use std::fs;
use std::path::PathBuf;

use crate::support::processes::supervisors_below;
use crate::support::{Driver, Gate, expect_landed_once, repo};
use afresh_testkit::TestRepo;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A repository whose workers wait at a gate.
fn gated(tasks: usize) -> (TestRepo, Gate) {
    let repo = repo();
    let go = Gate::new(&repo, "go");
    repo.plan_of(tasks);
    repo.agent(&format!("{}\necho \"by $AFRESH_TASK\" > $AFRESH_TASK.txt", go.wait()));
    (repo, go)
}

/// F11, R8, ST-03: fifty races of two drivers that start at once.
#[test]
fn of_two_that_start_at_once_exactly_one_drives() {
    for race in 0..50 {
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

/// F12: a lock that the user's git holds for a few seconds is waited for, and never deleted.
#[test]
fn locks_of_the_users_git_are_waited_for() {
    let (repo, go) = gated(2);
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start ");
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let own = format!("refs/heads/{branch}");
    let locks: Vec<PathBuf> = ["index", "HEAD", "packed-refs", own.as_str()]
        .iter()
        .map(|name| repo.root().join(format!(".git/{name}.lock")))
        .collect();
    for lock in &locks {
        fs::write(lock, "the user's").expect("written");
    }
    go.open();
    repo.wait_until("a task wants to land", || {
        repo.status()["counts"]["merging"].as_u64().is_some()
    });
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(driver.has_ended().is_none(), "{}", driver.stderr());
    for lock in &locks {
        assert_eq!(fs::read_to_string(lock).expect("still there"), "the user's");
        fs::remove_file(lock).expect("removed");
    }
    driver.end().expect(0);
    expect_landed_once(&repo, 2);
}

/// F12: locks that only the checkout needs do not stop a run at all.
#[test]
fn locks_of_the_checkout_do_not_stop_a_run() {
    let (repo, go) = gated(2);
    go.open();
    let locks = ["index", "HEAD"].map(|name| repo.root().join(format!(".git/{name}.lock")));
    for lock in &locks {
        fs::write(lock, "the user's").expect("written");
    }
    let before = repo.untouched();
    repo.run(&[]).expect(0);
    repo.untouched().expect_same_as(&before);
    expect_landed_once(&repo, 2);
}

/// F12: a lock that is never released halts the run, and the message names it; then `resume` finishes. Slow, because it
/// waits as long as a user would.
#[test]
fn a_lock_held_for_ever_halts_the_run_and_is_named() {
    let (repo, go) = gated(2);
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start ");
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let lock = repo.root().join(format!(".git/refs/heads/{branch}.lock"));
    fs::write(&lock, "the user's").expect("written");
    go.open();
    let halted = driver.end().expect(3);
    assert!(halted.stderr.contains(&*lock.to_string_lossy()), "{}", halted.stderr);
    assert_eq!(fs::read_to_string(&lock).expect("still there"), "the user's");
    assert!(repo.landed().is_empty());
    let halt = repo.status()["halt"].clone();
    assert_eq!(halt["by"], "afresh", "{halt}");
    fs::remove_file(&lock).expect("removed");
    repo.afresh(&["resume"]).expect(0);
    expect_landed_once(&repo, 2);
    repo.expect_no_survivors();
}
