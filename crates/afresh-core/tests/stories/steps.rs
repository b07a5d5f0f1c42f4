//! Steps: finished parts of a task that outlive their worker (EX-04, AG-07, ST-02).

use afresh_core::Input;
use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::harvest::{ChangeKind, Harvest};
use afresh_core::input::{BranchMove, RunOpening};
use afresh_core::outcome::{BlockedOutcome, CompletionClaim, Deviation, Outcome, PartialOutcome};
use afresh_core::plan::{Plan, StepDraft};
use afresh_core::process::ProcessEnd;
use afresh_core::run::settings::{Settings, TimeoutAction};
use insta::assert_snapshot;

use crate::support::{
    Story, StoryStep, attempt_id, changed, check, check_result, commit, draft_of, file, tree,
};

/// A task with two steps; only the second has its own check.
fn story() -> Story {
    story_with(Settings { timeout_action: TimeoutAction::Retry, ..Settings::default() })
}

fn story_with(settings: Settings) -> Story {
    let mut story = Story::unopened(plan("A: a.txt"), settings);
    story.open();
    story.spawned("A.1");
    story
}

/// The last task of the plan gets the steps.
fn plan(text: &str) -> Plan {
    let mut draft = draft_of(text);
    let step = |name: &str, checks| StepDraft {
        name: name.to_owned(),
        files: vec![file(&format!("{name}.txt"))],
        checks,
        ..StepDraft::default()
    };
    let last = draft.tasks.last_mut().expect("a task");
    last.steps = vec![step("one", vec![]), step("two", vec![check("test two")])];
    Plan::new(draft).expect("a plan without problems")
}

fn claims(story: &mut Story, attempt: &str, step: u32) -> StoryStep {
    declares(story, attempt, step, vec![])
}

fn declares(story: &mut Story, attempt: &str, step: u32, deviations: Vec<Deviation>) -> StoryStep {
    story.feed(&Input::StepClaimed { attempt: attempt_id(attempt), step, deviations })
}

fn saved(story: &mut Story, attempt: &str, step: u32, paths: &[&str]) -> StoryStep {
    let name = format!("{attempt}-{step}");
    let changes = paths.iter().map(|path| changed(path, ChangeKind::Created)).collect();
    let harvest = Harvest {
        tree: tree(&name),
        commit: Some(commit(&name)),
        changes,
        notes: vec![],
        leaks: vec![],
        missing: vec![],
    };
    story.feed(&Input::StepSaved { attempt: attempt_id(attempt), step, saved: Ok(harvest) })
}

fn second_is_checked(story: &mut Story, attempt: &str, code: i32) -> StoryStep {
    let ran = CheckOutcome::Ran(vec![check_result("test two", code)]);
    story.report(attempt, CheckPhase::Step, tree(format!("{attempt}-2")), ran)
}

/// Claimed, saved and done.
fn finishes_first(story: &mut Story, attempt: &str) {
    claims(story, attempt, 1);
    saved(story, attempt, 1, &["one.txt"]);
}

fn times_out(story: &mut Story, attempt: &str) -> StoryStep {
    story.ends_with(attempt, ProcessEnd::TimedOut, Outcome::Silent);
    story.harvested(attempt, &["one.txt"])
}

