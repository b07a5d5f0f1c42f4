//! What stops every task stops the run once (EX-14).

use afresh_core::input::RunOpening;
use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::run::DriveState;
use afresh_core::run::settings::{OnFailure, Settings};

use crate::support::{Story, plan_of};

const NONE: [&str; 0] = [];

/// The question texts that are open.
fn asked(story: &Story) -> Vec<String> {
    story.run.questions().map(|question| question.text.clone()).collect()
}

fn three_failing() -> Story {
    let mut story = Story::of_plan("A: a\nB: b\nC: c\nD: d");
    // The fourth took the place of the first.
    for attempt in ["A.1", "B.1", "C.1", "D.1"] {
        story.spawn_fails(attempt);
    }
    story
}

/// EX-14: three workers that cannot start are one question; nothing else starts before it is answered.
#[test]
fn workers_that_cannot_start_are_one_question() {
    let mut story = three_failing();
    let questions = asked(&story);
    assert_eq!(questions.len(), 1, "{questions:?}");
    assert!(questions[0].starts_with("no worker can start: no such program\nOther tasks"));
    assert_eq!(story.wait(60).started(), NONE);
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
    let again = story.answer(1, "retry").started();
    assert_eq!(again, ["A.2", "B.2", "C.2"], "without any wait");
    // It takes as many failures again before the next question.
    story.spawn_fails("A.2");
    story.spawn_fails("B.2");
    assert!(asked(&story).is_empty());
}

/// EX-14: a worker that starts in between shows that the cause is another.
#[test]
fn a_start_that_works_ends_the_row() {
    let mut story = Story::of_plan("A: a\nB: b\nC: c");
    story.spawn_fails("A.1");
    story.spawn_fails("B.1");
    story.spawned("C.1");
    story.wait(2);
    story.spawn_fails("A.2");
    assert!(asked(&story).is_empty(), "{:?}", asked(&story));
}

/// EX-14: to skip the task lets the others try again; to abort ends the run.
#[test]
fn an_obstacle_can_be_skipped_or_end_the_run() {
    let mut skipped = three_failing();
    assert_eq!(skipped.answer(1, "skip").started(), ["A.2", "B.2", "D.2"]);
    assert!(skipped.states().contains("C skipped"), "{}", skipped.states());
    let mut ended = three_failing();
    ended.answer(1, "abort");
    assert!(ended.run.aborted().is_some());
}

/// EX-14: who starts the run again wants it to try again.
#[test]
fn the_next_start_tries_again_without_an_answer() {
    let mut story = three_failing();
    let opened = story.open_with(RunOpening::default());
    assert_eq!(opened.started(), ["A.2", "B.2", "C.2"]);
    assert!(asked(&story).is_empty());
}

/// EX-14: a policy that does not ask decides for each task, as it does for other failures.
#[test]
fn a_policy_that_skips_failures_is_not_asked() {
    let settings = Settings { on_failure: OnFailure::Skip, parallel: 1, ..Settings::default() };
    let mut story = Story::with("A: a\nB < A: b", settings);
    for number in 1..=3 {
        story.spawn_fails(&format!("A.{number}"));
        story.wait(5);
    }
    assert!(story.states().contains("A skipped"), "{}", story.states());
}

/// EX-14, AG-06: a refused key concerns all tasks of its agent, and is one question.
#[test]
fn a_refused_key_is_one_question_for_all_tasks() {
    let mut story = Story::of_plan("A: a\nB: b\nC: c\nD: d");
    for attempt in ["A.1", "B.1", "C.1"] {
        story.spawned(attempt);
    }
    for attempt in ["A.1", "B.1", "C.1"] {
        let refused = ModelError::new(ModelErrorClass::Auth, "401");
        assert_eq!(story.model_fails(attempt, refused).started(), NONE);
    }
    assert_eq!(asked(&story).len(), 1, "{:?}", asked(&story));
    assert_eq!(story.answer(1, "retry").started(), ["A.2", "B.2", "C.2"]);
}

/// EX-14: a model that does not exist concerns only its size.
#[test]
fn a_missing_model_does_not_stop_tasks_of_another_size() {
    let mut story = Story::of_plan("A: a\nB! small: b\nC: c");
    story.spawned("A.1");
    story.model_fails("A.1", ModelError::new(ModelErrorClass::ModelNotFound, "no such model"));
    story.spawned("B.1");
    story.dies("B.1");
    assert_eq!(story.wait(10).started(), ["B.2"]);
}

/// EX-14: an agent that has never worked and dies the same way at every task is one question.
#[test]
fn an_agent_that_dies_at_every_task_is_one_question() {
    let mut story = Story::of_plan("A: a\nB: b\nC: c\nD: d");
    for attempt in ["A.1", "B.1", "C.1"] {
        story.spawned(attempt);
    }
    for attempt in ["A.1", "B.1", "C.1"] {
        story.dies(attempt);
    }
    let questions = asked(&story);
    assert_eq!(questions.len(), 1, "{questions:?}");
    assert!(questions[0].contains("fails at every task"), "{questions:?}");
    assert_eq!(story.wait(60).started(), NONE);
}

/// EX-14: workers that were already at work when the question was asked add none to it.
#[test]
fn workers_that_die_after_the_question_ask_nothing_more() {
    let plan = plan_of("A: a\nB: b\nC: c\nD: d\nE: e");
    let mut story = Story::unopened(plan, Settings { parallel: 5, ..Settings::default() });
    story.open();
    for attempt in ["A.1", "B.1", "C.1", "D.1", "E.1"] {
        story.spawned(attempt);
    }
    for attempt in ["A.1", "B.1", "C.1", "D.1", "E.1"] {
        story.dies(attempt);
    }
    assert_eq!(asked(&story).len(), 1, "{:?}", asked(&story));
    assert_eq!(story.answer(1, "retry").started().len(), 5, "all of them try again");
    assert_eq!(asked(&story), NONE);
}

/// EX-14: one hard task says nothing about the agent.
#[test]
fn a_single_task_that_kills_its_workers_fails_alone() {
    let mut story = Story::of_plan("A: a\nB < A: b");
    for number in 1..=3 {
        let attempt = format!("A.{number}");
        story.spawned(&attempt);
        story.dies(&attempt);
        story.wait(10);
    }
    let questions = asked(&story);
    assert!(questions[0].starts_with("task A failed after 3 attempts"), "{questions:?}");
    assert_eq!(story.states(), "A failed, B blocked");
}
