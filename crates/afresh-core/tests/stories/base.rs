//! What is measured before the first worker, and how it judges the work after that (TR-01, TR-02).

use afresh_core::check::{CheckExcuse, CheckOutcome, CheckPhase, CheckResult, TestTally};
use afresh_core::input::{BranchMove, CheckReport, ProbeOutcome, ProbeReport, RunOpening};
use afresh_core::probe::{CheckClass, ProbedCheck};
use afresh_core::run::settings::{
    OnRedBase, ProbeScope, QuarantinedCheck, Settings, VacuousPolicy,
};
use afresh_core::run::{DriveState, TaskStage, UnprovedTask};
use afresh_core::{Effect, Event, Input, Run};

use crate::support::{Story, check_result, commit, task_id, tree};

const ALWAYS: &str = "cargo test";

fn settings() -> Settings {
    let always = vec![ALWAYS.to_owned()];
    Settings {
        always,
        probe: ProbeScope::All,
        on_red_base: OnRedBase::Continue,
        ..Settings::default()
    }
}

fn probed(command: &str, class: CheckClass) -> ProbedCheck {
    let passes = matches!(class, CheckClass::Vacuous | CheckClass::Guard);
    with_result(class, check_result(command, i32::from(!passes)))
}

fn with_result(class: CheckClass, result: CheckResult) -> ProbedCheck {
    ProbedCheck { class, detail: String::new(), cause: None, tree: tree("base"), result }
}

/// A result of the checks of every merge with these failed tests.
fn failing(tests: &[&str]) -> CheckResult {
    let failed = tests.iter().map(|name| (*name).to_owned()).collect();
    let tally = TestTally {
        runners: vec!["cargo test".to_owned()],
        executed: 10,
        failed,
        ..TestTally::default()
    };
    CheckResult { tests: Some(tally), ..check_result(ALWAYS, i32::from(!tests.is_empty())) }
}

/// A run of A and B whose base fails these tests.
fn on_red_base(tests: &[&str]) -> Story {
    let mut story = Story::with("A: a\nB: b", settings());
    let base = with_result(CheckClass::Red, failing(tests));
    story.probed(&[base, probed("test A", CheckClass::Red), probed("test B", CheckClass::Red)]);
    story
}

/// The attempt's own tree shows this for the checks of every merge; its own check passes.
fn checked_alone(story: &mut Story, attempt: &str, always: CheckResult) -> String {
    let own = attempt.split('.').next().expect("a task");
    story.spawned(attempt);
    story.ends(attempt);
    story.harvested(attempt, &[&own.to_lowercase()]);
    let results = vec![check_result(&format!("test {own}"), 0), always];
    story.report(attempt, CheckPhase::Alone, tree(attempt), CheckOutcome::Ran(results)).text()
}

fn receipt_of<'a>(run: &'a Run, task: &str) -> &'a afresh_core::check::Receipt {
    match &run.state_of(&task_id(task)).expect("a task").stage {
        TaskStage::Done { receipt, .. } => receipt,
        other => panic!("{task} is {other:?}"),
    }
}

/// TR-01, TR-02: every distinct check runs once before the first worker, those of every merge first.
#[test]
fn no_worker_starts_before_the_base_is_measured() {
    let mut story = Story::unopened(crate::support::plan_of("A: a\nB: b"), settings());
    assert_eq!(
        story.open().lines(),
        ["opened 1", "probing base", "→ probe commit base: cargo test, test A, test B"]
    );
    assert_eq!(story.run.drive_state(story.now), DriveState::Busy);
    let checks = [ALWAYS, "test A", "test B"].map(|command| probed(command, CheckClass::Red));
    let started = story.probed(&checks).started();
    assert_eq!(started, ["A.1", "B.1"]);
}

/// TR-01: with `probe = "off"` only the checks of every merge run; journals of earlier versions measure nothing.
#[test]
fn the_probe_can_be_left_out_and_the_baseline_not() {
    let off = Settings { probe: ProbeScope::Baseline, ..settings() };
    let mut story = Story::unopened(crate::support::plan_of("A: a"), off);
    assert!(story.open().effects().contains(&"→ probe commit base: cargo test".to_owned()));
    let old = Settings { probe: ProbeScope::Nothing, ..settings() };
    let mut story = Story::unopened(crate::support::plan_of("A: a"), old);
    assert_eq!(story.open().started(), ["A.1"]);
}

/// TR-02: what failed before is not blamed on the work, and says so in the receipt.
#[test]
fn a_failure_of_the_base_is_not_blamed_on_a_task() {
    let mut story = on_red_base(&["old::broken"]);
    checked_alone(&mut story, "A.1", failing(&["old::broken"]));
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    let receipt = receipt_of(&story.run, "A");
    let always = receipt.checks.iter().find(|it| it.command == ALWAYS).expect("its result");
    assert_eq!(always.excuse, Some(CheckExcuse::FailedBefore));
    assert!(always.is_accepted() && !always.passed());
}

