//! Locks of git: the user's own, which are waited for and never removed (F12), and one that nobody holds any more.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::support::{Driver, WORKER, expect_landed_once, gated, repo};
use afresh_testkit::repo::finish;

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
    std::thread::sleep(Duration::from_secs(3));
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

/// ST-02, F12: a lock on the run's branch that may be somebody's is named with what to do, at the halt and by `resume`,
/// and stays. One that a killed git left, and that no living process can hold, is removed by `resume`.
#[test]
fn a_lock_on_the_runs_branch_is_removed_or_named_with_what_to_do() {
    let repo = repo();
    repo.agent(WORKER);
    repo.plan_of(1);
    let lock = format!(".git/refs/heads/afresh/{}.lock", first_run_name());
    let lock = repo.root().join(lock);
    repo.agent(&format!("echo mine > '{}'; {WORKER}", lock.display()));
    let halted = finish(repo.command(&["run", "p.plan.toml", "--sandbox", "off"])).expect(3);
    let expected = format!("remove {}, then `afresh resume`", lock.display());
    assert!(halted.stderr.contains(&expected), "{}", halted.stderr);
    let refused = repo.afresh(&["resume"]).expect(74);
    assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(&lock).expect("the lock"), "mine\n");
    // As git leaves it, older than any process of this machine.
    let file = fs::File::create(&lock).expect("emptied");
    let stat = fs::read_to_string("/proc/stat").expect("text");
    let boot = stat.lines().find_map(|line| line.strip_prefix("btime ")).expect("a time");
    let since_epoch = Duration::from_secs(boot.trim().parse::<u64>().expect("a number") + 1);
    file.set_modified(SystemTime::UNIX_EPOCH + since_epoch).expect("set");
    drop(file);
    repo.afresh(&["resume"]).expect(0);
    assert!(!lock.exists());
    expect_landed_once(&repo, 1);
}

/// The name that the first run of the plan has in every repository.
fn first_run_name() -> String {
    let other = repo();
    other.agent(WORKER);
    other.plan_of(1);
    other.run(&[]).expect(0);
    other.status()["run"].as_str().expect("a run").to_owned()
}
