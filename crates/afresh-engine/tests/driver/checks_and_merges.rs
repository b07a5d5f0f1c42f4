//! Checks that fail, merges that conflict, and a branch that is moved by someone else.

use afresh_core::Event;
use afresh_core::check::CheckPhase;
use afresh_core::input::{BranchMove, MergeBuild};
use afresh_core::run::DriveState;
use afresh_core::run::settings::Settings;

use crate::support::{CheckFate, ScriptedHost, commit, decide, halt, halt_with};

fn conflict(path: &str) -> MergeBuild {
    MergeBuild::Conflict { paths: vec![path.to_owned()], detail: String::new() }
}

/// B24, RE-03: a claim of success does not outweigh a failing check.
#[test]
fn a_check_that_fails_once_is_followed_by_a_fresh_worker() {
    let host = ScriptedHost::of_plan("A: a");
    let driven = host.check(CheckPhase::Alone, "test A", CheckFate::Exits(1)).drive().succeeds();
    driven.is_in_order(&["rejected A.1", "→ start A.2", "task-result A.2"]);
    assert!(!driven.has("→ merge A.1"));
}

#[test]
fn the_first_failing_check_ends_the_round() {
    let settings = Settings { always: vec!["lint".to_owned()], ..Settings::default() };
    let host = ScriptedHost::with("A: a", settings);
    let driven = host.check(CheckPhase::Alone, "test A", CheckFate::Exits(1)).drive().succeeds();
    let failed = driven.events().find_map(|event| match event {
        Event::AttemptRejected { reason, .. } => Some(reason.describe()),
        _ => None,
    });
    let failed = failed.expect("a rejection");
    assert!(failed.contains("test A") && !failed.contains("lint"), "{failed}");
}

/// R4: what passes alone and fails as the merged tree does not land.
#[test]
fn a_merged_tree_that_fails_its_checks_does_not_land() {
    let host = ScriptedHost::of_plan("A: a\nB: b");
    let driven = host.check(CheckPhase::Merged, "test B", CheckFate::Exits(1)).drive().succeeds();
    assert!(!driven.has("→ move branch to B.1"));
    driven.is_in_order(&["rejected B.1", "→ start B.2", "task-result B.2"]);
}

#[test]
fn a_broken_merge_does_not_count_against_the_attempts() {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a\nB: b", settings);
    let driven = host.check(CheckPhase::Merged, "test B", CheckFate::Exits(1)).drive().succeeds();
    assert!(driven.has("task-result B.2"));
}

/// EX-05.
#[test]
fn a_conflict_starts_a_fresh_worker_on_the_new_tip() {
    let host = ScriptedHost::of_plan("A: a\nB: b").merge("B.1", conflict("b"));
    let driven = host.drive().succeeds();
    driven.is_in_order(&["task-result A.1", "rejected B.1", "→ start B.2"]);
    let base = driven.events().find_map(|event| match event {
        Event::AttemptStarting { attempt, base, .. } if attempt.to_string() == "B.2" => {
            Some(base.clone())
        }
        _ => None,
    });
    assert_eq!(base, Some(commit("mA.1")));
}

#[test]
fn a_conflict_does_not_count_against_the_attempts() {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a\nB: b", settings).merge("B.1", conflict("b"));
    host.drive().succeeds();
}

#[test]
fn a_merge_that_cannot_be_tried_counts_and_says_why() {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let impossible = MergeBuild::Impossible("the object is missing".to_owned());
    let driven = ScriptedHost::with("A: a", settings).merge("A.1", impossible).drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert!(driven.questions()[0].contains("could not be merged: the object is missing"));
}

#[test]
fn while_one_merge_is_checked_other_tasks_continue() {
    let host = ScriptedHost::of_plan("A: a\nB: b\nC < A: c");
    let driven = host.check(CheckPhase::Merged, "test B", CheckFate::Exits(1)).drive().succeeds();
    assert_eq!(driven.states(), "A done, B done, C done");
}

#[test]
fn checks_that_cannot_run_reject_the_attempt_with_the_reason() {
    let host = ScriptedHost::of_plan("A: a");
    let impossible = CheckFate::Impossible("no workspace".to_owned());
    let driven = host.check(CheckPhase::Alone, "test A", impossible).drive().succeeds();
    let rejected = driven.events().any(|event| {
        matches!(event, Event::AttemptRejected { reason, .. }
            if reason.describe().contains("checks could not run: no workspace"))
    });
    assert!(rejected);
}