/// TR-02: no merge may add a failure, also not one that hides behind a known one.
#[test]
fn a_new_failure_beside_an_old_one_is_rejected() {
    let mut story = on_red_base(&["old::broken"]);
    let text = checked_alone(&mut story, "A.1", failing(&["new::broken", "old::broken"]));
    assert!(text.contains("rejected A.1 (counts)"), "{text}");
    let rejection = story.run.state_of(&task_id("A")).expect("A").last.rejection.as_ref();
    let said = rejection.expect("a rejection").describe();
    assert_eq!(said, "`cargo test` ended with exit code 1: newly failing: new::broken");
    // Tests that no longer compile are not the old failure.
    let text = checked_alone(&mut story, "B.1", check_result(ALWAYS, 101));
    assert!(text.contains("rejected B.1 (counts)"), "{text}");
}

/// TR-02: where the runner names no tests, the command as a whole is what failed before.
#[test]
fn without_names_of_tests_the_whole_command_counts() {
    let mut story = Story::with("A: a", settings());
    story.probed(&[probed(ALWAYS, CheckClass::Red), probed("test A", CheckClass::Red)]);
    let text = checked_alone(&mut story, "A.1", check_result(ALWAYS, 1));
    assert!(text.contains("passed A.1"), "{text}");
}

/// TR-02: what has passed since must not fail again.
#[test]
fn a_failure_that_was_fixed_is_no_excuse_any_more() {
    let mut story = on_red_base(&["one", "two"]);
    checked_alone(&mut story, "A.1", failing(&["two"]));
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    checked_alone(&mut story, "B.1", failing(&["one", "two"]));
    // On its own base, B added nothing; on the branch, `one` passes by now.
    let text = story.report(
        "B.1",
        CheckPhase::Alone,
        tree("B.1"),
        CheckOutcome::Ran(vec![check_result("test B", 0), failing(&["one", "two"])]),
    );
    text.changes_nothing();
    assert!(story.status().tasks[1].error.as_ref().is_some_and(|it| it.contains(ALWAYS)));
}

/// TR-02: a task's own check must pass, whatever was before.
#[test]
fn a_tasks_own_check_is_not_excused() {
    let own = Settings { always: vec!["test A".to_owned()], ..settings() };
    let mut story = Story::with("A: a", own);
    story.probed(&[probed("test A", CheckClass::Red)]);
    story.spawned("A.1");
    story.ends("A.1");
    story.harvested("A.1", &["a"]);
    let text = story.checked("A.1", CheckPhase::Alone, 1).text();
    assert!(text.contains("rejected A.1 (counts)"), "{text}");
}

/// TR-02: a red base is asked about once, before a token is spent; the answer holds for later starts.
#[test]
fn a_red_base_is_asked_about_before_any_worker() {
    let ask = Settings { on_red_base: OnRedBase::Ask, ..settings() };
    let mut story = Story::with("A: a\nB: b", ask);
    let base = with_result(CheckClass::Red, failing(&["old::broken"]));
    let measured = [base, probed("test A", CheckClass::Red), probed("test B", CheckClass::Red)];
    let step = story.probed(&measured);
    assert_eq!(step.started(), [""; 0]);
    let asked = story.run.questions().next().expect("a question");
    assert!(asked.text.contains("a check of every merge fails before any work"), "{}", asked.text);
    assert!(asked.text.contains("old::broken"), "{}", asked.text);
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
    assert_eq!(story.open().started(), [""; 0], "a later start still waits");
    assert_eq!(story.answer(1, "continue").started(), ["A.1", "B.1"]);
    assert!(story.open().lines().iter().all(|line| !line.contains("probing")), "measured once");
}

/// TR-02: unattended, the policy decides; a stopped run has done nothing, and does not continue.
#[test]
fn a_red_base_can_stop_the_run() {
    let stop = Settings { on_red_base: OnRedBase::Stop, ..settings() };
    let mut story = Story::with("A: a", stop);
    let step = story.probed(&[probed(ALWAYS, CheckClass::Red), probed("test A", CheckClass::Red)]);
    assert!(step.text().contains("a check of every merge fails before any work"));
    assert!(story.run.is_ended_for_good() && !story.run.has_attempts());
    let mut asked = Story::with("A: a", Settings { on_red_base: OnRedBase::Ask, ..settings() });
    asked.probed(&[probed(ALWAYS, CheckClass::Red), probed("test A", CheckClass::Red)]);
    asked.answer(1, "stop");
    assert_eq!(asked.run.drive_state(asked.now), DriveState::Finished { ok: false });
}

