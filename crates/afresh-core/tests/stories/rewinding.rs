//! Continuing an interrupted wave (ST-05), going back to an earlier merge (BE-10).

use afresh_core::Input;
use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::input::{BranchMove, CheckReport, ResumeMode, RunOpening};
use afresh_core::outcome::Outcome;
use afresh_core::process::ProcessEnd;
use afresh_core::run::RewindTarget;
use afresh_core::run::settings::{OnFailure, Schedule, Settings};
use insta::assert_snapshot;

use crate::support::{Story, StoryStep, check_result, commit, task_id, tree};

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

fn goes_back(story: &mut Story, target: RewindTarget) -> StoryStep {
    story.feed(&Input::RewindAsked { target, by: "ann".to_owned() })
}

/// BE-10: what runs is stopped and saved first, then the branch goes back to before the task.
#[test]
fn a_person_takes_back_everything_from_a_task_on() {
    let mut story = interrupted();
    assert_snapshot!(goes_back(&mut story, RewindTarget::Task(task_id("B"))).text(), @"
    rewind to mA.1 for ann
    → stop E.1 within 5s
    ");
    story.ends_with("E.1", ProcessEnd::Stopped, Outcome::Silent);
    assert_snapshot!(story.harvested("E.1", &[]).text(), @"
    harvested E.1: 0 changes
    rejected E.1 (does not count): ended by afresh before it was finished
    going back from mC.1 to mA.1
    → move back from mC.1 to mA.1
    ");
    assert_snapshot!(is_back(&mut story, "mA.1", BranchMove::Done).text(), @"
    back at mA.1
    starting B.2 in 1
    → start B.2 in 1 from mA.1
    ");
    assert_eq!(story.states(), "A done, B ready, C ready, D skipped, E pending");
}

/// BE-10: a run in which everything is done goes back too, after its final checks, and continues.
#[test]
fn a_finished_run_goes_back() {
    let mut story = Story::of_plan("A: a\nB < A: b");
    story.lands("A.1");
    assert_snapshot!(story.lands("B.1").text(), @"
    merged B.1
    final checks
    → check Final tree B.1: test A | test B
    ");
    let final_checks = CheckReport {
        batch: None,
        attempt: None,
        phase: CheckPhase::Final,
        tree: tree("B.1"),
        checked: CheckOutcome::Ran(["test A", "test B"].map(|it| check_result(it, 0)).to_vec()),
    };
    assert_snapshot!(goes_back(&mut story, RewindTarget::Commit(commit("mA.1"))).text(), @"rewind to mA.1 for ann");
    assert_snapshot!(story.feed(&Input::Checked(final_checks)).text(), @"
    finally checked test A, test B
    going back from mB.1 to mA.1
    → move back from mB.1 to mA.1
    ");
    assert_snapshot!(is_back(&mut story, "mA.1", BranchMove::Done).text(), @"
    back at mA.1
    starting B.2 in 1
    → start B.2 in 1 from mA.1
    ");
    assert_eq!(story.states(), "A done, B ready");
    story.lands("B.2");
    assert_eq!(story.states(), "A done, B done");
}

/// BE-10: a halted run goes back without being continued.
#[test]
fn a_halted_run_goes_back_and_stays_halted() {
    let mut story = Story::of_plan("A: a\nB < A: b");
    story.lands("A.1");
    story.spawned("B.1");
    story.halt(false);
    story.ends("B.1");
    story.harvested("B.1", &[]);
    goes_back(&mut story, RewindTarget::Wave(1));
    is_back(&mut story, "base", BranchMove::Done);
    assert_eq!(story.states(), "A ready, B pending");
    assert!(story.run.halt().is_some());
}

/// BE-10: where nothing can go back, the reason is given and nothing changes.
#[test]
fn a_rewind_without_a_way_back_is_refused() {
    let mut story = Story::of_plan("A: a\nB < A: b");
    story.lands("A.1");
    let cases = [
        (
            RewindTarget::Task(task_id("B")),
            "B has not been merged, so there is nothing to go back to",
        ),
        (RewindTarget::Wave(2), "nothing of wave 2 or a later one has been merged"),
        (RewindTarget::Commit(commit("mA.1")), "nothing has been merged since"),
    ];
    for (target, why) in cases {
        assert_eq!(goes_back(&mut story, target).refusal(), why);
    }
    let elsewhere = goes_back(&mut story, RewindTarget::Commit(commit("other")));
    assert!(elsewhere.refusal().ends_with("is not on the run's branch"));
    goes_back(&mut story, RewindTarget::Wave(1));
    let again = goes_back(&mut story, RewindTarget::Wave(1));
    assert_eq!(again.refusal(), "the branch is being moved back already");
}