/// R4: the run fails where its last tree does.
#[test]
fn final_checks_that_fail_end_the_run_as_failed() {
    let host = ScriptedHost::of_plan("A: a");
    let driven = host.check(CheckPhase::Final, "test A", CheckFate::Exits(3)).drive();
    assert_eq!(driven.state(), DriveState::Finished { ok: false });
    assert_eq!(driven.states(), "A done");
    let error = driven.status().error.expect("an error");
    assert!(error.contains("`test A` ended with exit code 3"), "{error}");
}

#[test]
fn failed_final_checks_run_again_when_the_run_is_opened_again() {
    let host = ScriptedHost::of_plan("A: a");
    let driven = host.check(CheckPhase::Final, "test A", CheckFate::Exits(3)).drive();
    let driven = driven.again().drive().succeeds();
    assert_eq!(driven.count("→ check Final of run: test A"), 2);
}

#[test]
fn final_checks_that_cannot_run_halt_the_run() {
    let host = ScriptedHost::of_plan("A: a");
    let impossible = CheckFate::Impossible("no workspace".to_owned());
    let driven = host.check(CheckPhase::Final, "test A", impossible).drive();
    assert_eq!(driven.state(), DriveState::Halted);
    assert!(driven.status().halt.is_some_and(|halt| halt.reason.contains("no workspace")));
}

/// F13: a branch that someone else moved is not overwritten.
#[test]
fn a_foreign_commit_on_the_branch_is_asked_about() {
    let host = ScriptedHost::of_plan("A: a");
    let driven = host.branch("A.1", BranchMove::Foreign(commit("other"))).drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert!(driven.questions()[0].contains("not by afresh"), "{:?}", driven.questions());
    assert!(!driven.has("task-result A.1"));
}

/// F13: restoring keeps the foreign commit.
#[test]
fn restoring_the_branch_is_recorded_before_it_is_done() {
    let host = ScriptedHost::of_plan("A: a").person(vec![decide(1, "restore")]);
    let driven = host.branch("A.1", BranchMove::Foreign(commit("other"))).drive().succeeds();
    driven.is_in_order(&["branch-restored A.1", "→ restore for A.1", "task-result A.1"]);
}

#[test]
fn a_branch_that_was_moved_back_by_hand_is_tried_again() {
    let host = ScriptedHost::of_plan("A: a").person(vec![decide(1, "retry")]);
    let driven = host.branch("A.1", BranchMove::Foreign(commit("other"))).drive().succeeds();
    assert_eq!(driven.count("→ move branch to A.1"), 2);
    assert!(!driven.has("→ restore for A.1"));
}

/// BE-06: only what depends on a question waits.
#[test]
fn workers_continue_while_the_branch_is_asked_about() {
    let host = ScriptedHost::of_plan("A: a\nB: b");
    let driven = host.branch("A.1", BranchMove::Foreign(commit("other"))).drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert!(driven.has("→ check Alone of B.1: test B"));
    assert!(!driven.has("→ merge B.1"));
}

/// R3.
#[test]
fn a_merge_commit_that_was_collected_is_made_again() {
    let driven = ScriptedHost::of_plan("A: a").branch("A.1", BranchMove::CommitGone).drive();
    let driven = driven.succeeds();
    assert_eq!(driven.count("→ merge A.1"), 2);
    assert_eq!(driven.count("task-result A.1"), 1);
}

/// R7: after the second request checks are stopped, too.
#[test]
fn a_halt_now_stops_checks_and_the_next_drive_runs_them_again() {
    let host = ScriptedHost::of_plan("A: a");
    let host = host.check(CheckPhase::Alone, "test A", CheckFate::Hangs);
    let driven = host.send("in-scope A.1", halt_with("stop", true)).drive();
    assert_eq!(driven.state(), DriveState::Halted);
    driven.is_in_order(&["halt-now person", "→ stop checks", "checks-stopped A.1"]);
    let opening = afresh_core::input::RunOpening { clear_halt: true, ..Default::default() };
    let driven = driven.again().drive_with(opening, vec![]).succeeds();
    assert_eq!(driven.count("→ check Alone of A.1: test A"), 2);
    assert!(!driven.has("→ start A.2"));
}

/// ST-04: a first halt lets a merge that is underway land.
#[test]
fn a_gentle_halt_lets_checked_work_land() {
    let driven = ScriptedHost::of_plan("A: a\nB < A: b").send("in-scope A.1", halt()).drive();
    assert_eq!(driven.state(), DriveState::Halted);
    assert_eq!(driven.count("→ start B.1"), 0);
    assert!(driven.has("task-result A.1"), "{}", driven.log());
}