/// TR-02: what a task will create, and a runner without tests so far, make no base red.
#[test]
fn what_is_still_to_be_made_makes_no_base_red() {
    let ask = Settings { on_red_base: OnRedBase::Ask, ..settings() };
    for class in [CheckClass::Pending, CheckClass::Empty, CheckClass::Vacuous, CheckClass::Flaky] {
        let mut story = Story::with("A: a", ask.clone());
        let step = story.probed(&[probed(ALWAYS, class), probed("test A", CheckClass::Red)]);
        assert_eq!(step.started(), ["A.1"], "{class}");
    }
}

/// TR-01: a task whose every check proves nothing is named, asked about or refused, as configured.
#[test]
fn a_task_that_nothing_can_prove_is_named() {
    let with = |vacuous| {
        let mut story = Story::with("A: a\nB: b", Settings { vacuous, ..settings() });
        let checks = [
            probed(ALWAYS, CheckClass::Vacuous),
            probed("test A", CheckClass::Vacuous),
            probed("test B", CheckClass::Red),
        ];
        let step = story.probed(&checks);
        (story, step)
    };
    let (story, step) = with(VacuousPolicy::Warn);
    assert_eq!(step.started(), ["A.1", "B.1"]);
    let named: Vec<String> =
        story.run.unproved_tasks().iter().map(UnprovedTask::describe).collect();
    assert_eq!(named, ["nothing can prove A done: `test A` is vacuous"]);
    let (mut story, step) = with(VacuousPolicy::Ask);
    assert_eq!(step.started(), [""; 0]);
    assert_eq!(story.answer(1, "continue").started(), ["A.1", "B.1"]);
    let (story, _) = with(VacuousPolicy::Refuse);
    assert!(story.run.aborted().is_some_and(|why| why.contains("nothing can prove A done")));
}

/// TR-01: a guard, a red check beside a vacuous one, and a check that is still pending can prove a task.
#[test]
fn one_check_that_can_fail_is_enough() {
    for class in [CheckClass::Red, CheckClass::Pending, CheckClass::Guard, CheckClass::Unprobed] {
        let mut story = Story::with("A: a", settings());
        story.probed(&[probed(ALWAYS, CheckClass::Vacuous), probed("test A", class)]);
        assert!(story.run.unproved_tasks().is_empty(), "{class}");
    }
    for class in [CheckClass::Vacuous, CheckClass::Empty, CheckClass::Unrunnable] {
        let mut story = Story::with("A: a", settings());
        story.probed(&[probed(ALWAYS, CheckClass::Vacuous), probed("test A", class)]);
        assert_eq!(story.run.unproved_tasks().len(), 1, "{class}");
    }
}

/// R7, TR-01: a halt ends the measurement at once; it continues when the halt is cleared.
#[test]
fn a_halt_stops_the_measurement() {
    let mut story = Story::with("A: a", settings());
    assert!(story.halt(false).effects().contains(&"→ stop probe".to_owned()));
    let (commit, outcome) = (commit("base"), ProbeOutcome::Stopped);
    story.feed(&Input::Probed(ProbeReport { commit, outcome }));
    assert_eq!(story.run.drive_state(story.now), DriveState::Halted);
    assert!(
        story.clear().effects().contains(&"→ probe commit base: cargo test, test A".to_owned())
    );
}

/// R7, TR-01: a halt that lets workers finish ends the measurement, and no check of their work.
#[test]
fn a_halt_stops_the_measurement_beside_workers() {
    let mut story = Story::with("A: a\nB: b", Settings { always: vec![], ..settings() });
    story.probed(&[probed("test A", CheckClass::Red), probed("test B", CheckClass::Red)]);
    story.spawned("A.1");
    story.spawned("B.1");
    story.open_with(RunOpening { settings: Some(settings()), ..RunOpening::default() });
    let effects = story.harvested("A.1", &[]).effects();
    assert!(effects.contains(&"→ probe commit base: cargo test".to_owned()), "{effects:?}");
    assert_eq!(story.halt(false).effects(), ["→ stop probe"]);
}

/// TR-02: what passed with a landing must not fail again, even if the plan drops its task afterwards.
#[test]
fn a_dropped_task_does_not_bring_an_excuse_back() {
    for changed in ["B: b", "A: a and more\nB: b"] {
        let mut story = on_red_base(&["one", "two"]);
        checked_alone(&mut story, "A.1", failing(&["two"]));
        story.built("A.1");
        story.moved("A.1", BranchMove::Done);
        let plan = Some(crate::support::plan_of(changed));
        story.open_with(RunOpening { plan, ..RunOpening::default() });
        story.harvested("B.1", &[]);
        if changed.contains("more") {
            story.probed(&[probed("test A", CheckClass::Red)]);
        }
        let text = checked_alone(&mut story, "B.2", failing(&["one", "two"]));
        assert!(text.contains("rejected B.2 (counts)"), "{changed}: {text}");
    }
}

