//! Hooks of the user's that fail (BE-11).

use afresh_core::check::CheckPhase;
use afresh_core::hook::HookPoint;
use afresh_core::ids::QuestionId;
use afresh_core::input::BranchMove;
use afresh_core::review::ReviewVerdict;
use afresh_core::run::DriveState;
use afresh_core::run::settings::{ReviewPolicy, ReviewWhen, Settings};

use crate::support::{Story, review_id, task_id};

fn runs_hook(story: &Story, point: HookPoint) -> bool {
    story.run.runs_hook(point, &task_id("A"))
}

/// BE-11: a hook before an attempt that fails starts no worker; a person is asked, and the other task continues. It
/// counts as no attempt.
#[test]
fn a_hook_before_an_attempt_holds_it_back() {
    let mut story = Story::of_plan("A: a\nB: b");
    let held = story.hook_fails(HookPoint::BeforeAttempt, Some("A.1"));
    insta::assert_snapshot!(held.text(), @"
    hook before_attempt `guard` failed: exit code 3
    Q1 before_attempt [retry skip-hook skip abort]: hook before_attempt `guard` failed: exit code 3
    ");
    assert_eq!(story.states(), "A waiting, B ready");
    story.lands("B.1");
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
    assert_eq!(story.answer(1, "retry").started(), ["A.2"]);
    assert!(runs_hook(&story, HookPoint::BeforeAttempt), "it runs again");
    story.hook_fails(HookPoint::BeforeAttempt, Some("A.2"));
    assert_eq!(story.answer(2, "skip-hook").started(), ["A.3"]);
    assert!(!runs_hook(&story, HookPoint::BeforeAttempt));
    assert!(runs_hook(&story, HookPoint::BeforeMerge), "only this one is skipped");
    assert_eq!(story.run.state_of(&task_id("A")).expect("a task").retries.counted, 0);
    // A late report of the one before changes nothing.
    story.hook_fails(HookPoint::BeforeAttempt, Some("A.2")).changes_nothing();
    story.lands("A.3");
    assert_eq!(story.states(), "A done, B done");
}

/// BE-11: a hook before the checks holds the work back, and the answer lets its checks run.
#[test]
fn a_hook_before_the_checks_holds_the_work_back() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.ends("A.1");
    story.harvested("A.1", &["a"]);
    story.hook_fails(HookPoint::BeforeCheck, Some("A.1"));
    assert_eq!(story.states(), "A waiting");
    // The round that did not begin reports nothing that counts.
    story.checked("A.1", CheckPhase::Alone, 0).changes_nothing();
    let again = story.answer(1, "retry");
    assert!(again.effects().iter().any(|effect| effect.contains("check")), "{}", again.text());
    story.checked("A.1", CheckPhase::Alone, 0);
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    assert_eq!(story.states(), "A done");
}

/// BE-11: a hook before a merge gives the merge slot to the next task; skipping the task keeps its work out.
#[test]
fn a_hook_before_a_merge_holds_up_no_other_merge() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.spawned("A.1");
    story.passes_alone("A.1");
    story.hook_fails(HookPoint::BeforeMerge, Some("A.1"));
    let question = story.run.question(QuestionId(1)).expect("a question");
    assert!(question.text.ends_with("\nthe merge of A waits"), "{}", question.text);
    // The build that was under way is over.
    story.built("A.1").changes_nothing();
    story.lands("B.1");
    assert_eq!(story.states(), "A waiting, B done");
    story.answer(1, "skip");
    assert_eq!(story.states(), "A skipped, B done");
    assert_eq!(story.run.question(QuestionId(1)), None);
}

/// BE-11, EX-08, R2: work that was approved lands once its hook lets it; it is neither checked nor reviewed again.
#[test]
fn a_hook_before_a_merge_takes_no_approval_back() {
    let review = ReviewPolicy { when: ReviewWhen::Always, ..ReviewPolicy::default() };
    let mut story = Story::with("A: a", Settings { review, ..Settings::default() });
    story.passes_alone("A.1");
    story.reviewed("A.1/1", ReviewVerdict::Approved);
    story.hook_fails(HookPoint::BeforeMerge, Some("A.1"));
    insta::assert_snapshot!(story.answer(1, "retry").text(), @r#"
    Q1 answered "retry" by person
    merging A.1 onto base
    → build A.1 onto base
    "#);
    story.hook_fails(HookPoint::BeforeMerge, Some("A.1"));
    story.answer(2, "skip-hook");
    story.hook_fails(HookPoint::BeforeMerge, Some("A.1")).changes_nothing();
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    assert_eq!(story.states(), "A done");
    let receipt = story.status().tasks[0].receipt.clone().expect("a receipt");
    assert_eq!(receipt.review.expect("an approval").review, Some(review_id("A.1/1")));
}

/// BE-11: an approved merge that is held back waits behind the merge that took its place, and what landed meanwhile is
/// below it.
#[test]
fn a_released_merge_is_built_onto_what_landed_meanwhile() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.spawned("A.1");
    story.passes_alone("A.1");
    story.hook_fails(HookPoint::BeforeMerge, Some("A.1"));
    story.spawned("B.1");
    story.passes_alone("B.1");
    assert_eq!(
        story.answer(1, "retry").lines(),
        ["Q1 answered \"retry\" by person"],
        "B is being merged"
    );
    story.built("B.1");
    let next = story.moved("B.1", BranchMove::Done);
    assert!(next.lines().iter().any(|line| line == "merging A.1 onto mB.1"), "{}", next.text());
}

/// BE-11: a hook after an action, or at a question, is recorded, and nothing else follows.
#[test]
fn a_hook_after_an_action_changes_nothing() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    let before = story.run.clone();
    for (point, attempt) in [
        (HookPoint::AfterAttempt, Some("A.1")),
        (HookPoint::AfterCheck, None),
        (HookPoint::AfterMerge, Some("A.1")),
        (HookPoint::OnQuestion, None),
    ] {
        let recorded = story.hook_fails(point, attempt);
        let line = format!("hook {} `guard` failed: exit code 3", point.word());
        assert_eq!(recorded.lines(), [line]);
    }
    assert_eq!(story.run, before);
}
