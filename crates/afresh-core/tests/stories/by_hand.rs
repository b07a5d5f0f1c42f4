//! Attempts by hand: people start, complete and fail tasks (ST-06).

use afresh_core::check::CheckPhase;
use afresh_core::harvest::Harvest;
use afresh_core::input::{BranchMove, Dispatch, ResumeMode, RunOpening};
use afresh_core::outcome::{Outcome, WorkerFailure};
use afresh_core::run::DriveState;
use afresh_core::run::settings::Settings;
use afresh_core::usage::Budget;
use afresh_core::{Effect, Input};

use crate::support::{Story, attempt_id, plan_of, task_id, tokens_used, tree};

const TWO: &str = "A: a\nB < A: b";

/// A run that only people work on.
fn by_hand(plan: &str) -> Story {
    with(plan, Settings::default())
}

fn with(plan: &str, settings: Settings) -> Story {
    let mut story = Story::unopened(plan_of(plan), settings);
    open_by_hand(&mut story);
    story
}

fn open_by_hand(story: &mut Story) -> Vec<String> {
    let opening = RunOpening { dispatch: Dispatch::ByHand, ..RunOpening::default() };
    story.open_with(opening).lines()
}

/// ST-06: no agent starts, the person's work goes the way of all work, and what it makes ready waits for a person.
#[test]
fn work_by_hand_is_harvested_checked_and_merged_like_any_other() {
    let mut story = Story::unopened(plan_of(TWO), Settings::default());
    assert_eq!(open_by_hand(&mut story), ["opened 1", "agents held back"]);
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
    assert_eq!(
        story.start_by_hand("A").lines(),
        ["starting A.1 in 10001 by hand of ann", "→ prepare A.1 in 10001 from base"]
    );
    assert_eq!(story.run.drive_state(story.now), DriveState::Busy);
    story.spawned("A.1");
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
    assert_eq!(story.completes("A").lines(), ["ended A.1 Exited(0)", "→ harvest A.1 in 10001"]);
    assert_eq!(story.harvested("A.1", &["a"]).effects(), ["→ check Alone tree A.1: test A"]);
    story.checked("A.1", CheckPhase::Alone, 0);
    story.built("A.1");
    assert_eq!(story.moved("A.1", BranchMove::Done).effects(), Vec::<String>::new());
    assert_eq!(story.states(), "A done, B ready");
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
}

/// ST-06, R4: work that fails its check is rejected and counts like any attempt.
#[test]
fn rejected_work_counts_as_a_try() {
    let mut story = with("A: a", Settings { attempts: 2, ..Settings::default() });
    for attempt in ["A.1", "A.2"] {
        story.start_by_hand("A");
        story.spawned(attempt);
        story.completes("A");
        story.harvested(attempt, &["a"]);
        story.checked(attempt, CheckPhase::Alone, 1);
    }
    assert_eq!(story.states(), "A failed");
    assert_eq!(story.start_by_hand("A").refusal(), "A waits for the answer to question Q1");
}

/// ST-06, EX-06: a change outside of the task's files is no less out of scope.
#[test]
fn work_by_hand_stays_in_scope() {
    let mut story = by_hand("A: a\nB: b");
    story.start_by_hand("A");
    story.spawned("A.1");
    story.completes("A");
    story.harvested("A.1", &["b"]);
    assert!(story.error_of("A").contains('b'), "{}", story.error_of("A"));
    assert_eq!(story.states(), "A ready, B ready");
}