/// TR-02: a later check may need what an earlier one builds, so a new one is measured with all of them; what is known
/// of the others stays.
#[test]
fn a_later_check_is_measured_in_order() {
    let mut story = on_red_base(&["one"]);
    story.lands("A.1");
    let always = vec![ALWAYS.to_owned(), "e2e".to_owned()];
    let now = Some(Settings { always, ..settings() });
    story.open_with(RunOpening { settings: now, ..RunOpening::default() });
    let effects = story.harvested("B.1", &[]).effects();
    assert!(effects.contains(&"→ probe commit mA.1: cargo test, e2e".to_owned()), "{effects:?}");
    let again = with_result(CheckClass::Red, failing(&["one", "two"]));
    story.probed(&[again, probed("e2e", CheckClass::Vacuous)]);
    let known = story.run.probed(ALWAYS).and_then(|probed| probed.result.tests.clone());
    assert_eq!(known.expect("its tests").failed, ["one"]);
}

/// TR-03: the executor is told how a tolerated check failed before, so that it can repeat what fails otherwise.
#[test]
fn a_round_knows_which_failures_do_not_count() {
    let mut story = on_red_base(&["old"]);
    story.spawned("A.1");
    story.ends("A.1");
    let step = story.harvested("A.1", &["a"]);
    let request = step.0.effects.iter().find_map(|effect| match effect {
        Effect::Check(request) => Some(request.clone()),
        _ => None,
    });
    let tolerated = request.expect("a round").tolerated;
    assert_eq!(tolerated.len(), 1);
    assert!(tolerated[0].tolerates(&failing(&["old"])));
    assert!(!tolerated[0].tolerates(&failing(&["flaky", "old"])));
}

/// R12: a driver that died while it measured does it again.
#[test]
fn a_measurement_that_was_cut_off_is_repeated() {
    let mut story = Story::with("A: a", settings());
    let again = story.open();
    assert!(again.effects().contains(&"→ probe commit base: cargo test, test A".to_owned()));
}

/// TR-02: checks that are configured later are measured on the branch as it is then.
#[test]
fn a_later_check_of_every_merge_is_measured_when_it_comes() {
    let mut story = Story::with("A: a\nB < A: b", Settings { always: vec![], ..settings() });
    story.probed(&[probed("test A", CheckClass::Red), probed("test B", CheckClass::Red)]);
    story.lands("A.1");
    let now = RunOpening { settings: Some(settings()), ..RunOpening::default() };
    story.open_with(now);
    // The worker of B was cut off; before the next one starts, the new check is measured.
    let effects = story.harvested("B.1", &[]).effects();
    assert!(effects.contains(&"→ probe commit mA.1: cargo test".to_owned()), "{effects:?}");
}

/// TR-03: a check in quarantine may fail, and its receipt says why.
#[test]
fn a_quarantined_check_may_fail() {
    let entry = QuarantinedCheck {
        command: ALWAYS.to_owned(),
        reason: "timing".to_owned(),
        until: "2027-01-31".to_owned(),
    };
    let mut story = Story::with("A: a", Settings { quarantine: vec![entry], ..settings() });
    story.probed(&[probed(ALWAYS, CheckClass::Flaky), probed("test A", CheckClass::Red)]);
    checked_alone(&mut story, "A.1", check_result(ALWAYS, 1));
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    let excuse = receipt_of(&story.run, "A").checks[1].excuse.clone();
    assert_eq!(excuse, Some(CheckExcuse::Quarantined("timing (until 2027-01-31)".to_owned())));
}

/// TR-02: the end of the run compares what failed before with what fails now.
#[test]
fn the_end_says_what_still_fails_and_what_passes_now() {
    let mut story = Story::with("A: a", settings());
    let base = with_result(CheckClass::Red, failing(&["one", "two"]));
    story.probed(&[base, probed("test A", CheckClass::Red)]);
    checked_alone(&mut story, "A.1", failing(&["one", "two"]));
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    story.feed(&Input::Checked(CheckReport {
        batch: None,
        attempt: None,
        phase: CheckPhase::Final,
        tree: tree("A.1"),
        checked: CheckOutcome::Ran(vec![check_result("test A", 0), failing(&["two"])]),
    }));
    let compared = story.run.earlier_failures();
    assert_eq!(compared[0].still_failing, ["two"]);
    assert_eq!(compared[0].now_passing, ["one"]);
    assert!(!compared[0].passes_now);
    assert_eq!(story.run.final_failures(), [""; 0]);
    assert!(story.journal.iter().any(|event| matches!(event, Event::FinalChecked { .. })));
}
