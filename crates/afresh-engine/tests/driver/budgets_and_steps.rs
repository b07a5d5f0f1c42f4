//! Budgets, context limits, and steps that outlive their worker.

use afresh_core::check::CheckPhase;
use afresh_core::plan::StepDraft;
use afresh_core::run::DriveState;
use afresh_core::run::settings::{Settings, TimeoutAction};
use afresh_core::usage::{Budget, ContextFill};
use afresh_core::{Event, Input};

use crate::support::{
    CheckFate, ScriptedHost, StoreFault, WorkerScript, attempt_id, check, commit, draft_of, file,
};

fn tokens(limit: u64) -> Budget {
    Budget { tokens: Some(limit), cost_micros: None }
}

fn with_budget(limit: u64) -> Settings {
    Settings { budget: tokens(limit), ..Settings::default() }
}

/// R14: a reached budget stops spending within one event.
#[test]
fn a_worker_that_reaches_the_budget_is_stopped() {
    let host = ScriptedHost::with("A: a\nB < A: b", with_budget(1_000));
    let driven = host.worker("A", WorkerScript::works_until_stopped().using(1_000)).drive();
    assert_eq!(driven.state(), DriveState::BudgetReached);
    driven.is_in_order(&["usage A.1", "budget-reached afresh", "→ stop A.1", "→ harvest A.1"]);
    assert!(!driven.has("→ start B.1"));
}

/// R14.
#[test]
fn below_the_budget_nothing_is_stopped() {
    let driven = ScriptedHost::with("A: a\nB < A: b", with_budget(1_000)).drive().succeeds();
    assert!(!driven.has("budget-reached afresh"));
}

/// R14: one worker goes ahead as long as nothing is known about the usage.
#[test]
fn with_a_budget_the_first_worker_starts_alone() {
    let driven = ScriptedHost::with("A: a\nB: b", with_budget(10_000)).drive().succeeds();
    driven.is_in_order(&["→ start A.1", "usage A.1", "→ start B.1"]);
}

/// R14.
#[test]
fn a_run_that_reached_its_budget_continues_with_more() {
    let host = ScriptedHost::with("A: a\nB < A: b", with_budget(1_000));
    let driven = host.worker("A.1", WorkerScript::works_until_stopped().using(1_000)).drive();
    let opening =
        afresh_core::input::RunOpening { settings: Some(with_budget(9_000)), ..Default::default() };
    let driven = driven.again().drive_with(opening, vec![]).succeeds();
    assert_eq!(driven.states(), "A done, B done");
}

#[test]
fn a_run_that_reached_its_budget_starts_nothing_without_more() {
    let host = ScriptedHost::with("A: a", with_budget(1_000));
    let driven = host.worker("A.1", WorkerScript::works_until_stopped().using(1_000)).drive();
    let driven = driven.again().drive();
    assert_eq!(driven.state(), DriveState::BudgetReached);
    assert!(!driven.has("→ start A.2") && !driven.has("→ resume as A.2"));
}

/// R14: a task's own budget fails the task and nothing else.
#[test]
fn a_task_that_uses_up_its_own_budget_fails_alone() {
    let settings = Settings { task_budget: tokens(500), ..Settings::default() };
    let host = ScriptedHost::with("A: a\nB: b", settings);
    let driven = host.worker("A", WorkerScript::works_until_stopped().using(500)).drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert!(driven.questions()[0].contains("failed:budget"), "{:?}", driven.questions());
    assert!(driven.has("task-result B.1"));
}

/// R14: usage of every attempt counts, also of those that failed.
#[test]
fn failed_attempts_count_for_the_usage() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::dies().using(700));
    assert_eq!(host.drive().succeeds().run.usage().tokens(), 800);
}

fn fills(percent: u64) -> Input {
    Input::ContextSeen(attempt_id("A.1"), ContextFill { used: percent, window: 100 })
}

/// AG-07.
#[test]
fn a_context_past_the_soft_limit_warns_the_worker_once() {
    let worker = WorkerScript::done().saying(fills(55)).saying(fills(60));
    let driven = ScriptedHost::of_plan("A: a").worker("A.1", worker).drive().succeeds();
    assert_eq!(driven.count("→ warn A.1"), 1);
    assert!(!driven.has("→ stop A.1"));
}

/// AG-07: at the hard limit a worker is ended and a fresh one continues.
#[test]
fn a_context_past_the_hard_limit_ends_the_worker() {
    let worker = WorkerScript::done().saying(fills(80));
    let driven = ScriptedHost::of_plan("A: a").worker("A.1", worker).drive().succeeds();
    driven.is_in_order(&["context-reached A.1", "→ stop A.1", "→ start A.2", "task-result A.2"]);
}

