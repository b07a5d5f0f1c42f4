//! Commands from other terminals, and related cases.

use std::fs;
use std::process::Stdio;

use afresh_testkit::TestRepo;

fn repo() -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo
}

fn plan(name: &str) -> String {
    format!(
        "version = 1\nname = \"{name}\"\n[[task]]\nid = \"{name}\"\ntitle = \"{name}\"\n\
         files = [\"{name}.txt\"]\nchecks = [\"test -s {name}.txt\"]\n"
    )
}

/// R1, ST-04: a halt that was acknowledged while its driver was stuck is carried out by the next driver of that run,
/// also if another run was driven in between; and it counts once.
#[test]
fn an_acknowledged_halt_waits_for_its_run() {
    let repo = repo();
    repo.write("one.plan.toml", &plan("one"));
    repo.write("two.plan.toml", &plan("two"));
    let started = repo.path().join("started");
    repo.agent(&format!(
        "echo x > $AFRESH_TASK.txt; if [ $AFRESH_TASK = one ]; then touch {}; sleep 600; fi",
        started.display()
    ));
    let mut driver = repo.spawn(&["run", "one.plan.toml"]);
    repo.wait_until("the worker runs", || started.exists());
    let pid = i32::try_from(driver.id()).expect("a pid");
    // The driver is stopped, so that there is no answer; the command is on disk all the same.
    let kill = |signal: &str| {
        let status = std::process::Command::new("kill").args([signal, &pid.to_string()]).status();
        assert!(status.expect("kill runs").success());
    };
    // A driver that is stopped while it writes a record keeps the journal busy: then it continues for a moment.
    repo.wait_until("the order is taken", || {
        kill("-STOP");
        let taken = repo.afresh(&["halt", "tea"]).code == Some(0);
        if !taken {
            kill("-CONT");
        }
        taken
    });
    kill("-KILL");
    driver.wait().expect("ended");
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.afresh(&["run", "two.plan.toml"]).expect(0);
    let halted = repo.afresh(&["run", "one.plan.toml"]).expect(3);
    assert!(halted.stderr.contains("tea"), "{}", halted.stderr);
    repo.afresh(&["resume"]).expect(0);
    assert_eq!(repo.landed(), ["one"]);
    repo.expect_no_survivors();
}

/// ST-04: there is nothing to halt in a run that has ended.
#[test]
fn an_ended_run_cannot_be_halted() {
    let repo = repo();
    repo.plan_of(1);
    repo.run(&[]).expect(0);
    let refused = repo.afresh(&["halt"]).expect(1);
    assert!(refused.stderr.contains("has ended"), "{}", refused.stderr);
    repo.run(&[]).expect(0);
}

/// EX-09: an ended run is ended even if its branch is checked out; one with work left reports why it cannot continue.
#[test]
fn a_branch_that_is_checked_out_stops_only_what_would_move_it() {
    let repo = repo();
    repo.plan_of(1);
    repo.commit("the plan");
    repo.run(&[]).expect(0);
    repo.git(&["checkout", "-q", "afresh/test-1"]);
    repo.run(&[]).expect(0);
    repo.plan_of(2);
    // The new task is not in the pinned plan yet, so the problem is found at the landing.
    let halted = repo.run(&[]).expect(3);
    assert!(halted.stderr.contains("is checked out"), "{}", halted.stderr);
    let refused = repo.afresh(&["resume"]).expect(2);
    assert!(refused.stderr.contains("is checked out"), "{}", refused.stderr);
    repo.git(&["checkout", "-q", "main"]);
    repo.plan_of(2);
    repo.afresh(&["resume"]).expect(0);
    assert_eq!(repo.landed().len(), 2);
}

