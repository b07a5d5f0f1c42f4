//! Which calls reporters get, in which order, and how often.

use afresh_core::input::RunOpening;
use afresh_core::run::DriveState;
use afresh_core::run::settings::Settings;

use crate::support::{
    Driven, ReporterCall, ScriptedHost, SharedReporter, WorkerScript, decide, event_line, halt,
};

fn watched(host: ScriptedHost) -> (Driven, Vec<ReporterCall>) {
    let reporter = SharedReporter::default();
    let driven = host.drive_with(RunOpening::default(), vec![reporter.boxed()]);
    (driven, reporter.calls())
}

fn asking() -> ScriptedHost {
    ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::asks())
}

fn waits(calls: &[ReporterCall]) -> usize {
    calls.iter().filter(|it| matches!(it, ReporterCall::Waiting { .. })).count()
}

/// ST-01: reporters see exactly what is in the journal.
#[test]
fn every_stored_event_is_reported_once_with_its_place_in_the_journal() {
    let (driven, calls) = watched(ScriptedHost::of_plan("A: a\nB < A: b"));
    let reported: Vec<(u64, String)> = calls
        .into_iter()
        .filter_map(|it| match it {
            ReporterCall::Event { seq, line, .. } => Some((seq, line)),
            _ => None,
        })
        .collect();
    // The first event was there before the drive.
    let stored: Vec<(u64, String)> = (1..).zip(driven.events().map(event_line)).skip(1).collect();
    assert_eq!(reported, stored);
}

#[test]
fn an_event_is_reported_with_the_moment_of_its_store() {
    let (driven, calls) = watched(ScriptedHost::of_plan("A: a"));
    for (it, (at, _)) in calls.iter().zip(&driven.host.journal[1..]) {
        let ReporterCall::Event { wall_ms, .. } = it else { panic!("{it:?}") };
        assert_eq!(u64::try_from(*wall_ms).expect("a small time"), at.0);
    }
}

#[test]
fn the_end_is_reported_once_and_last() {
    let (driven, calls) = watched(ScriptedHost::of_plan("A: a"));
    driven.succeeds();
    assert_eq!(calls.iter().filter(|it| **it == ReporterCall::Ended).count(), 1);
    assert_eq!(calls.last(), Some(&ReporterCall::Ended));
}

#[test]
fn a_halted_drive_reports_its_end_too() {
    let (driven, calls) = watched(ScriptedHost::of_plan("A: a").waiting(halt()));
    assert_eq!(driven.state(), DriveState::Halted);
    assert_eq!(calls.last(), Some(&ReporterCall::Ended));
}

#[test]
fn a_killed_drive_reports_no_end() {
    let fault = crate::support::StoreFault::CrashAfter;
    let (_, calls) = watched(ScriptedHost::of_plan("A: a").fault(3, fault));
    assert!(!calls.contains(&ReporterCall::Ended));
}

#[test]
fn waiting_is_announced_once_while_the_same_questions_wait() {
    let answers = vec![decide(9, "x"), decide(9, "y"), decide(1, "left")];
    let (driven, calls) = watched(asking().person(answers));
    driven.succeeds();
    assert_eq!(waits(&calls), 1);
}

#[test]
fn waiting_is_announced_again_after_the_run_continued() {
    let host = asking().worker("A.2", WorkerScript::asks());
    let (driven, calls) = watched(host.person(vec![decide(1, "left"), decide(2, "left")]));
    driven.succeeds();
    assert_eq!(waits(&calls), 2);
}

#[test]
fn waiting_is_not_announced_without_a_person() {
    let (driven, calls) = watched(asking());
    assert_eq!(driven.state(), DriveState::Waiting);
    assert_eq!(waits(&calls), 0);
    assert_eq!(calls.last(), Some(&ReporterCall::Ended));
}

#[test]
fn waiting_is_not_announced_while_others_still_work() {
    let host = ScriptedHost::of_plan("A: a\nB: b").worker("A.1", WorkerScript::asks());
    let host = host.worker("B", WorkerScript::done().taking(60_000));
    let (driven, calls) = watched(host.person(vec![decide(1, "left")]));
    driven.succeeds();
    let position =
        |wanted: &dyn Fn(&ReporterCall) -> bool| calls.iter().position(wanted).expect("seen");
    let landed =
        position(&|it| matches!(it, ReporterCall::Event { line, .. } if line == "task-result B.1"));
    assert!(landed < position(&|it| matches!(it, ReporterCall::Waiting { questions: 1 })));
}

#[test]
fn an_interactive_run_announces_the_question_before_the_first_task() {
    let settings = Settings { interactive: true, ..Settings::default() };
    let host = ScriptedHost::with("A: a", settings).person(vec![decide(1, "start")]);
    let (driven, calls) = watched(host);
    driven.succeeds();
    assert_eq!(waits(&calls), 1);
}

#[test]
fn all_reporters_see_the_same() {
    let (first, second) = (SharedReporter::default(), SharedReporter::default());
    let host = asking().person(vec![decide(1, "left")]);
    host.drive_with(RunOpening::default(), vec![first.boxed(), second.boxed()]).succeeds();
    assert_eq!(first.calls(), second.calls());
    assert!(!first.calls().is_empty());
}

#[test]
fn a_run_without_reporters_ends_the_same() {
    let (driven, _) = watched(ScriptedHost::of_plan("A: a"));
    assert_eq!(driven.host.log, ScriptedHost::of_plan("A: a").drive().host.log);
}
