//! Which tasks start, and when (EX-01, EX-02).

use afresh_core::run::DriveState;
use afresh_core::run::settings::{OnFailure, Schedule, Settings};

use crate::support::{Story, task_id};

fn parallel(parallel: u16) -> Settings {
    Settings { parallel, ..Settings::default() }
}

fn in_waves() -> Settings {
    Settings { parallel: 8, schedule: Schedule::Waves, ..Settings::default() }
}

#[track_caller]
fn at_the_start(plan: &str, settings: Settings) -> Vec<String> {
    let story = Story::with(plan, settings);
    let starts = story.journal.iter().filter_map(|event| match event {
        afresh_core::Event::AttemptStarting { attempt, .. } => Some(attempt.to_string()),
        _ => None,
    });
    starts.collect()
}

/// EX-01.
#[test]
fn no_more_workers_than_allowed() {
    let plan = "A: a\nB: b\nC: c\nD: d";
    assert_eq!(at_the_start(plan, parallel(2)), ["A.1", "B.1"]);
    assert_eq!(at_the_start(plan, parallel(0)), ["A.1"]);
    let mut story = Story::with(plan, parallel(2));
    assert_eq!(story.spawned("A.1").started(), Vec::<String>::new());
    story.ends("A.1");
    // The workspace is free as soon as the work is saved.
    assert_eq!(story.harvested("A.1", &["a"]).started(), ["C.1"]);
}

/// EX-01: not while the other is checked or merged either, or the merge would conflict.
#[test]
fn tasks_of_one_file_never_run_at_once() {
    let mut story = Story::of_plan("A: shared.txt\nB: shared.txt\nC: src/*.rs\nD: src/d.rs");
    assert_eq!(story.states(), "A ready, B ready, C ready, D ready");
    assert!(story.run.state_of(&task_id("B")).is_some_and(|b| b.retries.last_number == 0));
    story.spawned("A.1");
    story.passes_alone("A.1");
    story.built("A.1");
    assert_eq!(story.states(), "A merging, B ready, C ready, D ready");
    let landed = story.moved("A.1", afresh_core::input::BranchMove::Done);
    assert_eq!(landed.started(), ["B.1"]);
    assert_eq!(story.lands("C.1").started(), ["D.1"]);
}

/// EX-01, EX-04: a task without a file list may write anything, so it runs alone.
#[test]
fn a_task_without_files_runs_alone_unless_configured() {
    assert_eq!(at_the_start("A: a\nB:\nC: c", parallel(3)), ["A.1", "C.1"]);
    assert_eq!(at_the_start("B:\nA: a", parallel(3)), ["B.1"]);
    let beside = Settings { unlisted_beside_others: true, ..Settings::default() };
    assert_eq!(at_the_start("A: a\nB:\nC: c", beside), ["A.1", "B.1", "C.1"]);
}

/// EX-02.
#[test]
fn the_longest_remaining_path_goes_first() {
    let plan = "short: s\nlong: l\nnext < long: n\nlast < next: z\nmiddle: m\nafter < middle: f";
    assert_eq!(at_the_start(plan, parallel(1)), ["long.1"]);
    assert_eq!(at_the_start(plan, parallel(2)), ["long.1", "middle.1"]);
}

/// EX-02: a task starts the moment its own dependencies are merged.
#[test]
fn eager_does_not_wait_for_other_tasks() {
    let mut story = Story::of_plan("A: a\nB: b\nC < A: c");
    assert_eq!(story.lands("A.1").started(), ["C.1"]);
}

/// EX-02: a barrier between waves.
#[test]
fn waves_wait_for_everything_before() {
    let mut story = Story::with("A: a\nB: b\nC < A: c", in_waves());
    assert_eq!(story.lands("A.1").started(), Vec::<String>::new());
    assert_eq!(story.lands("B.1").started(), ["C.1"]);
}

/// EX-02: a task that was given up no longer blocks the next wave; one that waits for a person does.
#[test]
fn a_wave_is_settled_when_nothing_of_it_can_move() {
    let mut story = Story::with("A: a\nB: b\nC < A: c", Settings { attempts: 1, ..in_waves() });
    story.lands("A.1");
    story.spawned("B.1");
    story.ends("B.1");
    assert_eq!(story.harvested("B.1", &[]).started(), Vec::<String>::new());
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
    assert_eq!(story.answer(1, "skip").started(), ["C.1"]);
}

/// EX-02, EX-09: if only one task is to run, the others of its plan do not block it.
#[test]
fn waves_and_a_single_task_go_together() {
    let mut story = Story::with("A: a\nB: b\nC < A: c", in_waves());
    story.lands("A.1");
    story.spawned("B.1");
    story.halt(true);
    let only = Settings { only: Some(task_id("C")), ..in_waves() };
    story.ends_with(
        "B.1",
        afresh_core::process::ProcessEnd::Stopped,
        afresh_core::outcome::Outcome::Silent,
    );
    story.harvested("B.1", &[]);
    let opening = afresh_core::input::RunOpening {
        settings: Some(only),
        clear_halt: true,
        ..afresh_core::input::RunOpening::default()
    };
    assert_eq!(story.open_with(opening).started(), ["C.1"]);
}

/// EX-06: blocking is transitive and names every cause; the rest continues.
#[test]
fn what_depends_on_a_failure_is_blocked_with_its_causes() {
    let settings =
        Settings { parallel: 8, attempts: 1, on_failure: OnFailure::Skip, ..Settings::default() };
    let mut story = Story::with("A: a\nB: b\nC < A: c\nD < C B: d\nE: e", settings);
    story.dies("A.1");
    story.dies("B.1");
    assert_eq!(story.states(), "A skipped, B skipped, C blocked, D blocked, E ready");
    assert_eq!(story.error_of("C"), "blocked: A skipped");
    assert_eq!(story.error_of("D"), "blocked: A skipped, B skipped");
    story.lands("E.1");
    story.retry("A");
    assert_eq!(story.states(), "A ready, B skipped, C pending, D blocked, E done");
    assert_eq!(story.lands("A.2").started(), ["C.1"]);
}
