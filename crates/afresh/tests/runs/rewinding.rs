//! Continuing an interrupted wave, through the whole program: ST-05.

use crate::support::terminal::Terminal;
use crate::support::{Gate, repo, run_section, salvaged};
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
