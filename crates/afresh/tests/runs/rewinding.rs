//! Continuing an interrupted wave, through the whole program: ST-05.

use crate::support::terminal::Terminal;
use crate::support::{Driver, Gate, repo, run_section, salvaged};
use afresh_testkit::TestRepo;

const PLAN: &str = r#"
[[task]]
id = "A"
title = "first"
files = ["A.txt"]
checks = ["test -s A.txt"]
[[task]]
id = "B"
title = "second"
needs = ["A"]
files = ["B.txt"]
checks = ["test -s B.txt"]
[[task]]
id = "C"
title = "third"
needs = ["A"]
files = ["C.txt"]
checks = ["test -s C.txt"]
"#;

/// A and B land, C fails for as long as the gate is closed.
fn interrupted() -> (TestRepo, Gate) {
    let repo = repo();
    repo.plan(PLAN);
    repo.config(&run_section("attempts = 1\nparallel = 1\nschedule = \"waves\""));
    let gate = Gate::new(&repo, "go");
    repo.agent(&format!(
        "if [ $AFRESH_TASK = C ]; then {} || exit 1; fi\necho $AFRESH_ATTEMPT > $AFRESH_TASK.txt",
        gate.is_open_in_script()
    ));
    repo.run(&["--on-failure", "skip"]).expect(1);
    assert_eq!(repo.landed(), ["A", "B"]);
    gate.open();
    (repo, gate)
}

/// ST-05.
#[test]
fn only_what_failed_is_tried_again() {
    let (repo, _) = interrupted();
    let before = repo.untouched();
    let slip = repo.afresh(&["resume", "failed"]).expect(2);
    assert!(slip.stderr.contains("`afresh run --resume failed` says"), "{slip:?}");
    repo.run(&["--resume", "failed"]).expect(0);
    repo.untouched().expect_same_as(&before);
    assert_eq!(repo.landed(), ["A", "B", "C"]);
    assert_eq!(repo.on_branch("B.txt").as_deref(), Some("1\n"));
}

/// ST-05, R16: the branch moves back to before the wave, and its old commits are kept.
#[test]
fn the_whole_wave_is_done_again_and_the_old_tip_is_kept() {
    let (repo, _) = interrupted();
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let old = repo.git(&["rev-parse", &branch]);
    let before = repo.untouched();
    let ran = repo.run(&["--resume", "wave"]).expect(0);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    assert!(ran.stderr.contains("the branch is back at"), "{}", ran.stderr);
    let mut landed = repo.landed();
    landed.sort();
    assert_eq!(landed, ["A", "B", "C"]);
    assert_eq!(repo.on_branch("A.txt").as_deref(), Some("1\n"));
    assert_eq!(repo.on_branch("B.txt").as_deref(), Some("2\n"));
    let salvage = salvaged(&repo);
    let rewound = salvage.iter().find(|name| name.contains("/rewound-")).expect("the old tip");
    assert_eq!(repo.git(&["rev-parse", rewound]), old);
}

/// ST-05.
#[test]
fn a_run_can_be_given_up() {
    let (repo, _) = interrupted();
    repo.run(&["--resume", "abort"]).expect(1);
    assert_eq!(repo.status()["state"], "failed");
    assert_eq!(repo.landed(), ["A", "B"]);
    // Running again revokes the abort.
    repo.run(&["--resume", "failed"]).expect(0);
}

