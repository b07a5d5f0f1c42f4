//! A journal that cannot be written: nothing unstored happens.

use afresh_core::input::RunOpening;
use afresh_engine::DriveError;

use crate::support::{ReporterCall, ScriptedHost, SharedReporter, StoreFault, WorkerScript, halt};

fn failing(store: usize) -> ScriptedHost {
    ScriptedHost::of_plan("A: a\nB: b").fault(store, StoreFault::DiskFull)
}

/// R9, F05: the opening cannot be stored, so nothing starts.
#[test]
fn nothing_is_performed_if_the_opening_is_not_stored() {
    let driven = failing(1).drive();
    assert_eq!(driven.effects(), ["→ cancel all"]);
    assert_eq!(driven.host.journal.len(), 1);
}

/// R9, ST-01: at every store of a run.
#[test]
fn no_effect_of_a_turn_that_was_not_stored_is_performed() {
    let whole = ScriptedHost::of_plan("A: a\nB: b").drive().succeeds();
    for store in 1..=whole.host.stores {
        let driven = failing(store).drive();
        // Up to there both runs are the same, and then everything is cancelled.
        let (last, before) = driven.host.log.split_last().expect("a log");
        assert_eq!(last, "→ cancel all");
        assert_eq!(before, &whole.host.log[..before.len()], "at store {store}");
    }
}

#[test]
fn everything_that_runs_is_cancelled_once() {
    let driven = failing(4).drive();
    assert_eq!(driven.host.cancelled, 1);
}

#[test]
fn the_error_of_the_journal_is_returned_with_its_cause() {
    let error = failing(2).drive().end.expect_err("the store failed");
    assert!(matches!(error, DriveError::Journal(_)), "{error:?}");
    assert!(error.to_string().contains("everything was stopped"));
    let cause = std::error::Error::source(&error).expect("a cause").to_string();
    assert!(cause.contains("no space"), "{cause}");
}

/// R1: what is not stored is not reported.
#[test]
fn reporters_see_nothing_that_was_not_stored() {
    let reporter = SharedReporter::default();
    let driven = failing(3).drive_with(RunOpening::default(), vec![reporter.boxed()]);
    let calls = reporter.calls();
    assert_eq!(calls.len(), driven.host.journal.len() - 1);
    assert!(!calls.contains(&ReporterCall::Ended));
}

/// R1: inputs whose consequences are not stored are not acknowledged, so they are read again.
#[test]
fn inputs_are_not_acknowledged_before_they_are_stored() {
    let driven = failing(3).drive();
    // 1 is the opening, which acknowledges nothing; 2 is acknowledged.
    assert_eq!(driven.host.acknowledged, 1);
}

/// R1.
#[test]
fn a_command_is_not_answered_if_it_is_not_stored() {
    let host = ScriptedHost::of_plan("A: a").waiting(halt()).fault(1, StoreFault::DiskFull);
    assert!(host.drive().answers().is_empty());
}

/// R12: the next driver continues from what is stored.
#[test]
fn the_next_drive_completes_the_run() {
    for store in 1..=8 {
        failing(store).drive().again().drive().succeeds();
    }
}

#[test]
fn a_run_that_succeeds_cancels_nothing() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::dies());
    assert_eq!(host.drive().succeeds().host.cancelled, 0);
}

/// A killed driver is an end of its own kind, not a broken journal.
#[test]
fn an_end_that_the_host_asked_for_is_returned_as_it_is() {
    let host = ScriptedHost::of_plan("A: a").fault(2, StoreFault::CrashBefore);
    let error = host.drive().end.expect_err("it was killed");
    assert_eq!(error.to_string(), "the drive was ended: kill -9");
}
