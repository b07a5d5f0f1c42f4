//! Continuing an interrupted wave: ST-05.

use afresh_core::Input;
use afresh_core::input::{BranchMove, ResumeMode, RunOpening};
use afresh_core::settings::{OnFailure, Schedule, Settings};
use insta::assert_snapshot;

use crate::support::{Story, StoryStep, commit};

/// Two waves: A and B, then C, D and E. A, B and C have landed; D failed; E has not started.
fn interrupted() -> Story {
    let settings = Settings {
        schedule: Schedule::Waves,
        attempts: 1,
        on_failure: OnFailure::Skip,
        parallel: 1,
        ..Settings::default()
    };
    let mut story = Story::with("A: a\nB: b\nC < A: c\nD < A: d\nE < B: e", settings);
    for attempt in ["A.1", "B.1", "C.1"] {
        story.lands(attempt);
    }
    story.spawned("D.1");
    story.dies("D.1");
    story.spawned("E.1");
    assert_eq!(story.states(), "A done, B done, C done, D skipped, E running");
    story
}

fn taken_up(story: &mut Story, how: ResumeMode) -> StoryStep {
    story.open_with(RunOpening { resume: Some(how), ..RunOpening::default() })
}

fn is_back(story: &mut Story, to: &str, moved: BranchMove) -> StoryStep {
    story.feed(&Input::MovedBack(commit(to), moved))
}

/// ST-05: failed tasks are retried, and no others.
#[test]
fn only_failed_tasks_are_retried() {
    let mut story = interrupted();
    assert_snapshot!(taken_up(&mut story, ResumeMode::Failed).text(), @"
    opened 2
    ended E.1 Lost
    retried D
    → harvest E.1 in 1
    ");
    story.harvested("E.1", &[]);
    assert_eq!(story.states(), "A done, B done, C done, D ready, E ready");
}

/// ST-05: the branch moves back to before the wave; the executor keeps its old commits.
#[test]
fn the_whole_wave_is_done_again() {
    let mut story = interrupted();
    assert_snapshot!(taken_up(&mut story, ResumeMode::Wave).text(), @"
    opened 2
    ended E.1 Lost
    rewind to before wave 2
    → harvest E.1 in 1
    ");
    // Running work is saved first.
    assert_snapshot!(story.harvested("E.1", &[]).text(), @"
    harvested E.1: 0 changes
    rejected E.1 (does not count): was running when afresh ended
    retried D
    going back from mC.1 to mB.1
    → move back from mC.1 to mB.1
    ");
    assert_snapshot!(is_back(&mut story, "mB.1", BranchMove::Done).text(), @"
    back at mB.1
    starting C.2 in 1
    → start C.2 in 1 from mB.1
    ");
    assert_eq!(story.states(), "A done, B done, C ready, D ready, E ready");
    // Numbers are never reused.
    for attempt in ["C.2", "D.2", "E.2"] {
        story.lands(attempt);
    }
    assert_eq!(story.states(), "A done, B done, C done, D done, E done");
}

/// R12: if a driver dies while the branch moves back, the next one completes the move.
#[test]
fn the_next_driver_completes_a_rewind() {
    let mut story = interrupted();
    taken_up(&mut story, ResumeMode::Wave);
    story.harvested("E.1", &[]);
    assert_snapshot!(story.open().text(), @"
    opened 3
    → move back from mC.1 to mB.1
    ");
    is_back(&mut story, "mB.1", BranchMove::Done);
    is_back(&mut story, "mB.1", BranchMove::Done).changes_nothing();
    assert_eq!(story.run.tip(), &commit("mB.1"));
}

/// ST-05, R3: a branch that another program moved stays where it is.
#[test]
fn a_branch_that_cannot_go_back_halts_the_run() {
    let mut story = interrupted();
    taken_up(&mut story, ResumeMode::Wave);
    story.harvested("E.1", &[]);
    assert_snapshot!(is_back(&mut story, "mB.1", BranchMove::Foreign(commit("other"))).text(), @"
    not back: it was moved to 6f74686572000000000000000000000000000000, not by afresh
    halt gently by afresh
    ");
    assert_eq!(story.run.tip(), &commit("mC.1"));
}

/// ST-05.
#[test]
fn abort_saves_what_runs_and_ends_the_run() {
    let mut story = interrupted();
    taken_up(&mut story, ResumeMode::Abort);
    assert_snapshot!(story.harvested("E.1", &["e"]).text(), @"
    harvested E.1: 1 changes
    interrupted E.1
    rejected E.1 (does not count): was running when afresh ended
    ");
    assert!(!story.run.is_underway());
}

/// ST-05: a run in which everything is done has no interrupted wave.
#[test]
fn nothing_is_undone_where_everything_is_done() {
    let mut story = Story::of_plan("A: a");
    story.lands("A.1");
    let step = taken_up(&mut story, ResumeMode::Wave);
    assert_eq!(step.refusal(), "no wave was interrupted: everything is done");
    assert_eq!(story.states(), "A done");
    let step = taken_up(&mut story, ResumeMode::Abort);
    assert_eq!(step.refusal(), "nothing to abandon: everything is done");
    assert!(story.run.aborted().is_none());
}