/// R8: a state directory belongs to one repository; another one is refused before anything happens.
#[test]
fn a_state_directory_is_not_shared_by_two_repositories() {
    let (one, two) = (repo(), repo());
    let state = one.path().join("state");
    for test in [&one, &two] {
        test.plan_of(1);
    }
    let run = |test: &TestRepo| {
        let mut command = test.command(&["run", "p.plan.toml"]);
        command.env("AFRESH_STATE", &state).stdin(Stdio::null());
        afresh_testkit::repo::finish(command)
    };
    run(&one).expect(0);
    let refused = run(&two).expect(2);
    assert!(refused.stderr.contains("belongs to another repository"), "{}", refused.stderr);
    run(&one).expect(0);
}

/// With `--json`, wrong usage is JSON too.
#[test]
fn wrong_usage_is_json_where_json_is_wanted() {
    let repo = repo();
    let error = repo.afresh(&["run", "--json", "--bogus"]).expect(2).json()["error"].clone();
    assert_eq!(error["kind"], "usage");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("--bogus")), "{error}");
}

/// A file name cannot move the cursor.
#[test]
fn a_file_name_cannot_speak_to_the_terminal() {
    let repo = repo();
    let name = "\u{1b}]0;title\u{7}a.plan.toml";
    fs::write(repo.root().join(name), "nonsense").expect("written");
    let output = repo.afresh(&["show", "."]).expect(2);
    assert!(
        !output.stderr.contains('\u{1b}') && !output.stderr.contains('\u{7}'),
        "{:?}",
        output.stderr
    );
}

/// HU-01, HU-04: a deferral is recorded although no driver runs, and STATE.md shows the current state.
#[test]
fn what_is_deferred_without_a_driver_is_noted() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.plan_of(1);
    repo.agent(
        "echo OUTPUT_JSON_START; echo '{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"tea?\"}'\n\
         echo OUTPUT_JSON_END",
    );
    let read = |name: &str| std::fs::read_to_string(repo.state().join(name)).unwrap_or_default();
    repo.run(&[]).expect(4);
    assert!(read("STATE.md").contains("tea?"), "{}", read("STATE.md"));
    repo.afresh(&["decide", "Q1", "defer"]).expect(0);
    assert!(read("ISSUES.md").contains("T001: skipped: deferred: tea?"), "{}", read("ISSUES.md"));
    assert!(read("STATE.md").contains("| skipped |"), "{}", read("STATE.md"));
    // A task that could start now waits for a driver, and is not shown as started.
    repo.afresh(&["task", "retry", "T001"]).expect(0);
    assert!(read("STATE.md").contains("| ready |"), "{}", read("STATE.md"));
    repo.afresh(&["task", "skip", "T001"]).expect(0);
}

/// HU-08: `--config` names a file that exists, also for commands that need none of it.
#[test]
fn a_configuration_file_that_is_missing_is_an_error_of_every_command() {
    let repo = repo();
    for command in ["status", "runs", "questions", "report", "halt", "show"] {
        let ran = repo.afresh(&["--config", "nope.toml", command]).expect(2);
        assert!(ran.stderr.contains("cannot read the configuration nope.toml"), "{ran:?}");
    }
}

/// HU-08: a dry run shows the task that `--task` names, and no other; a task that does not exist is refused.
#[test]
fn a_dry_run_of_one_task_shows_only_that_task() {
    let repo = repo();
    repo.plan_of(3);
    let ran = repo.run(&["--dry-run", "--task", "T002"]).expect(0);
    assert!(ran.stdout.contains("T002") && !ran.stdout.contains("T001"), "{ran:?}");
    let document = repo.run(&["--dry-run", "--task", "T002", "--json"]).expect(0).json();
    assert_eq!(document["tasks"].as_array().map(Vec::len), Some(1), "{document}");
    assert_eq!(document["waves"], serde_json::json!([["T002"]]));
    let unknown = repo.run(&["--dry-run", "--task", "Z"]).expect(2);
    assert!(unknown.stderr.contains("the plan has no task \"Z\""), "{unknown:?}");
    assert!(!unknown.stderr.contains("did you mean"), "{unknown:?}");
}
