//! Runs in which nothing goes wrong.

use afresh_core::Event;
use afresh_core::check::CheckPhase;
use afresh_core::plan::TaskDraft;
use afresh_core::run::DriveState;
use afresh_core::run::settings::{Schedule, Settings};

use crate::support::{Driven, ScriptedHost, WorkerScript, check, draft_of, task_id};

/// EX-05: every effect of one task, in order, each after what was stored before it.
#[test]
fn one_task_goes_from_its_start_to_the_branch() {
    let driven = ScriptedHost::of_plan("A: a.txt").drive().succeeds();
    assert_eq!(
        driven.host.log,
        [
            "opened afresh",
            "spawn A.1",
            "→ start A.1",
            "spawned A.1",
            "usage A.1",
            "spawn-complete A.1",
            "→ harvest A.1",
            "harvested A.1",
            "in-scope A.1",
            "→ check Alone of A.1: test A",
            "validation A.1",
            "merge A.1",
            "→ merge A.1",
            "landing A.1",
            "→ move branch to A.1",
            "task-result A.1",
            "final-checks afresh",
            "→ check Final of run: test A",
            "validation afresh",
        ]
    );
}

/// EX-01, EX-03: a dependent starts once what it needs is on the branch.
#[test]
fn a_dependent_starts_after_its_dependency_landed() {
    let driven = ScriptedHost::of_plan("A: a.txt\nB < A: b.txt").drive().succeeds();
    driven.is_in_order(&["task-result A.1", "→ start B.1", "task-result B.1"]);
}

/// EX-03: the base of an attempt is the branch as it was when it started.
#[test]
fn the_base_of_a_dependent_holds_its_dependency() {
    let driven = ScriptedHost::of_plan("A: a.txt\nB < A: b.txt").drive().succeeds();
    let landed = driven.events().find_map(|event| match event {
        Event::Merged { attempt, commit } if attempt.task == task_id("A") => Some(commit.clone()),
        _ => None,
    });
    let base = driven.events().find_map(|event| match event {
        Event::AttemptStarting { attempt, base, .. } if attempt.task == task_id("B") => {
            Some(base.clone())
        }
        _ => None,
    });
    assert!(landed.is_some());
    assert_eq!(base, landed);
}

#[test]
fn a_chain_lands_in_its_order_whatever_the_order_in_the_plan() {
    let driven = ScriptedHost::of_plan("C < B: c\nB < A: b\nA: a").drive().succeeds();
    driven.is_in_order(&["task-result A.1", "task-result B.1", "task-result C.1"]);
}

#[test]
fn a_diamond_lands_its_last_task_after_both_sides() {
    let plan = "A: a\nB < A: b\nC < A: c\nD < B C: d";
    let driven = ScriptedHost::of_plan(plan).drive().succeeds();
    let last = driven.place("→ start D.1");
    assert!(driven.place("task-result B.1") < last && driven.place("task-result C.1") < last);
}

/// EX-01: as many at once as allowed, and no more.
#[test]
fn independent_tasks_run_at_once_up_to_the_limit() {
    for parallel in [1, 2, 3, 5] {
        let settings = Settings { parallel, ..Settings::default() };
        let plan = "A: a\nB: b\nC: c\nD: d\nE: e";
        let driven = ScriptedHost::with(plan, settings).drive().succeeds();
        assert_eq!(driven.host.most_alive, usize::from(parallel));
    }
}

/// EX-01: two tasks that may write one file never run at once.
#[test]
fn tasks_that_share_a_file_run_one_after_the_other() {
    let driven = ScriptedHost::of_plan("A: same.txt\nB: same.txt").drive().succeeds();
    assert_eq!(driven.host.most_alive, 1);
    driven.is_in_order(&["task-result A.1", "→ start B.1"]);
}

#[test]
fn a_task_without_files_runs_alone() {
    let driven = ScriptedHost::of_plan("A:\nB: b").drive().succeeds();
    assert_eq!(driven.host.most_alive, 1);
}

#[test]
fn a_task_without_files_may_run_beside_others_if_that_is_set() {
    let settings = Settings { unlisted_beside_others: true, ..Settings::default() };
    let driven = ScriptedHost::with("A:\nB: b", settings).drive().succeeds();
    assert_eq!(driven.host.most_alive, 2);
}

/// `B` is slow, `C` depends only on the fast `A`.
fn slow_neighbour(schedule: Schedule) -> Driven {
    let settings = Settings { schedule, ..Settings::default() };
    let slow = WorkerScript::done().taking(60_000);
    ScriptedHost::with("A: a\nB: b\nC < A: c", settings).worker("B.1", slow).drive().succeeds()
}

/// EX-02.
#[test]
fn eager_starts_a_dependent_while_a_neighbour_still_works() {
    slow_neighbour(Schedule::Eager).is_in_order(&["→ start C.1", "spawn-complete B.1"]);
}

/// EX-02: a barrier between waves.
#[test]
fn waves_start_nothing_of_the_next_wave_before_this_one_has_landed() {
    slow_neighbour(Schedule::Waves).is_in_order(&["task-result B.1", "→ start C.1"]);
}

/// EX-02: the longest remaining path first.
#[test]
fn eager_starts_the_head_of_the_longest_path_first() {
    let settings = Settings { parallel: 1, ..Settings::default() };
    let driven = ScriptedHost::with("X: x\nA: a\nB < A: b", settings).drive().succeeds();
    driven.is_in_order(&["→ start A.1", "→ start X.1"]);
}

