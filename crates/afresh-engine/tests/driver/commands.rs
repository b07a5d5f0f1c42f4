//! Commands from other terminals, with and without a driver.

use afresh_core::input::RunOpening;
use afresh_core::run::DriveState;
use afresh_core::run::settings::{OnFailure, Settings};
use afresh_core::time::Timestamp;
use afresh_core::{Input, Run};
use afresh_engine::ControlCommand;
use afresh_engine::driver::control::{AppliedCommand, PendingCommand, apply_without_driver};

use crate::support::{
    ReporterCall, ScriptedHost, SharedReporter, StoreFault, WorkerScript, clear_halt, decide, halt,
    halt_with, ignore, retry, run_id, skip, task_id,
};

fn cleared() -> RunOpening {
    RunOpening { clear_halt: true, ..RunOpening::default() }
}

/// ST-04, R7: after the first request attempts finish and nothing new starts.
#[test]
fn one_halt_lets_attempts_finish_and_starts_nothing_new() {
    let driven = ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", halt()).drive();
    assert_eq!(driven.state(), DriveState::Halted);
    assert_eq!(driven.states(), "A done, B ready");
    assert!(!driven.has("→ stop A.1"));
    assert_eq!(driven.answers(), ["ok"]);
}

/// ST-04, R7: the second ends them.
#[test]
fn a_second_halt_stops_workers_and_saves_what_they_left() {
    let host = ScriptedHost::of_plan("A: a").worker("A", WorkerScript::works_until_stopped());
    let driven = host.send("spawned A.1", halt()).send("halt person", halt()).drive();
    assert_eq!(driven.state(), DriveState::Halted);
    driven.is_in_order(&[
        "halt person",
        "halt-now person",
        "→ stop A.1",
        "→ stop checks",
        "spawn-complete A.1",
        "→ harvest A.1",
        "harvested A.1",
    ]);
}

#[test]
fn a_halt_now_stops_workers_at_the_first_request() {
    let host = ScriptedHost::of_plan("A: a").worker("A", WorkerScript::works_until_stopped());
    let driven = host.send("spawned A.1", halt_with("fire", true)).drive();
    assert_eq!(driven.state(), DriveState::Halted);
    assert!(driven.has("→ stop A.1"));
}

#[test]
fn a_third_halt_changes_nothing_and_is_answered() {
    let host = ScriptedHost::of_plan("A: a").worker("A", WorkerScript::works_until_stopped());
    let host = host.send("spawned A.1", halt_with("fire", true));
    let driven = host.send("halt-now person", halt()).drive();
    assert_eq!(driven.answers(), ["ok", "ok"]);
    assert_eq!(driven.count("→ stop A.1"), 1);
}

/// R7: a halt that waits before the run is opened comes before anything starts.
#[test]
fn a_halt_that_waits_already_keeps_everything_from_starting() {
    let driven = ScriptedHost::of_plan("A: a").waiting(halt()).drive();
    assert_eq!(driven.state(), DriveState::Halted);
    assert_eq!(driven.effects(), Vec::<&str>::new());
    driven.is_in_order(&["halt person", "opened afresh"]);
}

#[test]
fn other_commands_that_wait_already_come_after_the_opening() {
    let driven = ScriptedHost::of_plan("A: a\nB: b").waiting(skip("B")).drive();
    driven.is_in_order(&["opened afresh", "→ start A.1"]);
    assert_eq!(driven.answers(), ["B is being worked on; halt the run first"]);
}

#[test]
fn a_halt_is_taken_before_other_commands_that_waited_with_it() {
    let host = ScriptedHost::of_plan("A: a\nB: b").waiting(skip("B")).waiting(halt());
    let driven = host.drive();
    driven.is_in_order(&["halt person", "opened afresh", "task-result B"]);
    assert_eq!(driven.states(), "A ready, B skipped");
}

/// ST-04: `resume` clears it.
#[test]
fn a_halted_run_continues_once_the_halt_is_cleared() {
    let driven = ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", halt()).drive();
    let driven = driven.again().drive_with(cleared(), vec![]).succeeds();
    driven.is_in_order(&["halt-cleared afresh", "→ start B.1"]);
}

/// ST-04.
#[test]
fn a_halted_run_that_is_opened_without_clearing_stays_halted() {
    let driven = ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", halt()).drive();
    let driven = driven.again().drive();
    assert_eq!(driven.state(), DriveState::Halted);
    assert!(!driven.has("→ start B.1"));
}

#[test]
fn a_halt_can_be_cleared_while_attempts_still_finish() {
    let host = ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", halt());
    let driven = host.send("halt person", clear_halt()).drive().succeeds();
    assert_eq!(driven.answers(), ["ok", "ok"]);
}

