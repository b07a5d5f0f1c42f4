//! A driver that is killed, and the next one that continues from its journal.

use afresh_core::check::CheckPhase;
use afresh_core::input::RunOpening;
use afresh_core::run::DriveState;
use afresh_core::run::settings::{OnOrphan, Settings};
use afresh_core::{Event, Input};

use crate::support::{
    CheckFate, Driven, ScriptedHost, StoreFault, WorkerScript, attempt_id, decide, draft_of, halt,
};

/// A run with dependencies, a death, a failing check, a failing merge and a question with its answer.
fn eventful() -> ScriptedHost {
    ScriptedHost::of_plan("A: a\nB < A: b\nC: c\nD < B C: d")
        .worker("A.1", WorkerScript::dies())
        .worker("C.1", WorkerScript::asks())
        .check(CheckPhase::Alone, "test B", CheckFate::Exits(1))
        .person(vec![decide(1, "left")])
}

/// How often each task was merged.
fn merges(driven: &Driven) -> Vec<String> {
    let merged = driven.events().filter_map(|event| match event {
        Event::Merged { attempt, .. } => Some(attempt.task.to_string()),
        _ => None,
    });
    let mut merged: Vec<String> = merged.collect();
    merged.sort();
    merged
}

fn crash_everywhere(fault: StoreFault) {
    let whole = eventful().drive().succeeds();
    for store in 1..=whole.host.stores {
        let crashed = eventful().fault(store, fault).drive();
        assert!(crashed.end.is_err(), "store {store} was not reached");
        let again = crashed.again().person(vec![decide(1, "left")]).drive();
        assert_eq!(again.state(), whole.state(), "after a crash at store {store}");
        assert_eq!(again.states(), whole.states(), "after a crash at store {store}");
        assert_eq!(merges(&again), merges(&whole), "after a crash at store {store}");
        assert!(again.host.replayed() == again.run, "after a crash at store {store}");
    }
}

/// R1, R3, R12, ST-02.
#[test]
fn a_crash_before_any_store_leads_to_the_same_end() {
    crash_everywhere(StoreFault::CrashBefore);
}

/// R1, R3, R12, ST-02: stored, but nothing of it performed.
#[test]
fn a_crash_after_any_store_leads_to_the_same_end() {
    crash_everywhere(StoreFault::CrashAfter);
}

/// R12: recovery can be killed and repeated.
#[test]
fn a_run_whose_recovery_is_killed_at_every_store_still_ends() {
    for store in 1..=6 {
        let mut driven = eventful().fault(8, StoreFault::CrashAfter).drive();
        for _ in 0..5 {
            driven = driven.again().fault(store, StoreFault::CrashAfter).drive();
        }
        driven.again().person(vec![decide(1, "left")]).drive().succeeds();
    }
}

fn killed_while_running(on_orphan: OnOrphan) -> ScriptedHost {
    let settings = Settings { on_orphan, ..Settings::default() };
    // 1: the opening, 2: the spawn.
    ScriptedHost::with("A: a", settings).fault(2, StoreFault::CrashAfter).drive().again()
}

/// ST-02, R2: an attempt of a dead driver is never adopted.
#[test]
fn an_orphaned_attempt_is_saved_and_followed_by_another() {
    let driven = killed_while_running(OnOrphan::Retry).drive().succeeds();
    driven.is_in_order(&[
        "spawn-complete A.1",
        "→ harvest A.1",
        "rejected A.1",
        "→ start A.2",
        "task-result A.2",
    ]);
}

/// ST-02: orphans are retried, skipped, aborted or asked about, as the settings say.
#[test]
fn orphans_are_treated_as_the_settings_say() {
    let skipped = killed_while_running(OnOrphan::Skip).drive();
    assert_eq!(skipped.states(), "A skipped");
    let waiting = killed_while_running(OnOrphan::Ask).drive();
    assert_eq!(waiting.state(), DriveState::Waiting);
    let aborted = killed_while_running(OnOrphan::Abort).drive();
    assert_eq!(aborted.state(), DriveState::Finished { ok: false });
    assert!(aborted.has("aborted afresh"));
}

#[test]
fn an_orphan_does_not_count_against_the_attempts() {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a", settings).fault(2, StoreFault::CrashAfter);
    host.drive().again().drive().succeeds();
}

/// R2: a late report of an attempt of the dead driver changes nothing.
#[test]
fn a_late_report_of_an_old_attempt_changes_nothing() {
    let late = afresh_core::input::AttemptEnd::new(
        afresh_core::process::ProcessEnd::Exited(0),
        afresh_core::outcome::Outcome::Silent,
        afresh_core::usage::Usage::default(),
        1,
    );
    let host = killed_while_running(OnOrphan::Retry);
    let late = Input::AttemptEnded(attempt_id("A.1"), Box::new(late));
    let driven = host.input("spawned A.2", late).drive().succeeds();
    assert_eq!(driven.count("spawn-complete A.1"), 1);
    assert_eq!(merges(&driven), ["A"]);
}