/// A task with two steps; the second has a check.
fn steps() -> ScriptedHost {
    let mut draft = draft_of("A: a");
    let step = |name: &str, checks| StepDraft {
        name: name.to_owned(),
        files: vec![file("a")],
        checks,
        ..StepDraft::default()
    };
    draft.tasks[0].steps = vec![step("one", vec![]), step("two", vec![check("test two")])];
    let settings = Settings { timeout_action: TimeoutAction::Retry, ..Settings::default() };
    ScriptedHost::of_draft(draft, settings)
}

fn claim(attempt: &str, step: u32) -> Input {
    Input::StepClaimed { attempt: attempt_id(attempt), step, deviations: vec![] }
}

/// EX-04.
#[test]
fn a_claimed_step_is_saved_and_answered_while_the_worker_works() {
    let worker = WorkerScript::done().saying(claim("A.1", 1));
    let driven = steps().worker("A.1", worker).drive().succeeds();
    driven.is_in_order(&[
        "step-claimed A.1",
        "→ save step 1 of A.1",
        "step-done A.1",
        "→ answer A.1 about step 1: Accepted",
        "spawn-complete A.1",
    ]);
}

/// EX-04: a step's own check runs before it counts.
#[test]
fn a_step_with_a_check_is_checked_before_it_is_answered() {
    let worker = WorkerScript::done().saying(claim("A.1", 1)).saying(claim("A.1", 2));
    let driven = steps().worker("A.1", worker).drive().succeeds();
    driven.is_in_order(&[
        "→ save step 2 of A.1",
        "→ check Step of A.1: test two",
        "→ answer A.1 about step 2: Accepted",
    ]);
}

/// EX-04: a refusal reaches the worker while it can still fix it.
#[test]
fn a_step_that_fails_its_check_is_refused() {
    let worker = WorkerScript::done().saying(claim("A.1", 1)).saying(claim("A.1", 2));
    let host = steps().worker("A.1", worker);
    let driven = host.check(CheckPhase::Step, "test two", CheckFate::Exits(1)).drive().succeeds();
    assert!(driven.has("step-refused A.1"));
    assert!(driven.log().contains("→ answer A.1 about step 2: Refused"));
}

fn second_start(driven: &crate::support::Driven) -> Option<afresh_core::ids::CommitId> {
    driven.events().find_map(|event| match event {
        Event::AttemptStarting { attempt, from, .. } if attempt.number == 2 => from.clone(),
        _ => None,
    })
}

/// AG-09: the next worker starts after the last finished step.
#[test]
fn a_worker_that_timed_out_leaves_its_step_to_the_next() {
    let worker = WorkerScript::times_out().saying(claim("A.1", 1));
    let driven = steps().worker("A.1", worker).drive().succeeds();
    assert_eq!(second_start(&driven), Some(commit("cA.1-1")));
}

/// ST-02: so it is after a kill of the driver.
#[test]
fn a_step_survives_the_driver() {
    let host = || steps().worker("A.1", WorkerScript::done().saying(claim("A.1", 1)));
    let whole = host().drive().succeeds();
    let mut crashes =
        (1..=whole.host.stores).map(|at| host().fault(at, StoreFault::CrashAfter).drive());
    let crashed = crashes.find(|driven| driven.last_event() == "step-done A.1");
    let driven = crashed.expect("a store of the step").again().drive().succeeds();
    assert_eq!(second_start(&driven), Some(commit("cA.1-1")));
}

/// ST-02: a step that was not judged yet is not a finished one.
#[test]
fn a_step_that_was_only_claimed_does_not_survive_the_driver() {
    let host = || steps().worker("A.1", WorkerScript::done().saying(claim("A.1", 1)));
    let whole = host().drive().succeeds();
    let mut crashes =
        (1..=whole.host.stores).map(|at| host().fault(at, StoreFault::CrashAfter).drive());
    let crashed = crashes.find(|driven| driven.last_event() == "step-claimed A.1");
    let driven = crashed.expect("a store of the claim").again().drive().succeeds();
    assert_eq!(second_start(&driven), None);
}

#[test]
fn a_step_out_of_order_is_refused_without_saving_anything() {
    let worker = WorkerScript::done().saying(claim("A.1", 2));
    let driven = steps().worker("A.1", worker).drive().succeeds();
    assert!(driven.log().contains(r#"Refused("step 1 comes first")"#));
    assert!(!driven.has("→ save step 2 of A.1"));
}

/// LO-01, PR-08: workers can add to the activity log.
#[test]
fn a_workers_line_for_the_log_is_stored() {
    let line = Input::WorkerLogged {
        attempt: attempt_id("A.1"),
        level: afresh_core::event::LogLevel::Info,
        event: "note".to_owned(),
        message: "half way".to_owned(),
    };
    let worker = WorkerScript::done().saying(line);
    let driven = ScriptedHost::of_plan("A: a").worker("A.1", worker).drive().succeeds();
    driven.is_in_order(&["spawned A.1", "worker A.1", "spawn-complete A.1"]);
}