/// AG-08, ST-04: what a halt cut off is tried again and does not count.
#[test]
fn an_attempt_that_was_halted_does_not_count() {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a", settings);
    let host = host.worker("A.1", WorkerScript::works_until_stopped());
    let driven = host.send("spawned A.1", halt_with("fire", true)).drive();
    let driven = driven.again().drive_with(cleared(), vec![]).succeeds();
    assert!(driven.has("task-result A.2"));
}

/// ST-04: `status` says by whom and why.
#[test]
fn a_halt_keeps_its_reason_and_its_author() {
    let driven = ScriptedHost::of_plan("A: a").waiting(halt_with("lunch", false)).drive();
    let halt = driven.status().halt.expect("a halt");
    assert_eq!((halt.by.as_str(), halt.reason.as_str(), halt.now), ("person", "lunch", false));
}

#[test]
fn clearing_a_halt_that_is_not_there_is_refused() {
    let driven = ScriptedHost::of_plan("A: a").send("spawned A.1", clear_halt()).drive();
    assert_eq!(driven.succeeds().answers(), ["the run is not halted"]);
}

/// ST-06.
#[test]
fn commands_that_do_not_fit_are_refused_with_the_reason() {
    let host = ScriptedHost::of_plan("A: a\nB < A: b");
    let driven = host
        .send("spawned A.1", retry("A"))
        .send("spawned A.1", skip("A"))
        .send("spawned A.1", ignore("A"))
        .send("spawned A.1", skip("X"))
        .send("spawned A.1", retry("X"))
        .send("spawned A.1", ignore("X"))
        .send("task-result A.1", retry("A"))
        .send("task-result A.1", skip("A"))
        .drive()
        .succeeds();
    assert_eq!(
        driven.answers(),
        [
            "A has not failed",
            "A is being worked on; halt the run first",
            "A is not skipped; skip it first",
            "there is no task X",
            "there is no task X",
            "there is no task X",
            "A is done; nothing is merged twice",
            "A is done",
        ]
    );
}

#[test]
fn every_message_gets_its_own_answer() {
    let host = ScriptedHost::of_plan("A: a\nB < A: b");
    let host = host.send("spawned A.1", skip("B")).send("spawned A.1", skip("B"));
    let driven = host.drive();
    let answers: Vec<(i64, &str)> =
        driven.host.answers.iter().map(|it| (it.message, it.text.as_str())).collect();
    assert_eq!(answers, [(1, "ok"), (2, "B is skipped already")]);
}

/// ST-06.
#[test]
fn a_skipped_task_that_is_retried_runs_in_the_same_drive() {
    let host = ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", skip("B"));
    let driven = host.send("task-result B", retry("B")).drive().succeeds();
    assert_eq!(driven.states(), "A done, B done");
}

/// HU-03.
#[test]
fn a_skipped_task_that_is_ignored_unblocks_its_dependents() {
    let host = ScriptedHost::of_plan("A: a\nB < A: b\nC < B: c").send("spawned A.1", skip("B"));
    let driven = host.send("task-result B", ignore("B")).drive();
    assert_eq!(driven.states(), "A done, B skipped, C done");
    assert_eq!(driven.answers(), ["ok", "ok"]);
}

#[test]
fn a_failed_task_can_be_retried_without_its_question() {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a", settings);
    let host = host.worker("A.1", WorkerScript::gives_up("stuck", None));
    let driven = host.person(vec![retry("A")]).drive().succeeds();
    assert!(driven.questions().is_empty());
}

#[test]
fn a_command_of_this_terminal_that_is_refused_reaches_the_reporters() {
    let reporter = SharedReporter::default();
    let host = ScriptedHost::of_plan("A: a");
    let host = host.input("spawned A.1", Input::RetryAsked(task_id("A")));
    let driven = host.drive_with(RunOpening::default(), vec![reporter.boxed()]).succeeds();
    assert!(reporter.calls().contains(&ReporterCall::Refused("A has not failed".to_owned())));
    assert!(driven.answers().is_empty());
}

#[test]
fn a_refused_command_of_the_inbox_does_not_reach_the_reporters() {
    let reporter = SharedReporter::default();
    let host = ScriptedHost::of_plan("A: a").send("spawned A.1", retry("A"));
    host.drive_with(RunOpening::default(), vec![reporter.boxed()]).succeeds();
    assert!(!reporter.calls().iter().any(|call| matches!(call, ReporterCall::Refused(_))));
}

/// R1: an answer and what follows from the command are stored together.
#[test]
fn an_answer_is_given_only_if_its_events_are_stored() {
    let host = ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", skip("B"));
    // 1: the opening, 2: the spawn, 3: the command.
    let driven = host.fault(3, StoreFault::CrashBefore).drive();
    assert!(driven.end.is_err());
    assert!(driven.answers().is_empty() && !driven.has("task-result B"));
}

fn applied(host: &mut ScriptedHost, commands: Vec<ControlCommand>) -> (Run, Vec<AppliedCommand>) {
    let mut run = host.replayed();
    let pending = (1..)
        .zip(commands)
        .map(|(message, command)| PendingCommand { message: Some(message), command })
        .collect();
    let applied = apply_without_driver(host, &mut run, Timestamp(9), pending, &mut []);
    (run, applied.expect("stored"))
}