/// R3: killed between the intent and the move of the branch.
#[test]
fn a_landing_that_was_intended_is_completed_and_not_repeated() {
    let whole = ScriptedHost::of_plan("A: a").drive().succeeds();
    let stores = 1..=whole.host.stores;
    let crashed = stores
        .map(|at| ScriptedHost::of_plan("A: a").fault(at, StoreFault::CrashAfter).drive())
        .find(|driven| driven.last_event() == "landing A.1");
    let driven = crashed.expect("a store of the intent").again().drive().succeeds();
    assert_eq!(driven.count("→ move branch to A.1"), 1);
    assert_eq!(driven.count("→ merge A.1"), 1);
    assert!(!driven.has("→ start A.2"));
}

#[test]
fn checks_that_were_running_are_asked_for_again() {
    let host = ScriptedHost::of_plan("A: a");
    let host = host.check(CheckPhase::Alone, "test A", CheckFate::Hangs);
    let driven = host.drive();
    assert!(driven.end.is_err(), "nothing happens while a check hangs");
    let driven = driven.again().drive().succeeds();
    assert_eq!(driven.count("→ check Alone of A.1: test A"), 2);
    assert!(!driven.has("→ start A.2"));
}

#[test]
fn final_checks_that_were_running_are_asked_for_again() {
    let host = ScriptedHost::of_plan("A: a");
    let driven = host.check(CheckPhase::Final, "test A", CheckFate::Hangs).drive();
    assert!(driven.end.is_err());
    let driven = driven.again().drive().succeeds();
    assert_eq!(driven.count("→ check Final of run: test A"), 2);
    assert_eq!(driven.count("final-checks afresh"), 1);
}

#[test]
fn every_drive_opens_the_run_with_the_next_number() {
    let driven = ScriptedHost::of_plan("A: a").drive().again().drive().again().drive();
    let epochs: Vec<u32> = driven
        .events()
        .filter_map(|event| match event {
            Event::Opened { epoch } => Some(*epoch),
            _ => None,
        })
        .collect();
    assert_eq!(epochs, [1, 2, 3]);
}

/// A backoff deadline is on the run's own clock, so it holds after a restart.
#[test]
fn a_backoff_is_waited_for_by_the_next_driver() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::dies());
    let whole = host.drive().succeeds();
    let rejected = whole.at("rejected A.1");
    for store in 1..=whole.host.stores {
        let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::dies());
        let crashed = host.fault(store, StoreFault::CrashAfter).drive();
        if crashed.last_event() == "rejected A.1" {
            let driven = crashed.again().drive().succeeds();
            assert_eq!(driven.at("spawn A.2"), rejected + 2_000);
            return;
        }
    }
    panic!("no store ends with the rejection");
}

#[test]
fn a_changed_plan_takes_effect_when_the_run_is_opened() {
    let driven = ScriptedHost::of_plan("A: a").drive().succeeds();
    let plan = afresh_core::Plan::new(draft_of("A: a\nB < A: b")).expect("a plan");
    let opening = RunOpening { plan: Some(plan), ..RunOpening::default() };
    let driven = driven.again().drive_with(opening, vec![]).succeeds();
    assert_eq!(driven.states(), "A done, B done");
    assert_eq!(driven.count("task-result A.1"), 1);
}

#[test]
fn the_same_plan_and_settings_change_nothing() {
    let driven = ScriptedHost::of_plan("A: a").drive().succeeds();
    let plan = Some(driven.run.plan().clone());
    let settings = Some(driven.run.settings().clone());
    let opening = RunOpening { plan, settings, ..RunOpening::default() };
    let driven = driven.again().drive_with(opening, vec![]).succeeds();
    assert!(!driven.has("plan-changed afresh") && !driven.has("settings-changed afresh"));
}

/// ST-05: only what failed.
#[test]
fn resuming_what_failed_retries_failed_tasks() {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a\nB: b", settings);
    let driven = host.worker("A.1", WorkerScript::gives_up("stuck", None)).drive();
    let resume = Some(afresh_core::input::ResumeMode::Failed);
    let opening = RunOpening { resume, ..RunOpening::default() };
    let driven = driven.again().drive_with(opening, vec![]).succeeds();
    assert_eq!(driven.count("→ start B.1"), 1);
    assert!(driven.has("task-result A.2"));
}

/// ST-05: the whole wave again; the branch moves back first.
#[test]
fn resuming_a_wave_moves_the_branch_back_before_anything_starts() {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a\nB: b", settings);
    let driven = host.worker("A.1", WorkerScript::gives_up("stuck", None)).drive();
    let resume = Some(afresh_core::input::ResumeMode::Wave);
    let opening = RunOpening { resume, ..RunOpening::default() };
    let driven = driven.again().drive_with(opening, vec![]).succeeds();
    driven.is_in_order(&["rewinding afresh", "→ move back", "rewound afresh", "→ start B.2"]);
    assert_eq!(driven.states(), "A done, B done");
}

/// ST-05: not at all.
#[test]
fn abandoning_a_run_starts_nothing() {
    let driven = ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", halt()).drive();
    let resume = Some(afresh_core::input::ResumeMode::Abort);
    let opening = RunOpening { resume, clear_halt: true, ..RunOpening::default() };
    let driven = driven.again().drive_with(opening, vec![]);
    assert_eq!(driven.state(), DriveState::Finished { ok: false });
    assert!(!driven.has("→ start B.1"));
}