/// ST-06: `task fail` ends the attempt; without a retry the task has failed.
#[test]
fn work_that_is_given_up_is_saved_and_may_be_retried() {
    let failure = WorkerFailure {
        error: "no compiler".to_owned(),
        category: Some("dependency".to_owned()),
        ..WorkerFailure::default()
    };
    let mut story = by_hand("A: a");
    story.start_by_hand("A");
    story.spawned("A.1");
    let ended = story.hands_in("A", Outcome::Failed(failure.clone()));
    assert_eq!(ended.effects(), ["→ harvest A.1 in 10001"]);
    story.harvested("A.1", &["a"]);
    assert_eq!(story.states(), "A ready");
    assert!(story.error_of("A").contains("(dependency): no compiler"), "{}", story.error_of("A"));
    story.start_by_hand("A");
    story.spawned("A.2");
    story.hands_in("A", Outcome::Failed(WorkerFailure { retryable: Some(false), ..failure }));
    story.harvested("A.2", &["a"]);
    assert_eq!(story.states(), "A failed");
}

/// ST-06, EX-01: agents work beside it: it takes no slot of theirs, and what may touch its files waits.
#[test]
fn agents_work_beside_a_person() {
    let settings = Settings { parallel: 1, ..Settings::default() };
    let mut story = Story::with("A: a\nB: b\nC: a", settings);
    assert_eq!(story.start_by_hand("A").refusal(), "A is being worked on (A.1)");
    story.spawned("A.1");
    assert_eq!(
        story.start_by_hand("C").refusal(),
        "C may change the same files as A, which is being worked on"
    );
    assert_eq!(story.start_by_hand("B").effects(), ["→ prepare B.1 in 10001 from base"]);
    story.spawned("B.1");
    assert_eq!(story.lands("A.1").started(), ["C.1"]);
    story.lands("C.1");
    assert_eq!(story.states(), "A done, B running, C done");
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
}

/// ST-06, R14: a person uses none of the budget, and is not stopped when it is reached.
#[test]
fn a_person_needs_no_budget() {
    let budget = Budget { tokens: Some(100), ..Budget::default() };
    let mut story =
        Story::with("A: a\nB: b", Settings { budget, parallel: 1, ..Settings::default() });
    story.start_by_hand("B");
    story.spawned("B.1");
    story.spawned("A.1");
    let stopped = story.uses("A.1", 100).effects();
    assert_eq!(stopped, ["→ stop A.1 within 5s"]);
    assert_eq!(story.completes("B").effects(), ["→ harvest B.1 in 10001"]);
    assert_eq!(tokens_used(100).tokens(), story.run.usage().tokens());
}

/// ST-02, ST-06: the death of a driver ends no attempt by hand; what was being prepared is prepared again.
#[test]
fn an_attempt_by_hand_outlives_its_driver() {
    let mut story = by_hand("A: a\nB: b");
    story.start_by_hand("A");
    assert_eq!(story.open().effects()[0], "→ prepare A.1 in 10001 from base");
    story.spawned("A.1");
    let effects = story.open().effects();
    assert!(!effects.iter().any(|effect| effect.contains("A.1")), "{effects:?}");
    assert_eq!(story.completes("A").effects(), ["→ harvest A.1 in 10001"]);
    // The next driver asks for the harvest again.
    assert!(story.open().effects().contains(&"→ harvest A.1 in 10001".to_owned()));
}

/// R7, ST-06: a halt ends no work by hand. Handed in while the run is halted, it is merged like that of a worker that
/// may finish; after the second halt, its checks wait.
#[test]
fn a_halt_lets_people_finish() {
    let mut story = by_hand("A: a\nB: b");
    for task in ["A", "B"] {
        story.start_by_hand(task);
        story.spawned(&format!("{task}.1"));
    }
    assert_eq!(story.halt(false).lines(), ["halt gently by person"]);
    assert_eq!(story.run.drive_state(story.now), DriveState::Halted);
    story.completes("A");
    story.harvested("A.1", &["a"]);
    story.checked("A.1", CheckPhase::Alone, 0);
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    assert_eq!(story.states(), "A done, B running");
    assert_eq!(story.halt(true).lines(), ["halt now by person", "→ stop checks"]);
    story.completes("B");
    assert_eq!(
        story.harvested("B.1", &["b"]).lines(),
        ["harvested B.1: 1 changes", "accepted B.1", "checks stopped B.1 Alone"]
    );
    assert_eq!(story.run.drive_state(story.now), DriveState::Halted);
    assert!(story.clear().effects().contains(&"→ check Alone tree B.1: test B".to_owned()));
}

