//! Single writes and syncs that fail (R9, F05): what is not on disk is not acknowledged, nothing is left half-made, and
//! the next run completes.

use afresh_testkit::TestRepo;
use afresh_testkit::file_tree::files_below;

use crate::support::strace::{strace_works, tampered};
use crate::support::{Driver, WORKER, expect_landed_once, repo, run_section};

fn fresh() -> TestRepo {
    let repo = repo();
    repo.config(&run_section(""));
    repo.commit("config");
    repo.agent(WORKER);
    repo.plan_of(1);
    repo
}

/// The n-th call of each thread fails; returns whether any did.
#[track_caller]
fn expect_recovery(calls: &str, error: &str, number: u32) -> bool {
    let repo = fresh();
    let plain = repo.command(&["run", "p.plan.toml"]);
    let fault = format!("error={error}:when={number}");
    let ran = Driver::start_command(&repo, tampered(&plain, calls, &fault)).end();
    let context = format!("{calls} {error} {number}: {ran:?}");
    assert!(matches!(ran.code, Some(0 | 3 | 4 | 74)), "{context}");
    let mut files = files_below(&repo.root()).into_iter();
    let unfinished = files.find(|path| path.to_string_lossy().contains("afresh-tmp"));
    assert_eq!(unfinished, None, "{context}");
    if matches!(ran.code, Some(3 | 4)) {
        // The fault came back in every thread, until a person was asked.
        repo.afresh(&["resume", "--on-failure", "retry"]).expect(0);
    }
    repo.run(&[]).expect(0);
    expect_landed_once(&repo, 1);
    repo.git(&["fsck", "--strict", "--no-dangling"]);
    ran.code != Some(0)
}

/// R9, F05: a sync that fails is never taken for a success.
#[test]
fn a_failed_sync_stops_the_run_and_the_next_one_completes() {
    if !strace_works() {
        return;
    }
    // All of them belong to the driver's own thread until the first attempt starts.
    let noticed = (1..=16).filter(|number| expect_recovery("fsync,fdatasync", "EIO", *number));
    // SQLite does not report a sync of its log's directory; afresh repeats that one. The list of the user's repositories,
    // with a sync of the file and one of its directory, is only for `afresh runs --all`.
    assert_eq!(noticed.count(), 13);
}

/// R9, F05: a write that fails leaves nothing half-made, also where it goes to a pipe of git's.
#[test]
fn a_failed_write_leaves_nothing_half_made() {
    expect_recovery_everywhere("write", "EIO");
}

/// R9, F05.
#[test]
fn a_failed_write_of_the_journal_leaves_nothing_half_made() {
    expect_recovery_everywhere("pwrite64", "EIO");
}

/// R9, F05.
#[test]
fn a_write_to_a_full_disk_leaves_nothing_half_made() {
    expect_recovery_everywhere("write", "ENOSPC");
}

/// R9, F05.
#[test]
fn a_journal_on_a_full_disk_leaves_nothing_half_made() {
    expect_recovery_everywhere("pwrite64", "ENOSPC");
}

fn expect_recovery_everywhere(calls: &str, error: &str) {
    if strace_works() {
        for number in [1, 2, 3, 4, 5, 7, 11] {
            expect_recovery(calls, error, number);
        }
    }
}