/// EX-05: one merge at a time, in the order in which checks passed.
#[test]
fn the_second_of_two_tasks_is_checked_again_as_the_merged_tree() {
    let driven = ScriptedHost::of_plan("A: a\nB: b").drive().succeeds();
    assert!(!driven.has("→ check Merged of A.1: test A"));
    driven.is_in_order(&[
        "task-result A.1",
        "→ merge B.1",
        "→ check Merged of B.1: test B",
        "→ move branch to B.1",
    ]);
}

#[test]
fn no_merge_starts_before_the_one_before_it_has_landed() {
    let driven = ScriptedHost::of_plan("A: a\nB: b\nC: c").drive().succeeds();
    driven.is_in_order(&[
        "→ merge A.1",
        "task-result A.1",
        "→ merge B.1",
        "task-result B.1",
        "→ merge C.1",
    ]);
}

/// EX-05: each done task has a receipt, of exactly the tree that landed.
#[test]
fn every_landed_task_has_a_receipt_with_its_checks() {
    let driven = ScriptedHost::of_plan("A: a\nB: b").drive().succeeds();
    for task in driven.status().tasks {
        let receipt = task.receipt.expect("a receipt");
        assert_eq!(receipt.checks.len(), 1);
        assert_eq!(receipt.checks[0].command, format!("test {}", task.id));
    }
}

#[test]
fn checks_of_every_merge_run_beside_the_tasks_own() {
    let settings = Settings { always: vec!["lint".to_owned()], ..Settings::default() };
    let driven = ScriptedHost::with("A: a", settings).drive().succeeds();
    assert!(driven.has("→ check Alone of A.1: test A, lint"));
    assert!(driven.has("→ check Final of run: test A, lint"));
}

#[test]
fn the_final_checks_run_each_command_once() {
    let mut draft = draft_of("A: a\nB: b");
    for task in &mut draft.tasks {
        task.checks.push(check("lint"));
    }
    let driven = ScriptedHost::of_draft(draft, Settings::default()).drive().succeeds();
    assert!(driven.has("→ check Final of run: test A, lint, test B"));
}

/// EX-09: `--task ID`.
#[test]
fn with_one_task_asked_for_the_others_do_not_start() {
    let settings = Settings { only: Some(task_id("B")), ..Settings::default() };
    let driven = ScriptedHost::with("A: a\nB: b", settings).drive().succeeds();
    assert_eq!(driven.states(), "A ready, B done");
    assert!(!driven.has("final-checks afresh"));
}

/// EX-09: what is done is not done again.
#[test]
fn a_finished_run_that_is_opened_again_starts_nothing() {
    let driven = ScriptedHost::of_plan("A: a").drive().succeeds();
    let before = driven.effects().len();
    let again = driven.again().drive().succeeds();
    assert_eq!(again.effects().len(), before);
    assert_eq!(again.count("opened afresh"), 2);
}

/// FO-02: what was finished before is not done again.
#[test]
fn a_task_that_was_done_before_starts_no_worker() {
    let mut draft = draft_of("A: a\nB < A: b");
    draft.tasks[0].done_before = Some("ticked".to_owned());
    let driven = ScriptedHost::of_draft(draft, Settings::default()).drive().succeeds();
    assert!(!driven.has("→ start A.1"));
    assert!(driven.has("→ start B.1"));
}

/// EX-11: a `red_first` check is seen to fail on the base before it counts.
#[test]
fn a_red_first_check_runs_on_the_base_before_the_attempts_own_tree() {
    let mut draft = draft_of("A: a");
    draft.tasks[0].checks[0].red_first = true;
    let driven = ScriptedHost::of_draft(draft, Settings::default()).drive().succeeds();
    driven.is_in_order(&[
        "→ check Red of A.1: test A",
        "red-seen A.1",
        "→ check Alone of A.1: test A",
    ]);
}

/// EX-11: a check that passes before the work is done proves nothing.
#[test]
fn a_red_first_check_that_passes_on_the_base_rejects_the_attempt() {
    let mut draft = draft_of("A: a");
    draft.tasks[0].checks[0].red_first = true;
    let host = ScriptedHost::of_draft(draft, Settings::default());
    let passes = crate::support::CheckFate::Exits(0);
    let driven = host.check(CheckPhase::Red, "test A", passes).drive().succeeds();
    driven.is_in_order(&["rejected A.1", "→ start A.2", "red-seen A.2"]);
}

#[test]
fn a_task_without_checks_lands_without_a_round() {
    let task = TaskDraft {
        id: "A".to_owned(),
        title: "task A".to_owned(),
        no_check: Some("prose".to_owned()),
        ..TaskDraft::default()
    };
    let mut draft = draft_of("");
    draft.tasks = vec![task];
    let driven = ScriptedHost::of_draft(draft, Settings::default()).drive();
    assert_eq!(driven.state(), DriveState::Finished { ok: true });
    assert_eq!(driven.states(), "A done");
}

/// ST-01: the run in memory is the run of the journal.
#[test]
fn the_journal_leads_to_the_run_that_the_driver_has() {
    let driven = ScriptedHost::of_plan("A: a\nB < A: b\nC: c").drive().succeeds();
    assert!(driven.host.replayed() == driven.run);
}

/// LO-03: usage is counted once per attempt, though it is reported twice.
#[test]
fn usage_is_counted_once_per_attempt() {
    let driven = ScriptedHost::of_plan("A: a\nB: b").drive().succeeds();
    assert_eq!(driven.run.usage().tokens(), 200);
}