/// ST-05: in a terminal the options are offered; Enter continues as usual.
#[test]
fn the_ways_are_offered_in_a_terminal() {
    let (repo, _) = interrupted();
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("wave 2 was interrupted: 1 done, 1 failed, 0 cut off");
    terminal.keys("nonsense\n");
    terminal.keys("2\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
    assert_eq!(repo.on_branch("B.txt").as_deref(), Some("2\n"));
}

/// ST-05: if everything is done, there is nothing to do again.
#[test]
fn a_finished_run_stays_as_it_is() {
    let (repo, _) = interrupted();
    repo.run(&["--resume", "failed"]).expect(0);
    let ran = repo.run(&["--resume", "wave"]).expect(0);
    assert!(ran.stderr.contains("no wave was interrupted"), "{}", ran.stderr);
    assert_eq!(repo.landed(), ["A", "B", "C"]);
}

/// BE-10, R16: without a running process the branch moves at once; the old tip stays and is named; the work is done
/// again when the run continues.
#[test]
fn a_finished_run_goes_back_to_before_a_task() {
    let (repo, _) = interrupted();
    repo.run(&["--resume", "failed"]).expect(0);
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let old = repo.git(&["rev-parse", &branch]);
    let before = repo.untouched();

    let planned = repo.afresh(&["rewind", "B", "--dry-run"]).expect(0);
    assert!(planned.stderr.contains("to be done again: B, C"), "{}", planned.stderr);
    assert_eq!(repo.git(&["rev-parse", &branch]), old);

    let answer = repo.afresh(&["rewind", "B", "--json"]).expect(0).json();
    assert_eq!(answer["undone"], serde_json::json!(["B", "C"]));
    assert_eq!((&answer["moved"], answer["kept"].as_str()), (&true.into(), Some(old.as_str())));
    assert_eq!(repo.landed(), ["A"]);
    assert!(salvaged(&repo).iter().any(|name| repo.git(&["rev-parse", name]) == old));
    repo.untouched().expect_same_as(&before);

    repo.afresh(&["resume"]).expect(0);
    assert_eq!(repo.landed(), ["A", "B", "C"]);
    assert_eq!(repo.on_branch("B.txt").as_deref(), Some("2\n"));

    repo.afresh(&["rewind", "base"]).expect(0);
    assert!(repo.landed().is_empty());
    let refused = repo.afresh(&["rewind", "A"]).expect(1);
    assert!(refused.stderr.contains("A has not been merged"), "{}", refused.stderr);
    let unknown = repo.afresh(&["rewind", "Z"]).expect(2);
    assert!(unknown.stderr.contains("a wave's number"), "{}", unknown.stderr);
}

/// BE-10, R3: while the run is driven, its workers are stopped, their work is saved, and the same process continues
/// from the earlier commit. A branch that a person has checked out stays where it is.
#[test]
fn a_driven_run_goes_back_and_continues() {
    let repo = repo();
    repo.plan(PLAN);
    repo.config(&run_section("parallel = 2"));
    let (working, go) = (Gate::new(&repo, "working"), Gate::new(&repo, "go"));
    repo.agent(&format!(
        "echo $AFRESH_ATTEMPT > $AFRESH_TASK.txt\n\
         [ $AFRESH_TASK = A ] || {{ {}; {}; }}",
        working.opened_by_worker(),
        go.wait()
    ));
    let run = Driver::run(&repo, &[]);
    repo.wait_until("a worker builds on A", || working.is_open());
    let asked = repo.afresh(&["rewind", "A"]).expect(0);
    assert!(asked.stderr.contains("to be done again: A"), "{}", asked.stderr);
    repo.wait_until("A is done again", || repo.on_branch("A.txt").as_deref() == Some("2\n"));
    go.open();
    run.end().expect(0);
    assert_eq!(repo.on_branch("A.txt").as_deref(), Some("2\n"));
    assert_eq!(repo.landed().len(), 3);
    let salvage = salvaged(&repo);
    assert!(salvage.iter().any(|name| name.contains("/rewound-")), "{salvage:?}");
    repo.expect_no_survivors();

    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let tip = repo.git(&["rev-parse", &branch]);
    repo.git(&["worktree", "add", "-q", "../looking", &branch]);
    let refused = repo.afresh(&["rewind", "base"]).expect(1);
    assert!(refused.stderr.contains("is checked out in"), "{}", refused.stderr);
    assert_eq!(repo.git(&["rev-parse", &branch]), tip);
}

/// HU-08, BE-10: a task is done again; if others go back with it, a person has to agree, and nothing changes before.
#[test]
fn a_task_is_done_again_by_name() {
    let (repo, _) = interrupted();
    repo.run(&["--resume", "failed"]).expect(0);
    let before = repo.git(&["rev-parse", "afresh/test-1"]);
    let refused = repo.afresh(&["task", "redo", "B"]).expect(1);
    assert!(
        refused.stderr.contains("B was merged before C, which would be done again"),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("task redo B --yes"), "{refused:?}");
    assert_eq!(repo.git(&["rev-parse", "afresh/test-1"]), before);
    // C was merged last.
    let json = repo.afresh(&["task", "redo", "C", "--json"]).expect(0).json();
    assert_eq!(json["undone"], serde_json::json!(["C"]), "{json}");
    let again = repo.afresh(&["task", "redo", "C"]).expect(1);
    assert!(again.stderr.contains("C has not been merged"), "{again:?}");
    repo.run(&[]).expect(0);
    repo.afresh(&["task", "redo", "B", "--yes"]).expect(0);
    repo.run(&[]).expect(0);
    let mut landed = repo.landed();
    landed.sort();
    assert_eq!(landed, ["A", "B", "C"]);
    assert_eq!(repo.on_branch("C.txt").as_deref(), Some("4\n"));
}

/// BE-10: a new run starts with what another one merged up to a task; both can be continued, and neither changes the
/// other or the user's checkout.
#[test]
fn a_fork_starts_from_an_earlier_merge() {
    let (repo, _) = interrupted();
    repo.run(&["--resume", "failed"]).expect(0);
    let before = repo.untouched();
    let old = repo.git(&["rev-parse", "afresh/test-1"]);
    let forked = repo.afresh(&["fork", "--at", "A", "--json"]).expect(0).json();
    assert_eq!(forked["run"], "test-2", "{forked}");
    let lists = (&forked["done"], &forked["left"]);
    assert_eq!(lists, (&serde_json::json!(["A"]), &serde_json::json!(["B", "C"])), "{forked}");
    let status = repo.status();
    assert_eq!((&status["run"], &status["counts"]["done"]), (&"test-2".into(), &1.into()));
    assert!(!status["tasks"][0]["receipt"].is_null(), "{status}");
    let details = repo.afresh(&["task", "show", "A", "--json"]).expect(0).json();
    assert_eq!(details["checks"][0]["last"]["passed"], true, "{details}");
    repo.afresh(&["resume"]).expect(0);
    repo.untouched().expect_same_as(&before);
    let commits =
        |branch: &str| repo.git(&["rev-list", "--first-parent", "--count", branch, "^main"]);
    assert_eq!((commits("afresh/test-2"), commits("afresh/test-1")), ("3".into(), "3".into()));
    assert_eq!(repo.git(&["rev-parse", "afresh/test-1"]), old);
    assert_eq!(
        repo.git(&["merge-base", "afresh/test-1", "afresh/test-2"]),
        forked["at"].as_str().expect("a commit")
    );
    repo.afresh(&["verify-run", "afresh/test-2"]).expect(0);
    let refused = repo.afresh(&["fork", "--at", "2"]).expect(2);
    assert!(refused.stderr.contains("neither a task nor a commit"), "{refused:?}");
}
