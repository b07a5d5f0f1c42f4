//! File systems that lack what a run depends on (F20): refused at the start, and nothing changed. They are simulated by
//! a library that answers the system calls in their place.

use std::fs;

use crate::support::strace::{strace_works, tampered};
use crate::support::{Driver, WORKER, repo};
use afresh_testkit::TestRepo;
use afresh_testkit::file_tree::contents_below;

/// What is tampered with, how, and the expected message.
const LACKS: &[(&str, &str, &str, &str)] = &[
    ("flock", "error=ENOLCK", "no working locks", "clone"),
    ("flock", "error=EOPNOTSUPP", "no working locks", "clone"),
    // It always succeeds.
    ("flock", "retval=0", "no working locks", "clone"),
    ("fcntl", "retval=0", "lock", "hint:"),
    ("rename,renameat,renameat2", "error=EPERM", "does not replace a file", "AFRESH_STATE=DIR"),
    ("rename,renameat,renameat2", "error=EEXIST", "does not replace a file", "AFRESH_STATE=DIR"),
    // It reports success and does nothing.
    ("rename,renameat,renameat2", "retval=0", "does not replace another", "AFRESH_STATE=DIR"),
    ("fsync,fdatasync", "error=EINVAL", "cannot sync", "AFRESH_STATE=DIR"),
];

#[track_caller]
fn expect_refusal(repo: &TestRepo, (calls, how, what, hint): (&str, &str, &str, &str)) {
    let plain = repo.command(&["run", "p.plan.toml"]);
    let ran = Driver::start_command(repo, tampered(&plain, calls, how)).end();
    assert_eq!(ran.code, Some(74), "{calls} {how}: {ran:?}");
    for part in ["error: the file system of", what, hint] {
        assert!(ran.stderr.contains(part), "{calls} {how}: no {part:?} in {}", ran.stderr);
    }
}

/// F20, R5: the first run is refused with the reason, and it leaves nothing, not even a directory.
#[test]
fn a_file_system_that_cannot_hold_a_run_is_refused_before_anything_is_made() {
    if !strace_works() {
        return;
    }
    let repo = repo();
    repo.agent(WORKER);
    repo.plan_of(1);
    let (before, refs) = (repo.untouched(), repo.git(&["for-each-ref"]));
    for lack in LACKS {
        expect_refusal(&repo, *lack);
        repo.untouched().expect_same_as(&before);
        assert_eq!(repo.git(&["for-each-ref"]), refs, "{lack:?}");
        assert!(!repo.state().exists(), "{lack:?}");
        // The lock's file was created where locks work, and is empty then.
        let lock = fs::read(repo.root().join(".git/afresh.lock"));
        assert!(lock.is_err() || lack.0 != "flock", "{lack:?}");
    }
    repo.run(&[]).expect(0);
}

/// F20, R10: a state directory that was moved to such a file system is refused, and left unchanged.
#[test]
fn a_journal_on_such_a_file_system_stays_as_it_is() {
    if !strace_works() {
        return;
    }
    let repo = repo();
    repo.agent(WORKER);
    repo.plan_of(1);
    repo.run(&[]).expect(0);
    repo.plan_of(2);
    let before = contents_below(&repo.state());
    // By now it is known that files can be synced.
    for lack in LACKS.iter().filter(|lack| !lack.0.contains("fsync")) {
        expect_refusal(&repo, *lack);
        assert_eq!(contents_below(&repo.state()), before, "{lack:?}");
    }
    repo.run(&[]).expect(0);
}
