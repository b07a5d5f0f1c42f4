//! What counts as a pass, and failures that repeat (TR-03, TR-04, TR-09).

use afresh_core::check::{CheckEnd, CheckOutcome, CheckPhase, CheckResult, FailedTry, TestTally};
use afresh_core::effect::Effect;
use afresh_core::input::BranchMove;
use afresh_core::run::TaskStage;
use afresh_core::run::settings::Settings;

use crate::support::{Story, check_result, task_id, tree};

fn executed(tests: u64) -> TestTally {
    TestTally { executed: tests, ..TestTally::default() }
}

/// The attempt's own tree shows this.
fn checked(story: &mut Story, attempt: &str, result: CheckResult) -> String {
    story.spawned(attempt);
    story.ends(attempt);
    story.harvested(attempt, &["a"]);
    let checked = CheckOutcome::Ran(vec![result]);
    story.report(attempt, CheckPhase::Alone, tree(attempt), checked).text()
}

fn fails_with(print: &str) -> CheckResult {
    CheckResult { fingerprint: Some(print.to_owned()), ..check_result("test A", 1) }
}

/// TR-04: a test runner that executed nothing has proved nothing.
#[test]
fn a_check_that_executed_no_test_is_no_pass() {
    let mut story = Story::of_plan("A: a");
    let empty = CheckResult { tests: Some(executed(0)), ..check_result("test A", 0) };
    let text = checked(&mut story, "A.1", empty);
    assert!(text.contains("rejected A.1 (counts)"), "{text}");
    assert!(story.status().tasks[0].error.as_ref().is_some_and(|it| it.contains("no test")));
    let one = CheckResult { tests: Some(executed(1)), ..check_result("test A", 0) };
    assert!(checked(&mut story, "A.2", one).contains("passed A.2"));
}

/// TR-03: failed checks run again on the same tree, and a flaky pass lands with both results in its receipt.
#[test]
fn a_flaky_pass_is_in_the_receipt() {
    let mut story = Story::with("A: a", Settings { rerun: 2, ..Settings::default() });
    story.spawned("A.1");
    story.ends("A.1");
    let step = story.harvested("A.1", &["a"]);
    let reruns = step.0.effects.iter().find_map(|effect| match effect {
        Effect::Check(request) => Some(request.reruns),
        _ => None,
    });
    assert_eq!(reruns, Some(2));
    let failed = FailedTry {
        end: CheckEnd::Exited(1),
        duration_ms: 3,
        output_digest: "d".to_owned(),
        output_tail: "timeout".to_owned(),
    };
    let flaky = CheckResult { failed_tries: vec![failed.clone()], ..check_result("test A", 0) };
    story.report("A.1", CheckPhase::Alone, tree("A.1"), CheckOutcome::Ran(vec![flaky]));
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    let TaskStage::Done { receipt, .. } = &story.run.state_of(&task_id("A")).expect("A").stage
    else {
        panic!("A has not landed")
    };
    assert!(receipt.checks[0].is_flaky());
    assert_eq!(receipt.checks[0].failed_tries, [failed]);
}

/// EX-11, TR-03: a check that must fail on the base is not run again until it fails.
#[test]
fn a_check_that_must_fail_runs_once() {
    let mut draft = crate::support::draft_of("A: a");
    draft.tasks[0].checks[0].red_first = true;
    let plan = afresh_core::Plan::new(draft).expect("a plan");
    let mut story = Story::unopened(plan, Settings { rerun: 2, ..Settings::default() });
    story.open();
    story.ends("A.1");
    let step = story.harvested("A.1", &["a"]);
    assert!(step.0.effects.iter().any(|effect| matches!(
        effect,
        Effect::Check(request) if request.phase == CheckPhase::Red && request.reruns == 0
    )));
}

/// TR-04: test files that no check executed are named in the receipt; one check that did is enough.
#[test]
fn test_files_that_nothing_executed_are_named() {
    let landed = |by_second: &[&str]| {
        let mut story = Story::with(
            "A: a tests/x.py tests/y.py",
            Settings { always: vec!["lint".to_owned()], ..Settings::default() },
        );
        story.spawned("A.1");
        story.ends("A.1");
        story.harvested("A.1", &["a", "tests/x.py", "tests/y.py"]);
        let unexecuted = |command: &str, paths: &[&str]| CheckResult {
            unexecuted: paths.iter().map(|path| (*path).to_owned()).collect(),
            ..check_result(command, 0)
        };
        let results = vec![
            unexecuted("test A", &["tests/x.py", "tests/y.py"]),
            unexecuted("lint", by_second),
        ];
        story.report("A.1", CheckPhase::Alone, tree("A.1"), CheckOutcome::Ran(results));
        story.built("A.1");
        story.moved("A.1", BranchMove::Done);
        let status = story.status();
        status.tasks[0].receipt.clone().expect("a receipt").unexecuted_tests
    };
    assert_eq!(landed(&["tests/x.py", "tests/y.py"]), ["tests/x.py", "tests/y.py"]);
    assert_eq!(landed(&["tests/y.py"]), ["tests/y.py"]);
}

/// TR-09: the third failure of the same kind in a row asks a person, however many attempts are left.
#[test]
fn the_same_failure_is_not_tried_for_ever() {
    let mut story = Story::with("A: a", Settings { attempts: 10, ..Settings::default() });
    for attempt in ["A.1", "A.2"] {
        checked(&mut story, attempt, fails_with("f1"));
    }
    assert_eq!(story.run.state_of(&task_id("A")).expect("A").retries.same_failures, 2);
    let text = checked(&mut story, "A.3", fails_with("f1"));
    assert!(text.contains("failed A:") && text.contains("Q1 failed"), "{text}");
    let asked = story.run.questions().next().expect("a question").text.clone();
    assert!(asked.starts_with("task A failed after 3 attempts"), "{asked}");
    assert!(asked.contains("The last 3 attempts failed in the same way"), "{asked}");
}

/// TR-09: another failure begins a new count, and a person's retry forgets it.
#[test]
fn other_failures_begin_a_new_count() {
    let mut story = Story::with("A: a", Settings { attempts: 10, ..Settings::default() });
    for (attempt, print) in [("A.1", "f1"), ("A.2", "f1"), ("A.3", "f2"), ("A.4", "f1")] {
        let text = checked(&mut story, attempt, fails_with(print));
        assert!(!text.contains("failed A:"), "{attempt}: {text}");
    }
    checked(&mut story, "A.5", fails_with("f1"));
    let text = checked(&mut story, "A.6", fails_with("f1"));
    assert!(text.contains("failed A:"), "{text}");
    story.answer(1, "retry");
    assert_eq!(story.run.state_of(&task_id("A")).expect("A").retries.same_failures, 0);
}
