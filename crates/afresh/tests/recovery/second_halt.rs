//! The second halt is bounded in time, also while the user's git holds a lock that we wait for (R7, F12).

use std::fs;
use std::time::{Duration, Instant};

use crate::support::{Driver, Gate, expect_landed_once, repo, run_section};

/// `halt_grace` (1 s) and 5 s are promised; the machine may be busy with other tests. The usual wait for a lock is much
/// longer.
const BOUND: Duration = Duration::from_secs(6 * 4);

/// R7, F12, F18: an immediate halt while a branch waits to be moved; `resume` finishes.
#[test]
fn a_lock_of_the_users_git_does_not_prolong_the_second_halt() {
    let repo = repo();
    let go = Gate::new(&repo, "go");
    repo.config(&run_section("halt_grace = \"1s\""));
    repo.commit("config");
    repo.plan_of(1);
    repo.agent(&format!("{}\necho \"by $AFRESH_TASK\" > $AFRESH_TASK.txt", go.wait()));
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start ");
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let lock = repo.root().join(format!(".git/refs/heads/{branch}.lock"));
    fs::write(&lock, "the user's").expect("written");
    go.open();
    repo.wait_until("the task wants to land", || {
        repo.status()["counts"]["merging"].as_u64().is_some()
    });
    std::thread::sleep(Duration::from_secs(2));
    assert!(driver.has_ended().is_none(), "{}", driver.stderr());
    let asked_at = Instant::now();
    repo.afresh(&["halt", "--now", "fire"]).expect(0);
    driver.end().expect(3);
    let took = asked_at.elapsed();
    assert!(took < BOUND, "R7: {took:?}");
    assert_eq!(fs::read_to_string(&lock).expect("still there"), "the user's");
    assert!(repo.landed().is_empty());
    repo.expect_no_survivors();
    fs::remove_file(&lock).expect("removed");
    repo.afresh(&["resume"]).expect(0);
    expect_landed_once(&repo, 1);
}
