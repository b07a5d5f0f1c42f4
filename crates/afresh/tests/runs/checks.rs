//! Checks that do not end, or prove nothing, and what they see: B23, EX-11.

use std::path::{Path, PathBuf};

use afresh_testkit::TestRepo;
use afresh_testkit::file_tree::files_below;
use serde_json::Value;

fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

/// One task `T` that writes `a.txt`, with these checks.
fn plan(repo: &TestRepo, checks: &str) {
    repo.plan(&format!(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\"]\nchecks = [{checks}]\n"
    ));
    repo.agent("echo x > a.txt");
}

#[track_caller]
fn run(repo: &TestRepo, code: i32) -> Value {
    let before = repo.untouched();
    repo.run(&["--on-failure", "skip"]).expect(code);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    repo.status()["tasks"][0].clone()
}

/// B23: killed with its process tree, whatever it does to survive; `run` searches for survivors.
#[test]
fn a_check_that_never_ends_is_killed_with_its_tree() {
    let repo = repo();
    repo.config("[run]\nagent = \"mine\"\nattempts = 1\n[checks]\ntimeout = \"1s\"");
    plan(
        &repo,
        "\"trap '' TERM HUP; (sleep 1000 &); { command -v setsid && setsid sleep 1001; } & while :; do sleep 1002; done\"",
    );
    let task = run(&repo, 1);
    let error = task["error"].as_str().expect("an error");
    assert!(error.starts_with("failed:timeout: `trap"), "{error}");
    assert_eq!(repo.landed(), [""; 0]);
}

/// B23: the next task is checked all the same.
#[test]
fn a_check_that_never_ends_does_not_hold_up_the_others() {
    let repo = repo();
    repo.config("[run]\nagent = \"mine\"\nattempts = 1\n[checks]\ntimeout = \"5s\"\nparallel = 1");
    repo.plan(
        "[[task]]\nid = \"stuck\"\ntitle = \"s\"\nfiles = [\"stuck.txt\"]\nchecks = [\"sleep 1000\"]\n\
         [[task]]\nid = \"good\"\ntitle = \"g\"\nfiles = [\"good.txt\"]\nchecks = [\"test -s good.txt\"]\n",
    );
    repo.agent("echo x > $AFRESH_TASK.txt");
    run(&repo, 1);
    assert_eq!(repo.landed(), ["good"]);
    assert_eq!(
        (repo.state_of("stuck").as_str(), repo.state_of("good").as_str()),
        ("skipped", "done")
    );
}

/// EX-11: a check that passes before the work is done proves nothing, although it passes after.
#[test]
fn a_red_first_check_that_is_green_on_the_base_is_refused() {
    let repo = repo();
    plan(&repo, "{ run = \"test -s README.md\", red_first = true }, \"test -s a.txt\"");
    let task = run(&repo, 1);
    let error = task["error"].as_str().expect("an error");
    assert!(error.contains("test -s README.md passes before the work is done"), "{error}");
    assert_eq!(repo.landed(), [""; 0]);
}

/// EX-11.
#[test]
fn a_red_first_check_that_turns_green_counts() {
    let repo = repo();
    plan(&repo, "{ name = \"it is there\", run = \"test -s a.txt\", red_first = true }");
    run(&repo, 0);
    assert_eq!(repo.landed(), ["T"]);
    // The prompt says that it fails now.
    assert!(repo.prompt("T", 1).contains("test -s a.txt  (fails before the work is done)"));
}

/// EX-11: failing on the base is not enough.
#[test]
fn a_red_first_check_that_stays_red_is_a_failure() {
    let repo = repo();
    plan(&repo, "{ run = \"test -s never.txt\", red_first = true }");
    let task = run(&repo, 1);
    assert!(task["error"].as_str().is_some_and(|e| e.contains("ended with exit code 1")), "{task}");
}

/// RE-03: a check sees the tree that would land, and no other files of the worker.
#[test]
fn a_check_does_not_see_what_a_worker_left_beside_its_tree() {
    let repo = repo();
    repo.write(".gitignore", "*.tmp\n");
    repo.commit("ignores");
    plan(&repo, "\"test -e cheat.tmp || test -n \\\"$CHEAT\\\"\"");
    repo.agent("echo x > a.txt; touch cheat.tmp; CHEAT=1; export CHEAT; echo 'CHEAT=1' > .env.tmp");
    run(&repo, 1);
    assert_eq!(repo.landed(), [""; 0]);
}

/// R4: a check cannot change what lands: its own writes are not in the tree that it checked.
#[test]
fn what_a_check_writes_does_not_land() {
    let repo = repo();
    plan(&repo, "\"echo changed > README.md; echo new > new.txt; echo y > a.txt\"");
    run(&repo, 0);
    assert_eq!(repo.on_branch("README.md").as_deref(), Some("hello\n"));
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("x\n"));
    assert_eq!(repo.on_branch("new.txt"), None);
}

/// R15: check output is bounded on disk and in the next prompt.
#[test]
fn a_check_that_prints_without_end_is_bounded() {
    let repo = repo();
    plan(&repo, "\"head -c 50000000 /dev/zero | tr '\\\\0' x; echo THE-END; exit 1\"");
    run(&repo, 1);
    let prompt = repo.prompt("T", 2);
    assert!(prompt.contains("THE-END") && prompt.len() < 20_000, "{} bytes", prompt.len());
    let used = size_of(&repo.state());
    assert!(used < 40_000_000, "the state takes {used} bytes");
}

/// The bytes of all files below a directory.
fn size_of(directory: &Path) -> u64 {
    let size = |path: PathBuf| path.symlink_metadata().map_or(0, |metadata| metadata.len());
    files_below(directory).into_iter().map(size).sum()
}

/// EX-05: a timeout names the limit, not the longer time until the check gave way, and the setting.
#[test]
fn a_check_that_times_out_names_its_limit() {
    let repo = repo();
    repo.config("[checks]\ntimeout = \"1s\"");
    repo.commit("config");
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"trap : TERM; sleep 30; sleep 30\"]\n",
    );
    repo.agent("echo x > a.txt");
    let ran = repo.run(&["--no-input"]).expect(4);
    let text = "`trap : TERM; sleep 30; sleep 30` did not end within 1s (`checks.timeout`)";
    assert!(ran.stderr.contains(text), "{ran:?}");
}

/// HU-08: what was checked on an earlier tree is not said of the final one.
#[test]
fn a_report_says_nothing_of_a_tree_that_was_not_checked() {
    let repo = repo();
    repo.plan_of(2);
    repo.agent("[ $AFRESH_TASK = T001 ] && exit 1; echo x > $AFRESH_TASK.txt");
    repo.run(&["--no-input", "--on-failure", "skip"]).expect(1);
    let report = repo.afresh(&["report"]).expect(0);
    assert!(report.stdout.contains("All checks on the final tree"), "{report:?}");
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.afresh(&["task", "retry", "T001"]).expect(0);
    repo.run(&["--no-input", "--task", "T001"]).expect(0);
    let report = repo.afresh(&["report"]).expect(0);
    assert!(!report.stdout.contains("All checks on the final tree"), "{report:?}");
}
