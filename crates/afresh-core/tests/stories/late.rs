//! A late or repeated report changes nothing (R2).

use afresh_core::check::CheckPhase;
use afresh_core::input::BranchMove;

use crate::support::Story;

/// R2: every report of an attempt that was given up.
#[test]
fn reports_of_an_old_attempt_change_nothing() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.open();
    assert_eq!(story.harvested("A.1", &[]).started(), ["A.2"]);
    story.spawned("A.1").changes_nothing();
    story.uses("A.1", 5).changes_nothing();
    story.spawn_fails("A.1").changes_nothing();
    story.ends("A.1").changes_nothing();
    story.harvested("A.1", &["a"]).changes_nothing();
    story.checked("A.1", CheckPhase::Alone, 0).changes_nothing();
    story.built("A.1").changes_nothing();
    story.moved("A.1", BranchMove::Done).changes_nothing();
}

/// R2, R3: every report twice, and once more when all is done.
#[test]
fn doubled_reports_change_nothing() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.spawned("A.1");
    story.spawned("A.1").changes_nothing();
    story.ends("A.1");
    story.ends("A.1").changes_nothing();
    story.harvested("A.1", &["a"]);
    story.harvested("A.1", &["a"]).changes_nothing();
    story.checked("A.1", CheckPhase::Alone, 0);
    story.checked("A.1", CheckPhase::Alone, 1).changes_nothing();
    story.built("A.1");
    story.built("A.1").changes_nothing();
    story.moved("A.1", BranchMove::Done);
    story.moved("A.1", BranchMove::Done).changes_nothing();
    story.lands("B.1");
    for attempt in ["A.1", "B.1"] {
        story.spawned(attempt).changes_nothing();
        story.ends(attempt).changes_nothing();
        story.harvested(attempt, &["a"]).changes_nothing();
        story.checked(attempt, CheckPhase::Merged, 1).changes_nothing();
        story.moved(attempt, BranchMove::Done).changes_nothing();
    }
}

/// R2: reports about tasks and attempts that never existed.
#[test]
fn reports_from_nowhere_change_nothing() {
    let mut story = Story::of_plan("A: a");
    story.spawned("Z.1").changes_nothing();
    story.ends("A.7").changes_nothing();
    story.harvested("Z.1", &["a"]).changes_nothing();
    story.uses("Z.9", 1_000).changes_nothing();
}

/// R4: checks of a tree that is no longer the one to land.
#[test]
fn checks_of_another_tree_change_nothing() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.lands("A.1");
    story.passes_alone("B.1");
    story.built("B.1");
    let other = crate::support::tree("other");
    let passed =
        afresh_core::check::CheckOutcome::Ran(vec![crate::support::check_result("test B", 0)]);
    story.report("B.1", CheckPhase::Merged, other, passed).changes_nothing();
}

/// R4: a round that lacks a check which the task needs by now is no pass.
#[test]
fn a_pass_without_all_checks_changes_nothing() {
    let mut story = Story::of_plan("A: a");
    story.ends("A.1");
    story.harvested("A.1", &["a"]);
    let nothing = afresh_core::check::CheckOutcome::Ran(vec![]);
    story.report("A.1", CheckPhase::Alone, crate::support::tree("A.1"), nothing).changes_nothing();
}

/// R12: opening the run repeatedly requests the same effects, and loses nothing.
#[test]
fn recovery_can_be_repeated() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.passes_alone("A.1");
    story.built("A.1");
    story.ends("B.1");
    let wanted = ["→ harvest B.1 in 2", "→ move A.1 from base to mA.1"];
    for epoch in 2..6 {
        let opened = story.open();
        assert_eq!(opened.lines()[0], format!("opened {epoch}"));
        assert_eq!(opened.effects(), wanted);
    }
    story.moved("A.1", BranchMove::Done);
    story.harvested("B.1", &["b"]);
    assert_eq!(story.states(), "A done, B checking");
}
