//! One merge at a time, checked as it will land (EX-05, R3, R4).

use afresh_core::Input;
use afresh_core::check::{CheckPhase, NoteProblem};
use afresh_core::input::BranchMove;
use afresh_core::run::DriveState;
use afresh_core::run::settings::Settings;

use crate::support::{Story, attempt_id, commit, task_id};

/// EX-05: if nothing landed meanwhile, the tree that passed is the tree that lands.
#[test]
fn a_merge_that_is_the_checked_tree_is_not_checked_again() {
    let mut story = Story::of_plan("A: a");
    let mut steps = vec![story.passes_alone("A.1").text()];
    steps.push(story.built("A.1").text());
    steps.push(story.moved("A.1", BranchMove::Done).text());
    insta::assert_snapshot!(steps.join("\n"), @"
    passed A.1: test A
    merging A.1 onto base
    → build A.1 onto base
    intends to land A.1 after test A
    → move A.1 from base to mA.1
    merged A.1
    final checks
    → check Final tree A.1: test A
    ");
}

/// R4, EX-05: two tasks that pass alone; the second is checked on top of the first.
#[test]
fn a_merge_with_what_landed_meanwhile_is_checked_as_it_will_be() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.lands("A.1");
    story.passes_alone("B.1");
    let mut steps = vec![story.built("B.1").text()];
    steps.push(story.checked("B.1", CheckPhase::Merged, 1).text());
    insta::assert_snapshot!(steps.join("\n"), @"
    merge built B.1
    → check Merged tree mB.1: test B
    batch 2 failed test B
    rejected B.1 (does not count): passes alone but not with A, which landed meanwhile: `test B` ended with exit code 1
    starting B.2 in 1
    → start B.2 in 1 from mA.1
    ");
    let feedback = story.run.state_of(&task_id("B")).and_then(|b| b.last.feedback.clone());
    assert!(feedback.is_some_and(|why| why.describe().contains("not with A, which landed")));
    story.lands("B.2");
    assert_eq!(story.states(), "A done, B done");
}

/// R3, R4: the merge slot is held until the branch has moved.
#[test]
fn merges_wait_for_each_other() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.passes_alone("A.1");
    assert_eq!(story.passes_alone("B.1").effects(), Vec::<String>::new());
    story.built("A.1");
    assert_eq!(
        story.moved("A.1", BranchMove::Done).lines(),
        ["merged A.1", "merging B.1 onto mA.1", "→ build B.1 onto mA.1"]
    );
}

/// EX-05: after a conflict the tasks concerned are ordered, so that every round makes progress.
#[test]
fn tasks_that_conflicted_no_longer_run_in_parallel() {
    let mut story = Story::of_plan("A: a\nB: b\nC: c");
    story.lands("A.1");
    story.passes_alone("B.1");
    assert_eq!(story.collides("B.1", "shared").started(), ["B.2"]);
    story.passes_alone("C.1");
    // C was seen to write the same file: it waits for B.
    assert_eq!(story.collides("C.1", "shared").started(), Vec::<String>::new());
    assert_eq!(story.lands("B.2").started(), ["C.2"]);
}