/// BE-10, R16, ST-06: the run ends or goes back: the work is saved first, and is no failed try.
#[test]
fn the_end_of_a_run_saves_work_by_hand() {
    let end = |story: &mut Story| {
        let (reason, by) = ("enough".to_owned(), "person".to_owned());
        story.feed(&Input::AbortAsked { reason, by }).effects()
    };
    let mut story = by_hand("A: a\nB: b");
    story.start_by_hand("A");
    story.spawned("A.1");
    story.start_by_hand("B");
    assert_eq!(end(&mut story), ["→ harvest A.1 in 10001"]);
    // Its workspace was still being prepared.
    assert_eq!(story.spawned("B.1").effects(), ["→ harvest B.1 in 10002"]);
    story.harvested("A.1", &["a"]);
    assert_eq!(story.error_of("A"), "ended by afresh before it was finished");
    assert!(story.start_by_hand("A").refusal().starts_with("the run is over: ended by person"));

    let mut story = by_hand(TWO);
    story.start_by_hand("A");
    story.spawned("A.1");
    let opening = RunOpening { resume: Some(ResumeMode::Wave), ..RunOpening::default() };
    assert!(story.open_with(opening).effects().contains(&"→ harvest A.1 in 10001".to_owned()));
}

/// ST-06: what cannot be started is refused with the reason, and changes nothing.
#[test]
fn a_start_that_cannot_be_is_refused() {
    let mut story = by_hand(TWO);
    let refused = |story: &mut Story, task: &str| {
        let step = story.start_by_hand(task);
        step.changes_nothing();
        step.refusal().to_owned()
    };
    assert_eq!(refused(&mut story, "Z"), "there is no task Z");
    assert_eq!(refused(&mut story, "B"), "B is not ready: it needs A");
    assert_eq!(story.completes("A").refusal(), "no attempt by hand of A is open");
    story.start_by_hand("A");
    assert_eq!(refused(&mut story, "A"), "A is being worked on (A.1)");
    // Its workspace is not ready yet.
    assert_eq!(story.completes("A").refusal(), "no attempt by hand of A is open");
    story.halt(false);
    assert_eq!(refused(&mut story, "B"), "the run was halted by person: tea");
    story.clear();
    story.spawned("A.1");
    story.completes("A");
    assert_eq!(story.completes("A").refusal(), "no attempt by hand of A is open");
    story.harvested("A.1", &["a"]);
    story.checked("A.1", CheckPhase::Alone, 0);
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    assert_eq!(refused(&mut story, "A"), "A is done");
    story.skip("B");
    assert_eq!(refused(&mut story, "B"), "B is skipped; retry it first");
}

/// ST-06: an agent's attempt cannot be handed in by a person.
#[test]
fn a_person_cannot_hand_in_the_work_of_an_agent() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    let step = story.completes("A");
    step.changes_nothing();
    assert_eq!(step.refusal(), "no attempt by hand of A is open");
}

/// EX-07, ST-06: a file that the task is to create must be there.
#[test]
fn a_missing_file_rejects_work_by_hand() {
    let mut story = by_hand("A: a");
    story.start_by_hand("A");
    story.spawned("A.1");
    story.completes("A");
    let changes = vec![crate::support::changed("a", afresh_core::harvest::ChangeKind::Modified)];
    let missing = vec!["new".to_owned()];
    let harvest =
        Harvest { tree: tree("A.1"), commit: None, changes, notes: vec![], leaks: vec![], missing };
    let step = story.feed(&Input::Harvested(attempt_id("A.1"), Ok(harvest)));
    assert!(!step.0.effects.iter().any(|effect| matches!(effect, Effect::Check(_))));
    assert!(story.error_of("A").contains("new"), "{}", story.error_of("A"));
    assert_eq!(story.run.state_of(&task_id("A")).expect("a task").retries.counted, 1);
}
