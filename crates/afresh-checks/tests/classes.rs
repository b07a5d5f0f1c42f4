//! What a check is worth, where that depends on the plan or on how it ended rather than on a tool (TR-01).

#![allow(clippy::unwrap_used, reason = "tests")]

use afresh_checks::{ClassifiedCheck, ProbeFacts, classify, read_test_reports};
use afresh_core::Plan;
use afresh_core::check::CheckEnd;
use afresh_core::plan::{
    Check, CheckDraft, FileAction, FileDraft, PlanDraft, StepDraft, TaskDraft,
};
use afresh_core::printable::is_unprintable;
use afresh_core::probe::{CheckClass, UnrunnableCause};
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

/// A chain of tasks, each with its files; the one at `judged` has the check.
fn chain(command: &str, judged: usize, files: &[&[&str]]) -> Plan {
    let mut tasks: Vec<TaskDraft> = Vec::new();
    for (at, paths) in files.iter().enumerate() {
        let check = CheckDraft { command: command.to_owned(), ..CheckDraft::default() };
        tasks.push(TaskDraft {
            files: paths.iter().map(|path| file(path, None)).collect(),
            checks: (at == judged).then_some(check).into_iter().collect(),
            no_check: (at != judged).then(|| "it is an example".to_owned()),
            needs: tasks.last().map(|last| last.id.clone()).into_iter().collect(),
            ..task(&format!("T{}", at + 1))
        });
    }
    plan(tasks)
}

/// TR-01: what only a later task creates is missing for ever, because that task waits for the check to pass.
#[test]
fn what_a_dependent_task_creates_comes_too_late() {
    let command = "pytest tests/test_new.py";
    let probe = |judged, files: &[&[&str]]| {
        end(command, &CheckEnd::Exited(4), MISSING, &chain(command, judged, files))
    };
    let found = probe(0, &[&["src/a.py"], &["src/b.py"], &["tests/test_new.py"]]);
    assert_eq!(
        (found.class, found.cause),
        (CheckClass::Unrunnable, Some(UnrunnableCause::CreatedLater))
    );
    assert_eq!(
        found.detail,
        "`tests/test_new.py` does not exist; only T3 creates it, and T3 depends on T1, which this check judges"
    );
    // The task itself, one before it, and one that declares nothing and may write anything.
    assert_eq!(probe(0, &[&["tests/test_new.py"], &["tests/"]]).class, CheckClass::Pending);
    assert_eq!(probe(1, &[&["tests/test_new.py"], &["src/a.py"]]).class, CheckClass::Pending);
    assert_eq!(probe(0, &[&[], &["tests/test_new.py"]]).class, CheckClass::Pending);
    // One that is not ordered.
    let check = CheckDraft { command: command.to_owned(), ..CheckDraft::default() };
    let judged = TaskDraft {
        checks: vec![check],
        no_check: None,
        files: vec![file("src/a.py", None)],
        ..task("T1")
    };
    let other = TaskDraft { files: vec![file("tests/test_new.py", None)], ..task("T2") };
    assert_eq!(fail(command, 4, MISSING, &plan(vec![judged, other])), CheckClass::Pending);
}

/// TR-01: tests that only a later task writes cannot be executed in time.
#[test]
fn tests_of_a_dependent_task_come_too_late() {
    let none = "collected 0 items\n\n==== no tests ran in 0.01s ====\n";
    let probe = |judged| {
        let plan = chain("pytest", judged, &[&["src/a.py"], &["tests/test_a.py"]]);
        fail("pytest", 5, none, &plan)
    };
    assert_eq!((probe(0), probe(1)), (CheckClass::Empty, CheckClass::Pending));
}

/// TR-01: planned tests make a check pending only where the command would find them.
#[test]
fn tests_elsewhere_are_not_awaited() {
    let unittest = "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n";
    let node =
        "1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n";
    for (command, code, output, path, class) in [
        (
            "python3 -m unittest discover -s empty_t",
            5,
            unittest,
            "tests/test_a.py",
            CheckClass::Empty,
        ),
        ("python3 -m unittest discover empty_t", 5, unittest, "tests/test_a.py", CheckClass::Empty),
        (
            "python3 -m unittest discover -s tests",
            5,
            unittest,
            "tests/test_a.py",
            CheckClass::Pending,
        ),
        ("python3 -m unittest discover -s empty_t", 5, unittest, "tests/", CheckClass::Pending),
        ("node --test empty_t/", 0, node, "tests/a.test.js", CheckClass::Empty),
        ("node --test tests/", 0, node, "tests/a.test.js", CheckClass::Pending),
    ] {
        assert_eq!(fail(command, code, output, &creating(&[path])), class, "{command} and {path}");
    }
}

/// TR-01: a command that names its own exit code misses nothing.
#[test]
fn an_exit_code_of_the_command_is_no_missing_program() {
    let plan = creating(&["a.py"]);
    assert_eq!(fail("grep -q x a.py || exit 127", 127, "", &plan), CheckClass::Red);
    let found = end("command -v nothere", &CheckEnd::Exited(127), "", &plan);
    assert_eq!(found.detail, "the program `nothere` does not exist");
}

/// TR-01: a makefile that does not exist is a file, not a target.
#[test]
fn a_missing_makefile_is_no_target() {
    let output = "make: nofile.mk: No such file or directory\nmake: *** No rule to make target 'nofile.mk'.  Stop.\n";
    for command in ["make -f nofile.mk all", "make --file=nofile.mk", "make -fnofile.mk"] {
        let found = end(command, &CheckEnd::Exited(2), output, &creating(&["a.py"]));
        assert_eq!(
            (found.class, found.detail.as_str()),
            (CheckClass::Unrunnable, "`nofile.mk` does not exist"),
            "{command}"
        );
    }
}

/// TR-01: a script that starts and then misses something is red, whatever its exit code; a command that cannot be
/// started is unrunnable.
#[test]
fn what_a_script_misses_inside_is_not_the_check() {
    let plan = plan(vec![task("T1")]);
    for (command, code, output) in [
        ("./check.sh", 127, "./check.sh: line 3: notes: command not found\n"),
        ("bash ci/check.sh", 127, "ci/check.sh: line 3: notes: command not found\n"),
        ("./check.sh", 127, "./check.sh: 3: notes: not found\n"),
        ("sh check.sh", 2, "check.sh: 2: cannot open data.txt: No such file\n"),
        ("./check.sh", 126, "./check.sh: line 2: bin/notes: Permission denied\n"),
    ] {
        let found = end(command, &CheckEnd::Exited(code), output, &plan);
        assert_eq!(found.class, CheckClass::Red, "{command}: {found:?}");
    }
    let found = end(
        "./check.sh",
        &CheckEnd::Exited(127),
        "./check.sh: line 3: notes: command not found\n",
        &plan,
    );
    assert_eq!(found.detail, "the program `notes` does not exist; ./check.sh needs it");
    for (command, code, output) in [
        ("./check.sh", 127, "sh: 1: ./check.sh: not found\n"),
        ("notes --help", 127, "/bin/sh: 1: notes: not found\n"),
        ("npm test", 127, "> x@1 test\n> jest\n\nsh: 1: jest: not found\n"),
        ("./check.sh", 126, "sh: 1: ./check.sh: Permission denied\n"),
        ("bash check.sh", 127, "bash: check.sh: No such file or directory\n"),
        ("env nothere", 127, "env: 'nothere': No such file or directory\n"),
    ] {
        assert_eq!(fail(command, code, output, &plan), CheckClass::Unrunnable, "{command}");
    }
}