/// R3: a foreign commit on the branch leads to a question; restoring keeps the intent, and says so.
#[test]
fn an_outsider_on_the_branch_is_asked_about() {
    let mut story = Story::of_plan("A: a");
    story.passes_alone("A.1");
    story.built("A.1");
    let mut steps = vec![story.moved("A.1", BranchMove::Foreign(commit("alien"))).text()];
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
    assert_eq!(story.open().effects(), Vec::<String>::new());
    assert_eq!(story.answer(1, "maybe").refusal(), "Q1 takes one of: restore, retry, abort");
    steps.push(story.clone().answer(1, "retry").text());
    steps.push(story.answer(1, "restore").text());
    insta::assert_snapshot!(steps.join("\n"), @r#"
    Q1 branch [restore retry abort]: afresh/r1 was moved to 616c69656e000000000000000000000000000000, not by afresh; nothing can land until it is moved back
    Q1 answered "retry" by person
    → move A.1 from base to mA.1
    Q1 answered "restore" by person
    restore allowed A.1
    → move A.1 from base to mA.1 over an outsider's
    "#);
    assert_eq!(story.moved("A.1", BranchMove::Done).lines()[0], "merged A.1");
}

/// At the end every distinct check runs once more, on the last tree; a failure there fails the run.
#[test]
fn the_last_tree_is_checked_as_a_whole() {
    let settings = Settings { always: vec!["lint".to_owned()], ..Settings::default() };
    let mut story = Story::with("A: a\nB < A: b", settings);
    story.lands("A.1");
    let last = story.lands("B.1");
    assert_eq!(
        last.lines(),
        ["merged B.1", "final checks", "→ check Final tree B.1: test A | test B | lint"]
    );
    let report = |code| {
        let results = ["test A", "test B", "lint"].map(|c| crate::support::check_result(c, code));
        afresh_core::Input::Checked(afresh_core::input::CheckReport {
            batch: None,
            attempt: None,
            phase: CheckPhase::Final,
            tree: crate::support::tree("B.1"),
            checked: afresh_core::check::CheckOutcome::Ran(results.to_vec()),
        })
    };
    let mut failing = story.clone();
    failing.feed(&report(1));
    assert_eq!(failing.run.drive_state(failing.now), DriveState::Finished { ok: false });
    assert!(failing.status().error.is_some_and(|e| e.contains("on the final tree, `test A`")));
    // The next driver checks again; a pass stays valid.
    assert_eq!(failing.open().effects().len(), 1);
    story.feed(&report(0));
    assert_eq!(story.run.drive_state(story.now), DriveState::Finished { ok: true });
    assert_eq!(story.open().lines(), ["opened 2"]);
}

/// HU-08: once `--task` went on, the status says nothing of final checks that failed on an earlier tree.
#[test]
fn final_checks_of_an_earlier_tree_are_not_quoted() {
    let mut story = Story::with("A: a\nB: b", Settings { parallel: 1, ..Settings::default() });
    story.skip("B");
    story.lands("A.1");
    story.feed(&afresh_core::Input::Checked(afresh_core::input::CheckReport {
        batch: None,
        attempt: None,
        phase: CheckPhase::Final,
        tree: crate::support::tree("A.1"),
        checked: afresh_core::check::CheckOutcome::Ran(vec![crate::support::check_result(
            "test A", 1,
        )]),
    }));
    assert!(story.status().error.is_some_and(|error| error.contains("on the final tree")));
    let only = Some(afresh_core::ids::TaskId::new("B").expect("an id"));
    let settings = Some(Settings { only, ..story.run.settings().clone() });
    story.open_with(afresh_core::input::RunOpening { settings, ..Default::default() });
    story.retry("B");
    story.lands("B.1");
    assert_eq!(story.states(), "A done, B done");
    assert_eq!(story.status().error, None);
}

/// TR-06: a merge does not depend on its note; a problem with it is recorded, and nothing else follows.
#[test]
fn a_problem_with_a_note_is_only_recorded() {
    let mut story = Story::of_plan("A: a");
    story.passes_alone("A.1");
    story.built("A.1");
    let problem = NoteProblem::Missing("no space".to_owned());
    let warned = story.feed(&Input::NoteWarned(attempt_id("A.1"), problem.clone()));
    assert_eq!(warned.lines(), [format!("note A.1: {}", problem.describe())]);
    assert!(story.moved("A.1", BranchMove::Done).lines().contains(&"merged A.1".to_owned()));
    // Of a task that left the plan, nothing is recorded.
    let other = story.feed(&Input::NoteWarned(attempt_id("Z.1"), problem));
    assert_eq!(other.lines(), Vec::<String>::new());
}
