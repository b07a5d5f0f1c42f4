//! Workers that report that something else has to be done first (RE-04).

use afresh_core::input::RunOpening;
use afresh_core::outcome::{BlockedOutcome, CompletionClaim, Outcome};
use afresh_core::process::ProcessEnd;
use afresh_core::run::settings::{OnDecision, Settings};
use afresh_core::usage::Budget;

use crate::support::{Story, StoryStep, plan_of, task_id};

fn two() -> Settings {
    Settings { parallel: 2, ..Settings::default() }
}

fn blocked(by: &[&str], reason: &str) -> Outcome {
    let by = by.iter().map(|id| (*id).to_owned()).collect();
    Outcome::Blocked(BlockedOutcome {
        reason: reason.to_owned(),
        by,
        claim: CompletionClaim::default(),
    })
}

fn report(story: &mut Story, attempt: &str, outcome: Outcome) -> StoryStep {
    story.spawned(attempt);
    story.ends_with(attempt, ProcessEnd::Exited(0), outcome);
    story.harvested(attempt, &[])
}

/// RE-04: a blocked task waits for the unfinished task that its worker names, and restarts after that, at no cost.
#[test]
fn a_blocked_task_waits_behind_the_task_that_it_names() {
    let mut story = Story::with("A: a\nB: b\nC: c", two());
    let step = report(&mut story, "A.1", blocked(&["C"], "needs the schema"));
    assert_eq!(
        step.lines()[1..],
        [
            "rejected A.1 (does not count): blocked until C is done: needs the schema",
            "starting C.1 in 1",
            "→ start C.1 in 1 from base"
        ]
    );
    assert_eq!(story.states(), "A pending, B ready, C ready");
    assert_eq!(story.error_of("A"), "blocked until C is done: needs the schema");
    let status = story.status();
    assert_eq!(status.tasks[0].blocked_by, [task_id("C")]);
    assert_eq!(story.lands("B.1").started(), [""; 0]);
    assert_eq!(story.lands("C.1").started(), ["A.2"]);
}

/// RE-04: an id in the reason names a task too; a bare number or a word does not.
#[test]
fn a_task_is_named_in_passing_by_an_unmistakable_id() {
    let mut story = Story::with("A: a\nT2: b\n3: c", two());
    let step = report(&mut story, "A.1", blocked(&[], "cannot go on before T2."));
    assert!(step.text().contains("blocked until T2 is done"), "{step:?}");
    let mut story = Story::with("A: a\nT2: b\n3: c", two());
    let step = report(&mut story, "A.1", blocked(&[], "3 files are missing"));
    assert!(step.text().contains("Q1 action"), "{step:?}");
}

/// RE-04: for any other obstacle, a person is asked; the answer lets the task start again.
#[test]
fn what_no_task_will_do_is_asked() {
    let mut story = Story::of_plan("A: a");
    let step = report(&mut story, "A.1", blocked(&["the database"], "no database"));
    assert_eq!(
        step.lines()[1..],
        [
            "rejected A.1 (does not count): blocked: no database",
            "Q1 action [done defer]: task A is blocked: no database"
        ]
    );
    assert_eq!(story.answer(1, "done").started(), ["A.2"]);
}

/// RE-04: a task does not wait for one that is done, failed or skipped, for one that waits for it, or for itself.
#[test]
fn no_task_waits_for_one_that_will_not_be_done() {
    let settings = Settings { attempts: 1, ..two() };
    let mut story = Story::with("A: a\nB < A: b\nC: c", settings);
    story.dies("C.1");
    assert_eq!(story.states(), "A running, B pending, C failed".replace("running", "ready"));
    for name in ["A", "B", "C", "D"] {
        let mut story = story.clone();
        let step = report(&mut story, "A.1", blocked(&[name], "x"));
        assert!(step.text().contains("action [done defer]"), "{name}: {step:?}");
    }
}

/// RE-04: two tasks that name each other do not wait for each other.
#[test]
fn two_tasks_do_not_wait_for_each_other() {
    let mut story = Story::with("A: a\nB: b", two());
    report(&mut story, "A.1", blocked(&["B"], "x"));
    let step = report(&mut story, "B.1", blocked(&["A"], "y"));
    assert!(step.text().contains("Q1 action [done defer]: task B is blocked: y"), "{step:?}");
    assert_eq!(story.states(), "A pending, B waiting");
}

/// RE-04: once the task that it waits for is given up, a person is asked about the waiting one too.
#[test]
fn a_task_whose_forerunner_is_given_up_is_asked_about() {
    let mut story = Story::with("A: a\nB: b", two());
    report(&mut story, "A.1", blocked(&["B"], "x"));
    story.spawned("B.1");
    story.dies("B.1");
    let step = story.skip("B");
    assert!(
        step.text().contains("task A is blocked: it waits for B, which will not be done"),
        "{step:?}"
    );
    assert_eq!(story.answer(1, "done").started(), ["A.2"]);
}

/// RE-04, R14: also if the budget is used up, because a question costs nothing.
#[test]
fn no_task_waits_for_an_unreachable_one_when_the_budget_is_reached() {
    let budget = Budget { tokens: Some(100), cost_micros: None };
    let mut story = Story::with("A: a\nB: b", Settings { budget, ..two() });
    report(&mut story, "A.1", blocked(&["B"], "x"));
    story.spawned("B.1");
    story.uses("B.1", 100);
    story.ends_with("B.1", ProcessEnd::Stopped, Outcome::Silent);
    story.harvested("B.1", &[]);
    let step = story.skip("B");
    assert!(step.text().contains("it waits for B, which will not be done"), "{step:?}");
}

/// RE-04: a policy that defers answers in place of the person.
#[test]
fn a_policy_defers_what_blocks() {
    let settings = Settings { on_decision: OnDecision::Defer, ..Settings::default() };
    let mut story = Story::with("A: a", settings);
    report(&mut story, "A.1", blocked(&[], "no database"));
    assert_eq!(story.states(), "A skipped");
}

/// RE-04: if a new plan makes the other task depend on this one, this one no longer waits.
#[test]
fn a_changed_plan_ends_the_wait() {
    let mut story = Story::with("A: a\nB: b", two());
    report(&mut story, "A.1", blocked(&["B"], "x"));
    story.dies("B.1");
    let plan = Some(plan_of("A: a\nB < A: b"));
    let step = story.open_with(RunOpening { plan, ..RunOpening::default() });
    assert_eq!(step.started(), ["A.2"]);
}