/// EX-04: a step is saved, judged and checked while its worker waits, and then the worker is answered.
#[test]
fn a_finished_step_is_saved_and_checked_and_the_worker_is_answered() {
    let mut story = story();
    assert_snapshot!(claims(&mut story, "A.1", 1).text(), @"
    step 1 claimed by A.1
    → save step 1 of A.1 onto base
    ");
    assert_snapshot!(saved(&mut story, "A.1", 1, &["one.txt"]).text(), @"
    step 1 saved of A.1
    step 1 done by A.1
    → answer A.1 about step 1: Accepted
    ");
    assert_snapshot!(claims(&mut story, "A.1", 2).text(), @"
    step 2 claimed by A.1
    → save step 2 of A.1 onto A.1-1
    ");
    assert_snapshot!(saved(&mut story, "A.1", 2, &["one.txt", "two.txt"]).text(), @"
    step 2 saved of A.1
    → check Step tree A.1-2: test two
    ");
    assert_snapshot!(second_is_checked(&mut story, "A.1", 0).text(), @"
    step 2 done by A.1
    → answer A.1 about step 2: Accepted
    ");
    assert_eq!(story.status().tasks[0].steps.map(|steps| (steps.done, steps.of)), Some((2, 2)));
}

/// AG-09, AG-07: the next fresh worker starts after the last finished step, on the same base.
#[test]
fn a_worker_that_ran_out_of_time_leaves_its_finished_steps_to_the_next() {
    let mut story = story();
    finishes_first(&mut story, "A.1");
    assert_snapshot!(times_out(&mut story, "A.1").text(), @"
    harvested A.1: 1 changes
    rejected A.1 (counts): failed:timeout: the worker did not end within `run.attempt_timeout`
    starting A.2 in 1 from A.1-1
    → start A.2 in 1 from A.1-1
    ");
    story.spawned("A.2");
    // The second worker's commit is put on top of it.
    assert_snapshot!(claims(&mut story, "A.2", 2).text(), @"
    step 2 claimed by A.2
    → save step 2 of A.2 onto A.1-1
    ");
}

/// ST-02, ST-04: the same after a kill of afresh, a halt, a crash of the worker and a question.
#[test]
fn finished_steps_outlive_however_their_worker_ended() {
    for ending in
        [ProcessEnd::Stopped, ProcessEnd::Lost, ProcessEnd::Exited(1), ProcessEnd::Signaled(9)]
    {
        let mut story = story();
        finishes_first(&mut story, "A.1");
        story.ends_with("A.1", ending, Outcome::Silent);
        let step = story.harvested("A.1", &["one.txt"]);
        let started = if step.started().is_empty() { story.wait(10).text() } else { step.text() };
        assert!(started.contains("starting A.2 in 1 from A.1-1"), "{ending:?}: {started}");
    }
}

/// ST-02: a step that a worker claimed and that was not judged yet is not finished.
#[test]
fn a_step_that_was_not_checked_when_its_worker_died_is_not_kept() {
    let mut story = story();
    finishes_first(&mut story, "A.1");
    claims(&mut story, "A.1", 2);
    saved(&mut story, "A.1", 2, &["one.txt", "two.txt"]);
    times_out(&mut story, "A.1");
    second_is_checked(&mut story, "A.1", 0).changes_nothing();
    assert_eq!(story.status().tasks[0].steps.map(|steps| steps.done), Some(1));
}

/// EX-04: a refusal reaches the worker while it can still react.
#[test]
fn a_step_that_fails_its_check_is_refused_and_can_be_claimed_again() {
    let mut story = story();
    finishes_first(&mut story, "A.1");
    claims(&mut story, "A.1", 2);
    saved(&mut story, "A.1", 2, &["two.txt"]);
    assert_snapshot!(second_is_checked(&mut story, "A.1", 1).text(), @r#"
    step 2 of A.1 refused: `test two` ended with exit code 1
    → answer A.1 about step 2: Refused("`test two` ended with exit code 1\n")
    "#);
    assert_snapshot!(claims(&mut story, "A.1", 2).text(), @"
    step 2 claimed by A.1
    → save step 2 of A.1 onto A.1-1
    ");
}

/// EX-04: a step holds only files in the task's scope, or declared with it.
#[test]
fn a_step_beyond_the_tasks_files_must_declare_them() {
    let mut story = story();
    claims(&mut story, "A.1", 1);
    assert_snapshot!(saved(&mut story, "A.1", 1, &["one.txt", "x.txt"]).text(), @r#"
    step 1 saved of A.1
    step 1 of A.1 refused: x.txt is outside the task's files and was not declared as a deviation
    → answer A.1 about step 1: Refused("x.txt is outside the task's files and was not declared as a deviation")
    "#);
    let deviation =
        Deviation { rule: 3, description: "blocked".to_owned(), files: vec!["x.txt".to_owned()] };
    declares(&mut story, "A.1", 1, vec![deviation]);
    assert_snapshot!(saved(&mut story, "A.1", 1, &["one.txt", "x.txt"]).text(), @"
    step 1 saved of A.1
    step 1 done by A.1
    → answer A.1 about step 1: Accepted
    ");
    // Declaring a file once is enough: the final result does not have to repeat it.
    story.ends_with("A.1", ProcessEnd::Exited(0), Outcome::Done(CompletionClaim::default()));
    assert_snapshot!(story.harvested("A.1", &["one.txt", "x.txt"]).text(), @"
    harvested A.1: 2 changes
    accepted A.1: x.txt is beyond the task's files, declared as a deviation
    → check Alone tree A.1: test two, test A
    ");
}

/// Steps are claimed in order, once, and only if the task has any.
#[test]
fn a_step_out_of_order_is_refused_and_one_that_is_done_stays_done() {
    let mut story = story();
    assert_snapshot!(claims(&mut story, "A.1", 2).text(), @r#"→ answer A.1 about step 2: Refused("step 1 comes first")"#);
    assert_snapshot!(claims(&mut story, "A.1", 3).text(), @r#"→ answer A.1 about step 3: Refused("there is no step 3: the task has 2")"#);
    claims(&mut story, "A.1", 1);
    assert_snapshot!(claims(&mut story, "A.1", 1).text(), @r#"→ answer A.1 about step 1: Refused("step 1 is still being checked")"#);
    saved(&mut story, "A.1", 1, &["one.txt"]);
    assert_snapshot!(claims(&mut story, "A.1", 1).text(), @"→ answer A.1 about step 1: Accepted");

    let mut plain = Story::of_plan("B: b.txt");
    plain.spawned("B.1");
    assert_snapshot!(claims(&mut plain, "B.1", 1).text(), @r#"→ answer B.1 about step 1: Refused("this task has no steps; just finish it")"#);
}

/// R2: a claim of a worker that was declared lost changes nothing.
#[test]
fn a_late_claim_and_a_late_answer_change_nothing() {
    let mut story = story();
    claims(&mut story, "A.1", 1);
    times_out(&mut story, "A.1");
    claims(&mut story, "A.1", 1).changes_nothing();
    saved(&mut story, "A.1", 1, &["one.txt"]).changes_nothing();
}

/// EX-05: work that conflicted with the branch starts over from the branch.
#[test]
fn a_conflict_invalidates_the_steps() {
    let mut story = story();
    finishes_first(&mut story, "A.1");
    story.ends("A.1");
    story.harvested("A.1", &["one.txt"]);
    let both = CheckOutcome::Ran(vec![check_result("test two", 0), check_result("test A", 0)]);
    story.report("A.1", CheckPhase::Alone, tree("A.1"), both);
    assert_snapshot!(story.collides("A.1", "one.txt").text(), @"
    rejected A.1 (does not count): conflicts with work that landed meanwhile: one.txt
    steps of A dropped
    starting A.2 in 1
    → start A.2 in 1 from base
    ");
}

/// A second worker has already tried to fix it; perhaps the steps are wrong.
#[test]
fn a_second_worker_that_fails_on_the_same_steps_makes_the_third_start_over() {
    let mut story = story();
    finishes_first(&mut story, "A.1");
    let fails = |story: &mut Story, attempt: &str| {
        story.ends(attempt);
        story.harvested(attempt, &["one.txt"]);
        let outcome = CheckOutcome::Ran(vec![check_result("test two", 1)]);
        story.report(attempt, CheckPhase::Alone, tree(attempt), outcome)
    };
    assert_snapshot!(fails(&mut story, "A.1").text(), @"
    rejected A.1 (counts): `test two` ended with exit code 1
    starting A.2 in 1 from A.1-1
    → start A.2 in 1 from A.1-1
    ");
    story.spawned("A.2");
    assert_snapshot!(fails(&mut story, "A.2").text(), @"
    rejected A.2 (counts): `test two` ended with exit code 1
    steps of A dropped
    starting A.3 in 1
    → start A.3 in 1 from base
    ");
}

/// EX-03: steps are void once a task that they depend on is done again.
#[test]
fn steps_that_rest_on_a_task_that_was_redone_are_dropped() {
    let mut story = Story::unopened(plan("B: b.txt\nA < B: a.txt"), Settings::default());
    story.open();
    story.lands("B.1");
    story.spawned("A.1");
    finishes_first(&mut story, "A.1");
    // The plan's text of B is different now.
    let changed = plan("B: b.txt other.txt\nA < B: a.txt");
    story.open_with(RunOpening { plan: Some(changed), ..RunOpening::default() });
    story.harvested("A.1", &["one.txt"]);
    story.spawned("B.2");
    story.passes_alone("B.2");
    story.built("B.2");
    let step = story.moved("B.2", BranchMove::Done);
    assert_snapshot!(step.text(), @"
    merged B.2
    steps of A dropped
    starting A.2 in 1
    → start A.2 in 1 from mB.2
    ");
}

/// RE-04: a worker that finished a step and then reports that only a part is done has not failed: the next one
/// continues after its step.
#[test]
fn partial_keeps_finished_steps_and_continues_from_there() {
    let mut story = story_with(Settings { attempts: 1, ..Settings::default() });
    finishes_first(&mut story, "A.1");
    let turn = partial(&mut story, "A.1");
    assert_eq!(
        turn.lines()[1..],
        [
            "rejected A.1 (does not count): partial: out of room",
            "starting A.2 in 1 from A.1-1",
            "→ start A.2 in 1 from A.1-1"
        ]
    );
    assert_eq!(story.error_of("A"), "partial: out of room");
    // No further step was finished: that counts, or it would continue forever.
    story.spawned("A.2");
    assert_eq!(
        partial(&mut story, "A.2").lines()[1..3],
        ["rejected A.2 (counts): partial: out of room", "failed A: partial: out of room"]
    );
}

fn partial(story: &mut Story, attempt: &str) -> StoryStep {
    let partial = PartialOutcome { reason: "out of room".to_owned(), ..PartialOutcome::default() };
    story.ends_with(attempt, ProcessEnd::Exited(0), Outcome::Partial(partial));
    story.harvested(attempt, &["one.txt"])
}

/// RE-04: steps do not contain the work that their task waits for, so the next worker starts over on top of it.
#[test]
fn a_blocked_task_starts_over_on_top_of_what_it_waited_for() {
    let settings = Settings { parallel: 2, ..Settings::default() };
    let mut story = Story::unopened(plan("B: b.txt\nA: a.txt"), settings);
    story.open();
    story.spawned("A.1");
    finishes_first(&mut story, "A.1");
    let blocked = BlockedOutcome { by: vec!["B".to_owned()], ..BlockedOutcome::default() };
    story.ends_with("A.1", ProcessEnd::Exited(0), Outcome::Blocked(blocked));
    let step = story.harvested("A.1", &["one.txt"]);
    assert!(step.text().ends_with("steps of A dropped"), "{step:?}");
    let landed = story.lands("B.1");
    assert!(landed.text().contains("→ start A.2 in 1 from mB.1"), "{landed:?}");
}

/// EX-03: a worker that began without a dependency leaves no step to one that must have it, even if
/// the step was finished after the dependency landed.
#[test]
fn steps_that_began_without_a_dependency_are_dropped_once_it_landed() {
    let mut story = Story::unopened(plan("A: a.txt\nB < A: b.txt"), Settings::default());
    story.skip("A");
    story.open();
    let ignored = story.feed(&Input::IgnoreAsked(attempt_id("A.1").task));
    assert_eq!(ignored.started(), ["B.1"]);
    story.spawned("B.1");
    assert_eq!(story.retry("A").started(), ["A.1"]);
    claims(&mut story, "B.1", 1);
    story.lands("A.1");
    saved(&mut story, "B.1", 1, &["one.txt"]);
    assert_eq!(story.status().tasks[1].steps.map(|steps| steps.done), Some(1));
    story.ends_with("B.1", ProcessEnd::Exited(1), Outcome::Silent);
    story.harvested("B.1", &["one.txt"]);
    assert_snapshot!(story.wait(10).text(), @"
    steps of B dropped
    starting B.2 in 1
    → start B.2 in 1 from mA.1
    ");
}
