//! How long it takes to read large and hostile outputs. It measures, so it runs only on request:
//! `cargo test --release -p afresh-checks --test speed -- --ignored --nocapture`.

use std::time::Instant;

use afresh_checks::{
    ProbeFacts, classify, fingerprint, read_report_file, read_test_reports, unexecuted_tests,
};
use afresh_core::Plan;
use afresh_core::check::CheckEnd;
use afresh_core::plan::{Check, FileDraft, PlanDraft, TaskDraft};

const SIZE: usize = 8 * 1024 * 1024;

fn plan() -> Plan {
    let task = TaskDraft {
        id: "T1".to_owned(),
        title: "T1".to_owned(),
        instructions: "Do it.".to_owned(),
        no_check: Some("none".to_owned()),
        ..TaskDraft::default()
    };
    Plan::new(PlanDraft { tasks: vec![task], ..PlanDraft::default() }).expect("a plan")
}

/// Reads an output in every way, and returns the seconds.
fn measure(output: &str) -> f64 {
    let check = Check::from_command("make test");
    let started = Instant::now();
    let mut reports = read_test_reports(&check.command, output);
    reports.extend(read_report_file(output));
    let facts = ProbeFacts {
        check: &check,
        end: &CheckEnd::Exited(2),
        output,
        reports: &reports,
        is_flaky: false,
        syntax_error: None,
    };
    let _ = classify(&facts, &plan());
    let _ = fingerprint(&check.command, output);
    let _ = unexecuted_tests(&check.command, &reports, &["tests/test_a.py".to_owned()]);
    started.elapsed().as_secs_f64()
}

/// TR-01: a plan of the largest size does not slow it down.
#[test]
#[ignore = "it measures time; see the head of the file"]
fn a_large_plan_is_searched_in_less_than_a_second() {
    let file = |path| FileDraft { path, action: None };
    let tasks = (0..20_000).map(|at| TaskDraft {
        id: format!("T{at}"),
        title: "t".to_owned(),
        instructions: "Do it.".to_owned(),
        files: (0..9).map(|part| file(format!("src/part{part}/module{at}.py"))).collect(),
        no_check: Some("none".to_owned()),
        ..TaskDraft::default()
    });
    let draft = PlanDraft { tasks: tasks.collect(), ..PlanDraft::default() };
    let plan = Plan::new(draft).expect("a plan");
    let lines = (0..50).map(|at| format!("E   ModuleNotFoundError: No module named 'a.b{at}'"));
    let output = lines.collect::<Vec<_>>().join("\n");
    let check = Check::from_command("pytest");
    let facts = ProbeFacts {
        check: &check,
        end: &CheckEnd::Exited(2),
        output: &output,
        reports: &[],
        is_flaky: false,
        syntax_error: None,
    };
    let started = Instant::now();
    let class = classify(&facts, &plan).class;
    println!("{:.3} s, {class}", started.elapsed().as_secs_f64());
    assert!(started.elapsed().as_secs_f64() < 1.0);
}

/// TR-01, R15: the time grows with the size, whatever is in the output.
#[test]
#[ignore = "it measures time; see the head of the file"]
fn eight_mebibytes_are_read_in_less_than_a_second() {
    for unit in [
        "<testcase name=\"a\" classname=\"b\"><failure message='x'>",
        "<testsuite<testcase<testcase",
        "<testsuite name=\"a>",
        "<!-- <testsuite",
        "a=\"<testsuite",
        "x",
        "\n",
        "a\n",
        "{",
        "{,",
        "FAILED a::b[] - ] - ] - ",
        "==== short test summary info ====\nFAILED a.py::b[x] - y] - z\n",
        "tests/a.py::test_x[1] PASSED [ 1%]\n",
        "test a::b ... ok\n",
        "failures:\n    a\n    b\n",
        "running 1 test\n",
        "     Running tests/a.rs (target/debug/deps/a-1)\n",
        "        FAIL [   0.1s] (1/2) demo a::b\n",
        "# Subtest: a\n    # Subtest: b\n",
        "▶ a\n",
        "not ok 1 - a\n  ---\n",
        "  1 failing\n  1) a\n",
        "--- FAIL: TestA (0.00s)\n",
        "FAIL\tx\t0.1s\n",
        "{\"Action\":\"fail\",\"Package\":\"x\",\"Test\":\"T\"}\n",
        "sh: 1: a: not found\n",
        "ModuleNotFoundError: No module named 'a'\n",
        "Error: Cannot find module 'a'\n",
        "error[E0433]: x\n",
        "\x1b[1m\x1b[",
        "\x1b]0;",
        "/a/b/c:1:2 0x12 12:30:05 ",
        "1.1.1.1.1.1.",
        "é",
    ] {
        let half = measure(&unit.repeat(SIZE / 2 / unit.len()));
        let whole = measure(&unit.repeat(SIZE / unit.len()));
        println!(
            "{whole:6.3} s, {:.1} times of half the size: {}",
            whole / half,
            unit.escape_debug()
        );
        assert!(whole < 1.0 && whole < half * 3.5 + 0.05, "{unit:?}: {half} s, {whole} s");
    }
}
