//! Deadlines, and when the driver waits for what.

use afresh_core::run::DriveState;
use afresh_core::run::settings::Settings;

use crate::support::{ScriptedHost, WorkerScript, halt, skip};

#[test]
fn without_a_backoff_there_is_no_deadline() {
    let driven = ScriptedHost::of_plan("A: a\nB: b").drive().succeeds();
    assert!(driven.host.deadlines.is_empty(), "{:?}", driven.host.deadlines);
}

#[test]
fn reports_that_come_before_a_deadline_are_taken_first() {
    let host = ScriptedHost::of_plan("A: a\nB: b").worker("A.1", WorkerScript::dies());
    let driven = host.worker("B", WorkerScript::done().taking(1_500)).drive().succeeds();
    driven.is_in_order(&["rejected A.1", "spawn-complete B.1", "→ start A.2"]);
    assert_eq!(driven.at("spawn A.2") - driven.at("rejected A.1"), 2_000);
}

#[test]
fn the_earlier_of_two_deadlines_is_waited_for() {
    let host = ScriptedHost::of_plan("A: a\nB: b").worker("A.1", WorkerScript::dies());
    let host = host.worker("B.1", WorkerScript::dies().taking(1_400));
    let driven = host.drive().succeeds();
    assert_eq!(driven.at("spawn A.2") - driven.at("rejected A.1"), 2_000);
    assert_eq!(driven.at("spawn B.2") - driven.at("rejected B.1"), 2_000);
    driven.is_in_order(&["→ start A.2", "→ start B.2"]);
}

/// R7: a halted run does not wait for a backoff.
#[test]
fn a_halt_during_a_backoff_ends_the_drive() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::dies());
    let driven = host.send("rejected A.1", halt()).drive();
    assert_eq!(driven.state(), DriveState::Halted);
    assert!(!driven.has("→ start A.2"));
    assert_eq!(driven.host.now.0, driven.at("rejected A.1"));
}

#[test]
fn a_task_that_is_skipped_during_its_backoff_is_not_waited_for() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::dies());
    let driven = host.send("rejected A.1", skip("A")).drive();
    assert_eq!(driven.states(), "A skipped");
    assert_eq!(driven.host.now.0, driven.at("rejected A.1"));
}

#[test]
fn a_worker_that_takes_hours_is_waited_for_without_a_deadline() {
    let slow = WorkerScript::done().taking(5 * 60 * 60 * 1_000);
    let driven = ScriptedHost::of_plan("A: a").worker("A", slow).drive().succeeds();
    assert!(driven.host.deadlines.is_empty());
    assert!(driven.host.now.0 > 5 * 60 * 60 * 1_000);
}

#[test]
fn every_turn_after_the_opening_is_acknowledged() {
    let driven = ScriptedHost::of_plan("A: a").drive().succeeds();
    assert!(driven.host.acknowledged >= driven.host.stores - 1);
}

#[test]
fn a_long_backoff_list_is_used_one_by_one() {
    let seconds = [1, 10, 100].map(std::time::Duration::from_secs).to_vec();
    let settings = Settings { backoff: seconds, attempts: 5, ..Settings::default() };
    let host = ScriptedHost::with("A: a", settings);
    let host = ["A.1", "A.2", "A.3"]
        .into_iter()
        .fold(host, |host, attempt| host.worker(attempt, WorkerScript::dies()));
    let driven = host.drive().succeeds();
    let pause = |number: u32| {
        let next = format!("spawn A.{}", number + 1);
        driven.at(&next) - driven.at(&format!("rejected A.{number}"))
    };
    assert_eq!([pause(1), pause(2), pause(3)], [1_000, 10_000, 100_000]);
}

#[test]
fn times_in_the_journal_never_go_backwards() {
    let host = ScriptedHost::of_plan("A: a\nB: b\nC < A B: c").worker("A.1", WorkerScript::dies());
    let driven = host.drive().succeeds();
    assert!(driven.host.journal.is_sorted_by_key(|(at, _)| *at));
}