/// ST-06: a run without a driver takes commands, and starts nothing.
#[test]
fn a_command_without_a_driver_is_recorded_and_starts_nothing() {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a", settings);
    let driven = host.worker("A.1", WorkerScript::gives_up("stuck", None)).drive();
    let mut host = driven.again();
    let (run, applied) = applied(&mut host, vec![retry("A")]);
    assert!(applied[0].refusal.is_none());
    assert!(run == host.replayed());
    assert!(!host.log.iter().any(|line| line == "spawn A.2"));
    host.drive().succeeds();
}

#[test]
fn commands_without_a_driver_are_stored_in_one_write() {
    let mut host = ScriptedHost::of_plan("A: a\nB: b");
    let (_, applied) = applied(&mut host, vec![skip("A"), skip("B")]);
    assert_eq!(applied.len(), 2);
    assert_eq!(host.stores, 1);
    assert_eq!(host.drive().states(), "A skipped, B skipped");
}

#[test]
fn a_refused_command_without_a_driver_gets_its_answer() {
    let mut host = ScriptedHost::of_plan("A: a");
    let (_, applied) = applied(&mut host, vec![retry("A"), clear_halt(), decide(1, "x")]);
    let refusals: Vec<String> = applied.into_iter().filter_map(|it| it.refusal).collect();
    let expected = ["A has not failed", "the run is not halted", "there is no open question Q1"];
    assert_eq!(refusals, expected);
    assert_eq!(host.answers.len(), 3);
    assert_eq!(host.journal.len(), 1);
}

#[test]
fn each_command_without_a_driver_finds_what_the_one_before_did() {
    let mut host = ScriptedHost::of_plan("A: a");
    let (_, applied) = applied(&mut host, vec![skip("A"), skip("A"), ignore("A")]);
    assert!(applied[0].refusal.is_none());
    assert_eq!(applied[1].refusal.as_deref(), Some("A is skipped already"));
    assert!(applied[2].refusal.is_none());
}

#[test]
fn a_halt_without_a_driver_holds_for_the_next_one() {
    let mut host = ScriptedHost::of_plan("A: a");
    applied(&mut host, vec![halt()]);
    assert_eq!(host.drive().state(), DriveState::Halted);
}

#[test]
fn reporters_see_a_command_without_a_driver_and_then_the_end() {
    let mut host = ScriptedHost::of_plan("A: a");
    let mut run = host.replayed();
    let reporter = SharedReporter::default();
    let pending = vec![PendingCommand { message: None, command: skip("A") }];
    let mut reporters = vec![reporter.boxed()];
    apply_without_driver(&mut host, &mut run, Timestamp(9), pending, &mut reporters)
        .expect("stored");
    let calls = reporter.calls();
    assert!(
        matches!(&calls[0], ReporterCall::Event { seq: 2, line, .. } if line == "task-result A")
    );
    assert_eq!(calls.last(), Some(&ReporterCall::Ended));
}

#[test]
fn a_command_without_a_driver_that_cannot_be_stored_is_an_error() {
    let mut host = ScriptedHost::of_plan("A: a").fault(1, StoreFault::DiskFull);
    let mut run = host.replayed();
    let pending = vec![PendingCommand { message: Some(1), command: skip("A") }];
    let result = apply_without_driver(&mut host, &mut run, Timestamp(9), pending, &mut []);
    assert!(result.is_err());
    assert!(host.answers.is_empty());
}

/// B36.
#[test]
fn secrets_in_a_persons_words_are_redacted() {
    let secrets = ["hunter2-hunter2".to_owned()];
    let words = "use hunter2-hunter2 there";
    let commands = [
        halt_with(words, false),
        decide(1, words),
        ControlCommand::Skip { run: run_id(), task: task_id("A"), reason: words.to_owned() },
    ];
    for command in commands {
        let text = format!("{:?}", command.without(&secrets));
        assert!(!text.contains("hunter2") && text.contains("use "), "{text}");
    }
}

#[test]
fn a_command_reads_back_from_the_inbox_as_it_was_sent() {
    let all = [halt(), clear_halt(), decide(2, "left"), retry("A"), skip("A"), ignore("A")];
    for command in all {
        let body = serde_json::to_string(&command).expect("plain data");
        assert_eq!(serde_json::from_str::<ControlCommand>(&body).expect("a command"), command);
        assert_eq!(command.run(), &run_id());
    }
}

#[test]
fn a_policy_that_skips_answers_no_command() {
    let settings = Settings { on_failure: OnFailure::Skip, ..Settings::default() };
    let host = ScriptedHost::with("A: a", settings).worker("A", WorkerScript::unintelligible());
    assert!(host.drive().answers().is_empty());
}
