//! Halting and resuming (ST-04, R7, F18).

use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::input::{BranchMove, RunOpening};
use afresh_core::outcome::Outcome;
use afresh_core::process::ProcessEnd;
use afresh_core::run::DriveState;
use afresh_core::run::settings::Settings;

use afresh_core::Input;

use crate::support::{Story, attempt_id, tree};

const THREE: &str = "A: a\nB: b\nC < A: c";

/// R7: after the first request nothing starts; work that ends meanwhile is checked and merged.
#[test]
fn a_graceful_halt_lets_attempts_finish_and_land() {
    let mut story = Story::of_plan(THREE);
    assert_eq!(story.halt(false).lines(), ["halt gently by person"]);
    assert_eq!(story.lands("A.1").started(), Vec::<String>::new());
    assert_eq!(story.run.drive_state(story.now), DriveState::Busy);
    story.dies("B.1");
    assert_eq!(story.run.drive_state(story.now), DriveState::Halted);
    story.wait(60).changes_nothing();
    assert_eq!(story.states(), "A done, B ready, C ready");
    assert_eq!(story.clear().started(), ["B.2", "C.1"]);
}

/// R7: the second request, or `now`, ends everything.
#[test]
fn a_second_halt_ends_workers_and_checks() {
    let mut story = Story::of_plan(THREE);
    story.spawned("A.1");
    story.halt(false);
    assert_eq!(
        story.halt(false).lines(),
        ["halt now by person", "→ stop A.1 within 5s", "→ stop B.1 within 5s", "→ stop checks"]
    );
    story.halt(true).changes_nothing();
    let mut abrupt = Story::of_plan(THREE);
    assert_eq!(abrupt.halt(true).lines()[0], "halt now by person");
}

/// R7: an attempt that ended just before it was stopped is saved, but its checks wait.
#[test]
fn after_the_second_halt_no_checks_start() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.halt(true);
    story.ends("A.1");
    assert_eq!(
        story.harvested("A.1", &["a"]).lines(),
        ["harvested A.1: 1 changes", "accepted A.1", "checks stopped A.1 Alone"]
    );
    assert_eq!(story.run.drive_state(story.now), DriveState::Halted);
    // Nor after a restart that does not clear the halt.
    assert_eq!(story.open().effects(), Vec::<String>::new());
    assert_eq!(
        story.clear().lines(),
        ["halt cleared", "checks resumed A.1", "→ check Alone tree A.1: test A"]
    );
}

/// R7, F18: checks that were stopped run again when the run resumes; so does a stopped merge.
#[test]
fn checks_of_a_merge_that_a_halt_stopped_run_again() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.lands("A.1");
    story.passes_alone("B.1");
    story.built("B.1");
    story.halt(true);
    let stopped = story.report("B.1", CheckPhase::Merged, tree("mB.1"), CheckOutcome::Stopped);
    assert_eq!(stopped.lines(), ["postponed B.1: the checks were stopped", "→ drop batch 2"]);
    assert_eq!(story.run.drive_state(story.now), DriveState::Halted);
    assert_eq!(story.clear().effects(), ["→ build B.1 onto mA.1"]);
    // A report of the stopped round may arrive after the halt was cleared.
    let late = story.report("B.1", CheckPhase::Merged, tree("mB.1"), CheckOutcome::Stopped);
    assert_eq!(late.effects(), Vec::<String>::new());
    assert_eq!(story.built("B.1").effects(), ["→ check Merged tree mB.1: test B"]);
}

/// A branch that cannot be moved halts the run; the intent stands and is carried out later.
#[test]
fn a_branch_that_is_locked_halts_and_is_retried() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.passes_alone("A.1");
    story.built("A.1");
    let locked = || BranchMove::Trouble("locked".to_owned());
    assert_eq!(
        story.moved("A.1", locked()).lines(),
        ["landing delayed A.1: locked", "halt gently by afresh"]
    );
    assert_eq!(story.clear().effects(), ["→ move A.1 from base to mA.1"]);
    story.moved("A.1", locked());
    let opened = story.open_with(RunOpening { clear_halt: true, ..RunOpening::default() });
    assert!(opened.effects().contains(&"→ move A.1 from base to mA.1".to_owned()), "{opened:?}");
    assert_eq!(story.moved("A.1", BranchMove::Done).lines()[0], "merged A.1");
}

/// A halt by afresh itself never turns a graceful halt into an immediate one.
#[test]
fn afresh_itself_never_halts_abruptly() {
    let settings = Settings {
        timeout_action: afresh_core::run::settings::TimeoutAction::Fail,
        ..Settings::default()
    };
    let mut story = Story::with("A: a\nB: b\nC: c", settings);
    for (attempt, lines) in [("A.1", 3), ("B.1", 2)] {
        story.ends_with(attempt, ProcessEnd::TimedOut, Outcome::Silent);
        let step = story.harvested(attempt, &[]);
        assert_eq!(step.lines().len(), lines, "{step:?}");
    }
    assert_eq!(story.run.halt().map(|halt| halt.now), Some(false));
}

/// ST-04: without a halt there is nothing to clear; a halted run stays halted after a restart.
#[test]
fn a_halt_lasts_until_it_is_cleared() {
    let mut story = Story::of_plan("A: a");
    assert_eq!(story.clear().refusal(), "the run is not halted");
    story.halt(false);
    story.dies("A.1");
    assert_eq!(story.open().started(), Vec::<String>::new());
    assert_eq!(story.run.drive_state(story.now), DriveState::Halted);
    story.now = story.now + std::time::Duration::from_secs(10);
    let opened = story.open_with(RunOpening { clear_halt: true, ..RunOpening::default() });
    assert_eq!(opened.started(), ["A.2"]);
}

/// EX-14, D10: a full disk halts the run once; nothing is held against the tasks, and they start again afterwards.
#[test]
fn a_full_disk_halts_the_run_and_counts_against_no_task() {
    let mut story = Story::of_plan(THREE);
    story.spawned("B.1");
    let full = Input::DiskFull("/cache".to_owned());
    assert_eq!(story.feed(&full).lines(), ["halt gently by afresh"]);
    story.spawn_fails("A.1");
    story.feed(&full).changes_nothing();
    story.ends("B.1");
    story.feed(&Input::Harvested(attempt_id("B.1"), Err("no space".to_owned())));
    assert_eq!(story.run.drive_state(story.now), DriveState::Halted);
    // More often than a task may fail.
    for _ in 0..5 {
        let started = story.clear().started();
        assert_eq!(started.len(), 2, "{started:?}");
        story.feed(&full);
        for attempt in &started {
            story.spawn_fails(attempt);
        }
    }
    assert_eq!(story.states(), "A ready, B ready, C pending");
    assert!(story.status().questions.is_empty(), "it is one cause, and no question");
    assert!(story.run.is_stopped_by_disk());
}
