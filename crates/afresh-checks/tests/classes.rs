//! What a check is worth, where that depends on the plan or on how it ended rather than on a tool (TR-01).

#![allow(clippy::unwrap_used, reason = "tests")]

use afresh_checks::{ClassifiedCheck, ProbeFacts, classify, read_test_reports};
use afresh_core::Plan;
use afresh_core::check::CheckEnd;
use afresh_core::plan::{Check, FileAction, FileDraft, PlanDraft, StepDraft, TaskDraft};
use afresh_core::printable::is_unprintable;
use afresh_core::probe::CheckClass;
use afresh_core::process::{LimitExceeded, LimitedResource};

const MISSING: &str = "ERROR: file or directory not found: tests/test_new.py\n";

fn task(id: &str) -> TaskDraft {
    TaskDraft {
        id: id.to_owned(),
        title: id.to_owned(),
        instructions: "Do it.".to_owned(),
        no_check: Some("it is an example".to_owned()),
        ..TaskDraft::default()
    }
}

fn file(path: &str, action: Option<FileAction>) -> FileDraft {
    FileDraft { path: path.to_owned(), action }
}

fn plan(tasks: Vec<TaskDraft>) -> Plan {
    Plan::new(PlanDraft { tasks, ..PlanDraft::default() }).expect("a plan")
}

/// One task that creates these files.
fn creating(paths: &[&str]) -> Plan {
    let files = paths.iter().map(|path| file(path, Some(FileAction::Create))).collect();
    plan(vec![TaskDraft { files, ..task("T1") }])
}

fn end(command: &str, end: &CheckEnd, output: &str, plan: &Plan) -> ClassifiedCheck {
    let facts = ProbeFacts {
        check: &Check::from_command(command),
        end,
        output,
        reports: &read_test_reports(command, output),
        is_flaky: false,
        syntax_error: None,
    };
    classify(&facts, plan)
}

fn fail(command: &str, code: i32, output: &str, plan: &Plan) -> CheckClass {
    end(command, &CheckEnd::Exited(code), output, plan).class
}

/// TR-01: only what a task is still to write makes a check pending.
#[test]
fn files_that_are_deleted_or_finished_are_not_planned() {
    let probe = |tasks| fail("pytest tests/test_new.py", 4, MISSING, &plan(tasks));
    let with = |action| TaskDraft { files: vec![file("tests/test_new.py", action)], ..task("T1") };
    assert_eq!(probe(vec![with(Some(FileAction::Create))]), CheckClass::Pending);
    assert_eq!(probe(vec![with(None)]), CheckClass::Pending);
    assert_eq!(probe(vec![with(Some(FileAction::Delete))]), CheckClass::Unrunnable);
    let done = TaskDraft { done_before: Some("by hand".to_owned()), ..with(None) };
    assert_eq!(probe(vec![done]), CheckClass::Unrunnable);
    let step = StepDraft {
        name: "tests".to_owned(),
        instructions: "Write them.".to_owned(),
        files: vec![file("tests/test_new.py", None)],
        ..StepDraft::default()
    };
    assert_eq!(probe(vec![TaskDraft { steps: vec![step], ..task("T1") }]), CheckClass::Pending);
    assert_eq!(probe(vec![task("T1")]), CheckClass::Unrunnable);
}

/// TR-01: the first task that declares it is named.
#[test]
fn the_task_that_declares_it_is_named() {
    let other = TaskDraft { files: vec![file("tests/test_old.py", None)], ..task("T1") };
    let author = TaskDraft { files: vec![file("tests/", None)], ..task("T2") };
    let found =
        end("pytest tests/test_new.py", &CheckEnd::Exited(4), MISSING, &plan(vec![other, author]));
    assert_eq!(found.detail, "`tests/test_new.py` does not exist; T2 declares `tests/`");
}

/// TR-01: directories and patterns of a plan can provide what is missing, other ones cannot.
#[test]
fn patterns_provide_what_they_can_match() {
    for (pattern, class) in [
        ("tests", CheckClass::Pending),
        ("tests/", CheckClass::Pending),
        ("tests/**/*.py", CheckClass::Pending),
        ("tests/test_*.py", CheckClass::Pending),
        ("tests/test_n?w.py", CheckClass::Pending),
        ("tests/*.js", CheckClass::Unrunnable),
        ("src/**", CheckClass::Unrunnable),
        ("test_new.py", CheckClass::Unrunnable),
    ] {
        assert_eq!(
            fail("pytest tests/test_new.py", 4, MISSING, &creating(&[pattern])),
            class,
            "{pattern}"
        );
    }
}

/// TR-01: tests of another language do not make an empty check pending.
#[test]
fn only_tests_of_the_same_language_are_awaited() {
    let none = "collected 0 items\n\n==== no tests ran in 0.01s ====\n";
    let probe = |path| fail("pytest", 5, none, &creating(&[path]));
    assert_eq!(probe("tests/test_a.py"), CheckClass::Pending);
    assert_eq!(probe("tests/"), CheckClass::Pending);
    assert_eq!(probe("tests/a.test.js"), CheckClass::Empty);
    assert_eq!(probe("tests/data.json"), CheckClass::Empty);
    assert_eq!(probe("src/a.py"), CheckClass::Empty);
}

/// TR-01: how a check ended otherwise than with a code.
#[test]
fn limits_and_signals_are_failures() {
    let plan = creating(&["a.py"]);
    let found = end("pytest", &CheckEnd::TimedOut, "", &plan);
    assert_eq!((found.class, found.detail.as_str()), (CheckClass::Red, "it did not end in time"));
    let found = end("pytest", &CheckEnd::Signaled(9), "", &plan);
    assert_eq!(found.class, CheckClass::Red);
    assert!(found.detail.contains("SIGKILL"), "{}", found.detail);
    let excess = LimitExceeded { of: LimitedResource::Memory, limit: 8 };
    assert_eq!(end("pytest", &CheckEnd::OverLimit(excess), "", &plan).class, CheckClass::Red);
    let found = end("pytest", &CheckEnd::NotStarted("no shell".to_owned()), "", &plan);
    assert_eq!(
        (found.class, found.detail.as_str()),
        (CheckClass::Unprobed, "it could not be started: no shell")
    );
}

/// TR-01, B35: a detail is one line that can be shown, whatever a program prints.
#[test]
fn details_are_one_short_printable_line() {
    let plan = creating(&["a.py"]);
    let long = "x".repeat(3_000);
    for output in [
        format!("ERROR: file or directory not found: {long}\n"),
        "ERROR: file or directory not found: a\x07b\u{202e}c\n".to_owned(),
        format!(
            "==== short test summary info ====\nFAILED a.py::t[{long}\x1b[2J] - no\n1 failed in 0.1s\n"
        ),
        format!("pytest: error: {long}\n"),
    ] {
        let found = end("pytest", &CheckEnd::Exited(4), &output, &plan);
        assert!(
            !found.detail.is_empty() && found.detail.chars().count() <= 301,
            "{}",
            found.detail
        );
        assert!(!found.detail.chars().any(is_unprintable), "{:?}", found.detail);
    }
}

/// TR-01: colours and line breaks of other systems change nothing.
#[test]
fn colours_and_carriage_returns_change_nothing() {
    let plan = creating(&["tests/test_new.py"]);
    for output in [MISSING.replace('\n', "\r\n"), format!("\x1b[31m{}\x1b[0m\n", MISSING.trim())] {
        assert_eq!(fail("pytest tests/test_new.py", 4, &output, &plan), CheckClass::Pending);
    }
}
