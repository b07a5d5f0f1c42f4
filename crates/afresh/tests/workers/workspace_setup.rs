//! Set-up commands: what they create exists for every worker and every check, and a halt that comes meanwhile does not
//! count as their failure (R7, ST-04).

use std::fs;

use crate::support::{Driver, Gate, expect_landed_once, repo, run_section};
use afresh_testkit::TestRepo;

/// Workers and checks that need what the set-up creates, one after the other in one workspace.
fn repo_with_setup(setup: &str, keep: &str) -> TestRepo {
    let repo = repo();
    repo.config(&format!(
        "{}[workspace]\nsetup = [{setup:?}]\nkeep = [{keep}]\n[checks]\nalways = [\"test -e deps/made\"]\nparallel = 1\n",
        run_section("parallel = 1\nattempts = 1\nhalt_grace = \"1s\"")
    ));
    repo.write(".gitignore", "deps/\n");
    repo.commit("config");
    repo.plan_of(3);
    repo.agent("test -e deps/made && echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo
}

fn times(repo: &TestRepo, workspace: &str) -> usize {
    let log = fs::read_to_string(repo.path().join("set-ups")).unwrap_or_default();
    log.lines().filter(|line| line.contains(workspace)).count()
}

/// Creates the needed file, and adds a line to a log.
fn counted() -> String {
    // The temporary directory of the test is four levels above the checkout in its workspace.
    "mkdir deps && : > deps/made && pwd >> ../../../../set-ups".to_owned()
}

/// What a set-up created does not survive a clean checkout, so it runs for every attempt and check.
#[test]
fn without_kept_paths_every_attempt_and_check_is_set_up() {
    let repo = repo_with_setup(&counted(), "");
    repo.run(&["--on-failure", "skip"]).expect(0);
    expect_landed_once(&repo, 3);
    assert_eq!(times(&repo, "/work-1/"), 3);
    assert!(times(&repo, "/check-1/") > 3, "{}", times(&repo, "/check-1/"));
}

/// Kept paths are set up once, and again when the workspace itself is gone.
#[test]
fn with_kept_paths_a_workspace_is_set_up_once() {
    let repo = repo_with_setup(&counted(), "\"deps/\"");
    repo.run(&["--on-failure", "skip"]).expect(0);
    expect_landed_once(&repo, 3);
    assert_eq!((times(&repo, "/work-1/"), times(&repo, "/check-1/")), (1, 1));
    // The user may delete the workspaces.
    for pool in fs::read_dir(repo.cache()).expect("a directory").flatten() {
        for slot in ["work-1", "check-1"] {
            let _ = fs::remove_dir_all(pool.path().join(slot));
        }
    }
    repo.plan_of(4);
    repo.run(&["--on-failure", "skip"]).expect(0);
    expect_landed_once(&repo, 4);
    assert_eq!((times(&repo, "/work-1/"), times(&repo, "/check-1/")), (2, 2));
}

/// R12: a set-up that was interrupted by kill -9 is repeated, though an earlier one was complete.
#[test]
fn a_set_up_that_was_cut_short_is_done_again() {
    let repo = repo();
    let (up, go) = (Gate::new(&repo, "up"), Gate::new(&repo, "go"));
    // The first set-up of another manifest damages the existing files, and is killed then.
    let setup = format!(
        "rm -rf deps; if [ -e package.json ] && ! {}; then {}; {}; fi; mkdir deps; : > deps/made",
        go.is_open_in_script(),
        up.opened_by_worker(),
        go.wait()
    );
    repo.config(&format!(
        "{}[workspace]\nsetup = [{setup:?}]\nkeep = [\"deps/\"]\n",
        run_section("parallel = 1\nattempts = 1")
    ));
    repo.write(".gitignore", "deps/\n");
    repo.commit("config");
    repo.agent(
        "test -e deps/made && echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt\n\
         case $AFRESH_TASK in T001) echo '{}' > package.json;; T002) rm package.json;; esac",
    );
    repo.plan(
        "[[task]]\nid = \"T001\"\ntitle = \"1\"\nfiles = [\"T001.txt\", \"package.json\"]\nno_check = \"seen by the next\"\n\
         [[task]]\nid = \"T002\"\ntitle = \"2\"\nneeds = [\"T001\"]\nfiles = [\"T002.txt\", \"package.json\"]\nno_check = \"as above\"\n",
    );
    let driver = Driver::run(&repo, &["--on-failure", "skip"]);
    repo.wait_until("the second set-up has begun", || up.is_open());
    driver.kill_9();
    // A worker that was left alone must not finish before it is ended.
    repo.expect_no_survivors();
    go.open();
    // Another plan uses the workspace for the commit for which the first set-up was complete.
    repo.write(
        "q.plan.toml",
        "version = 1\nname = \"q\"\n[[task]]\nid = \"T003\"\ntitle = \"3\"\nfiles = [\"T003.txt\"]\nno_check = \"as above\"\n",
    );
    repo.afresh(&["run", "q.plan.toml", "--on-failure", "skip"]).expect(0);
    repo.run(&["--on-failure", "skip"]).expect(0);
    expect_landed_once(&repo, 2);
}

/// Halts while a set-up runs in a workspace of this kind, and resumes.
fn halt_during_set_up(place: &str) -> TestRepo {
    let repo = repo();
    let (up, go) = (Gate::new(&repo, "up"), Gate::new(&repo, "go"));
    let setup = format!(
        "case $PWD in */{place}-*) {}; trap '' TERM; {};; esac",
        up.opened_by_worker(),
        go.wait()
    );
    repo.config(&format!(
        "{}[workspace]\nsetup = [{setup:?}]\n",
        run_section("attempts = 1\nhalt_grace = \"1s\"")
    ));
    repo.commit("config");
    repo.plan_of(1);
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("the set-up runs", || up.is_open());
    repo.afresh(&["halt", "--now", "fire"]).expect(0);
    let halted = driver.end().expect(3);
    assert!(!halted.stderr.contains("set-up command"), "{}", halted.stderr);
    let status = repo.status();
    assert_eq!(status["halt"]["reason"], "fire", "{status}");
    let error = status["tasks"][0]["error"].as_str().unwrap_or("ended by afresh");
    assert!(error.starts_with("ended by afresh"), "{status}");
    assert_eq!(status["questions"], serde_json::json!([]), "{status}");
    repo.expect_no_survivors();
    go.open();
    repo.afresh(&["resume"]).expect(0);
    expect_landed_once(&repo, 1);
    repo
}

/// R7, F18: the attempt is stopped, and can still be started.
#[test]
fn a_halt_during_the_set_up_for_a_worker_is_no_failure() {
    let repo = halt_during_set_up("work");
    let log = fs::read_to_string(repo.state().join("activity.log")).expect("text");
    assert!(!log.contains("could not be started") && !log.contains("spawn-failed"), "{log}");
}

/// R7, F18: the checks are stopped, and run after the halt; no worker starts again.
#[test]
fn a_halt_during_the_set_up_for_checks_is_no_failure() {
    let repo = halt_during_set_up("check");
    assert_eq!(repo.status()["tasks"][0]["attempts"], 1);
}

/// EX-05: files that a set-up creates are not the worker's work, unless its task lists them.
#[test]
fn what_a_set_up_creates_is_not_the_workers_work() {
    let make = "mkdir -p x.egg-info 'a b'; echo 1 > x.egg-info/PKG-INFO; echo 1 > 'a b/[c]'; echo 1 > lock";
    for keep in ["", "\"deps/\""] {
        let repo = repo_with_setup(&format!("mkdir -p deps; : > deps/made; {make}"), keep);
        repo.plan(
            "[[task]]\nid = \"T001\"\ntitle = \"one\"\nfiles = [\"T001.txt\"]\n\
             [[task]]\nid = \"T002\"\ntitle = \"two\"\nneeds = [\"T001\"]\nfiles = [\"T002.txt\", \"lock\"]\n",
        );
        repo.agent(
            "echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt; [ $AFRESH_TASK = T001 ] || echo 2 > lock",
        );
        repo.run(&["--no-input"]).expect(0);
        assert_eq!(repo.on_branch("lock").as_deref().map(str::trim), Some("2"), "{keep}");
        let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
        let files = repo.git(&["ls-tree", "-r", "--name-only", &branch]);
        assert!(!files.contains("egg-info") && !files.contains("[c]"), "{keep}: {files}");
        repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt; echo new > other.txt");
        repo.run(&["--new", "--no-input"]).expect(4);
    }
}

/// EX-14: a set-up that failed before any worker is asked about at the first one, with the error and not with the help
/// that follows it.
#[test]
fn a_set_up_that_failed_before_any_worker_is_asked_about_at_once() {
    let repo = repo();
    let setup = "echo npm error no lock file; for n in $(seq 30); do printf 'npm option %0400d\\n' $n; done; exit 1";
    repo.config(&format!(
        "{}[workspace]\nsetup = [{setup:?}]\n",
        run_section("parallel = 1\nattempts = 3")
    ));
    repo.commit("config");
    repo.plan_of(2);
    repo.agent("echo x > $AFRESH_TASK.txt");
    let ran = repo.run(&["--no-input"]).expect(4);
    let status = repo.status();
    let attempts: Vec<_> =
        status["tasks"].as_array().expect("tasks").iter().map(|task| &task["attempts"]).collect();
    assert_eq!(attempts, [1, 0], "{}", ran.stderr);
    let text = status["questions"][0]["text"].as_str().expect("a question");
    assert!(text.contains("\nnpm error no lock file\n") && text.contains("00030\n"), "{text}");
}

/// D7: a set-up that takes long is mentioned while it runs: no worker has started, so nothing else is shown.
#[test]
fn a_long_set_up_is_mentioned() {
    let repo = repo();
    let gate = Gate::new(&repo, "gate");
    let wait = format!("case $PWD in */work-*) {} ;; esac", gate.wait());
    repo.config(&format!("{}[workspace]\nsetup = [{wait:?}]\n", run_section("parallel = 1")));
    repo.plan_of(1);
    repo.agent("echo x > T001.txt");
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr("set-up T001.1 for ");
    gate.open();
    driver.end().expect(0);
}
