//! Points at which a plan waits for a person, and tasks that were done before: FO-02, HU-01.

use afresh_core::Input;
use afresh_core::input::RunOpening;
use afresh_core::outcome::DecisionOption;
use afresh_core::plan::{Checkpoint, CheckpointKind, Plan};
use afresh_core::run::settings::{OnDecision, Settings};
use insta::assert_snapshot;

use crate::support::{Story, draft_of};

/// A, then a checkpoint, then B.
fn plan(kind: CheckpointKind, options: &[&str]) -> Plan {
    let mut draft = draft_of("A: a\nask < A:\nB < ask: b");
    let options = options.iter().map(|key| DecisionOption::new(key, "")).collect();
    draft.tasks[1].checkpoint = Some(Checkpoint { kind, text: "Look at it.".to_owned(), options });
    Plan::new(draft).expect("a plan")
}

fn at_checkpoint(kind: CheckpointKind, options: &[&str], settings: Settings) -> (Story, String) {
    let mut story = Story::unopened(plan(kind, options), settings);
    story.open();
    let text = story.lands("A.1").text();
    (story, text)
}

/// FO-02: no worker is started for a checkpoint, and its dependents wait for the answer.
#[test]
fn a_checkpoint_asks_and_the_answer_lets_the_plan_continue() {
    let (mut story, text) = at_checkpoint(CheckpointKind::Verify, &[], Settings::default());
    assert_snapshot!(text, @"
    merged A.1
    Q1 decision [approved rejected defer]: Look at it.
    ");
    assert_snapshot!(story.answer(1, "approved").text(), @r#"
    Q1 answered "approved" by person
    ask is settled: approved: approve and continue
    starting B.1 in 1
    → start B.1 in 1 from mA.1
    "#);
    assert_eq!(story.states(), "A done, ask done, B ready");
    story.lands("B.1");
    assert_eq!(story.states(), "A done, ask done, B done");
}

/// FO-02.
#[test]
fn a_decision_offers_the_plans_own_options_and_an_action_waits_until_it_is_done() {
    let options = |kind, keys: &[&str]| {
        let (story, _) = at_checkpoint(kind, keys, Settings::default());
        let question = story.status().questions[0].clone();
        let keys: Vec<String> = question.options.into_iter().map(|option| option.key).collect();
        format!("{} {}", question.kind, keys.join(" "))
    };
    assert_eq!(options(CheckpointKind::Decision, &["x", "y"]), "needs-decision x y defer");
    assert_eq!(options(CheckpointKind::Action, &[]), "needs-action done defer");
}

/// HU-04: unattended, the first option is used; a policy never confirms what only a person can do.
#[test]
fn policies_pass_checkpoints_but_never_an_action() {
    let first = || Settings { on_decision: OnDecision::First, ..Settings::default() };
    let (story, text) = at_checkpoint(CheckpointKind::Decision, &["x", "y"], first());
    assert_snapshot!(text, @r#"
    merged A.1
    Q1 decision [x y defer]: Look at it.
    Q1 answered "x" by policy
    ask is settled: x
    starting B.1 in 1
    → start B.1 in 1 from mA.1
    "#);
    assert_eq!(story.states(), "A done, ask done, B ready");
    let (story, _) = at_checkpoint(CheckpointKind::Action, &[], first());
    assert_eq!(story.states(), "A done, ask waiting, B pending");
}

/// FO-02, HU-07: nothing but the word for it approves a checkpoint; own words reject it.
#[test]
fn a_checkpoint_can_be_rejected() {
    for (answer, reason) in [
        ("rejected", "Look at it."),
        ("no", "Look at it."),
        ("say: it is red", "Look at it.: it is red"),
    ] {
        let (mut story, _) = at_checkpoint(CheckpointKind::Verify, &[], Settings::default());
        let text = story.answer(1, answer).text();
        assert!(text.contains(&format!("skipped ask: rejected by person: {reason}")), "{text}");
        assert_eq!(story.states(), "A done, ask skipped, B blocked");
        // Who wants to look again is asked again.
        story.feed(&Input::RetryAsked(crate::support::task_id("ask")));
        assert_eq!(story.status().questions.len(), 1);
    }
    let (mut story, _) = at_checkpoint(CheckpointKind::Verify, &[], Settings::default());
    assert_eq!(story.answer(1, "yes").started(), ["B.1"]);
}

#[test]
fn a_checkpoint_that_is_put_off_blocks_what_waits_for_it() {
    let (mut story, _) = at_checkpoint(CheckpointKind::Verify, &[], Settings::default());
    story.answer(1, "defer");
    assert_eq!(story.states(), "A done, ask skipped, B blocked");
}

/// EX-09, FO-02: a task that was finished without afresh is not done again, now or later.
#[test]
fn what_was_done_before_is_not_done_again() {
    let done = |which: &[usize]| {
        let mut draft = draft_of("A: a\nB < A: b\nC < B: c");
        for at in which {
            draft.tasks[*at].done_before = Some("its summary is there".to_owned());
        }
        Plan::new(draft).expect("a plan")
    };
    let mut story = Story::unopened(done(&[0]), Settings::default());
    assert_eq!(story.open().started(), ["B.1"]);
    assert_eq!(story.states(), "A done, B ready, C pending");
    story.lands("B.1");
    // The user does C by hand, and the plan marks it as done at the next start.
    let mut later = Story { ..story.clone() };
    later.spawned("C.1");
    later.dies("C.1");
    let opening = RunOpening { plan: Some(done(&[0, 1, 2])), ..RunOpening::default() };
    later.open_with(opening);
    assert_eq!(later.states(), "A done, B done, C done");
    assert!(story.run.tasks().any(|(_, state)| !state.is_done()));
}

/// EX-09: a task whose mark is removed has to be done.
#[test]
fn what_the_plan_no_longer_marks_as_done_is_done() {
    let mut draft = draft_of("A: a\nB < A: b");
    draft.tasks[0].done_before = Some("its box is ticked".to_owned());
    let ticked = Plan::new(draft).expect("a plan");
    let mut story = Story::unopened(ticked, Settings { parallel: 1, ..Settings::default() });
    story.open();
    story.lands("B.1");
    let plan = Plan::new(draft_of("A: a\nB < A: b")).expect("a plan");
    let opening = RunOpening { plan: Some(plan), ..RunOpening::default() };
    assert_eq!(story.open_with(opening).started(), ["A.1"]);
}
