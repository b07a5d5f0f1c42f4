//! The reports of test runners, as current versions print them into a pipe (TR-04).

use afresh_checks::{TestRunner, add_up, executed_tests, read_report_file, read_test_reports};

/// One output, who wrote it, how many tests were executed, and which failed.
struct RunnerSample {
    runner: TestRunner,
    output: &'static str,
    executed: u64,
    failed: &'static [&'static str],
}

const fn sample(
    runner: TestRunner,
    executed: u64,
    failed: &'static [&'static str],
    output: &'static str,
) -> RunnerSample {
    RunnerSample { runner, output, executed, failed }
}

const SAMPLES: &[RunnerSample] = &[
    sample(
        TestRunner::Cargo,
        2,
        &["t::bad"],
        "\nrunning 3 tests\ntest t::ig ... ignored\ntest t::ok ... ok\ntest t::bad ... FAILED\n\nfailures:\n\n\
         ---- t::bad stdout ----\nthread 't::bad' panicked at src/lib.rs:1:58:\n\n\nfailures:\n    t::bad\n\n\
         test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.23s\n\n\
         error: test failed, to rerun pass `--lib`\n",
    ),
    sample(
        TestRunner::Cargo,
        0,
        &[],
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s\n",
    ),
    sample(
        TestRunner::Cargo,
        3,
        &[],
        "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   \
         Doc-tests x\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.31s\n",
    ),
    sample(
        TestRunner::Nextest,
        2,
        &["c1 t::bad"],
        "    Starting 2 tests across 1 binary (1 test skipped)\n        PASS [   0.009s] (1/2) c1 t::ok\n        \
         FAIL [   0.210s] (2/2) c1 t::bad\n────────────\n     Summary [   0.212s] 2 tests run: 1 passed, 1 failed, 1 \
         skipped\n        FAIL [   0.210s] (2/2) c1 t::bad\nerror: test run failed\n",
    ),
    sample(
        TestRunner::Nextest,
        0,
        &[],
        "    Starting 0 tests across 1 binary (3 tests skipped)\n────────────\n     Summary [   0.000s] 0 tests run: \
         0 passed, 3 skipped\nerror: no tests to run\n",
    ),
    sample(
        TestRunner::Nextest,
        1,
        &["c1 t::bad"],
        "        FAIL [   0.210s] c1 t::bad\n     Summary [   0.2s] 1/9 tests run: 0 passed, 1 failed, 0 skipped\n",
    ),
    sample(
        TestRunner::Pytest,
        2,
        &["test_a.py::T::test_bad"],
        "==== short test summary info ====\nFAILED test_a.py::T::test_bad - AssertionError: 1 != 2\n========== 1 failed, 1 passed, 1 skipped in 0.03s ==========\n",
    ),
    sample(TestRunner::Pytest, 1, &[], "1 passed, 2 deselected in 61.02s (0:01:01)\n"),
    sample(
        TestRunner::Pytest,
        0,
        &[],
        "collected 0 items\n\n====== no tests ran in 0.02s ======\n",
    ),
    sample(TestRunner::Pytest, 0, &[], "======= 1 skipped, 2 deselected in 0.01s =======\n"),
    sample(
        TestRunner::Pytest,
        0,
        &["test_b.py"],
        "=== short test summary info ===\nERROR test_b.py\n1 error in 0.21s\n",
    ),
    sample(
        TestRunner::Unittest,
        2,
        &["test_bad (test_a.T.test_bad)"],
        "==========\nFAIL: test_bad (test_a.T.test_bad)\n----------\nRan 3 tests in 0.000s\n\nFAILED (failures=1, skipped=1)\n",
    ),
    sample(TestRunner::Unittest, 0, &[], "\n----------\nRan 0 tests in 0.000s\n\nOK\n"),
    sample(TestRunner::Unittest, 0, &[], "\n----------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n"),
    sample(
        TestRunner::Unittest,
        0,
        &[],
        "ss\n----------\nRan 2 tests in 0.001s\n\nOK (skipped=2)\n",
    ),
    sample(TestRunner::Unittest, 1, &[], ".\n----------\nRan 1 test in 0.000s\n\nOK\n"),
    sample(
        TestRunner::Node,
        2,
        &["bad"],
        "TAP version 13\n# Subtest: ok\nok 1 - ok\n# Subtest: bad\nnot ok 2 - bad\n  ---\n  ...\nok 3 - sk # SKIP\n\
         1..3\n# tests 3\n# suites 0\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0\n# duration_ms 13.2\n",
    ),
    sample(
        TestRunner::Node,
        0,
        &[],
        "TAP version 13\n1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n",
    ),
    sample(
        TestRunner::Node,
        2,
        &["bad"],
        "✔ ok (1.1ms)\n✖ bad (5.2ms)\nℹ tests 2\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n",
    ),
    sample(
        TestRunner::Mocha,
        2,
        &["s > bad"],
        "\n  s\n    ✔ ok\n    1) bad\n    - sk\n\n\n  1 passing (9ms)\n  1 pending\n  1 failing\n\n  1) s\n       bad:\n\n      \
         AssertionError [ERR_ASSERTION]: 1 == 2\n      at Context.<anonymous> (test/a.js:2:57)\n",
    ),
    sample(TestRunner::Mocha, 0, &[], "\n\n  0 passing (1ms)\n\n"),
    sample(TestRunner::Mocha, 0, &[], "Error: No test files found: \"test\"\n"),
    sample(
        TestRunner::Jest,
        2,
        &["./a.test.js › sums › bad"],
        "FAIL ./a.test.js\n  ✓ ok (1 ms)\n  ✕ bad (11 ms)\n\n  ● sums › bad\n\n    expect(received).toBe(expected)\n\n\
         Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 skipped, 1 passed, 3 total\nSnapshots:   0 total\n",
    ),
    sample(
        TestRunner::Jest,
        0,
        &[],
        "Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\nSnapshots:   0 total\n",
    ),
    sample(TestRunner::Jest, 0, &[], "No tests found, exiting with code 0\n"),
    sample(
        TestRunner::Vitest,
        2,
        &["a.test.js > bad"],
        "\x1b[41m\x1b[1m FAIL \x1b[22m\x1b[49m a.test.js\x1b[2m > \x1b[22mbad\n\n\x1b[2m Test Files \x1b[22m \
         \x1b[1m\x1b[31m1 failed\x1b[39m\x1b[22m\x1b[90m (1)\x1b[39m\n\x1b[2m      Tests \x1b[22m \
         \x1b[1m\x1b[31m1 failed\x1b[39m\x1b[22m\x1b[2m | \x1b[22m1 passed\x1b[2m | \x1b[22m1 skipped\x1b[90m (3)\x1b[39m\n",
    ),
    sample(TestRunner::Vitest, 0, &[], " Test Files  1 skipped (1)\n      Tests  3 skipped (3)\n"),
    sample(TestRunner::Vitest, 0, &[], "\nNo test files found, exiting with code 0\n"),
    sample(
        TestRunner::Go,
        2,
        &["x TestBad/inner"],
        "--- FAIL: TestBad (0.00s)\n    --- FAIL: TestBad/inner (0.00s)\n        a_test.go:4: no\nFAIL\n\
         FAIL\tx\t0.003s\n?   \tx/sub\t[no test files]\nFAIL\n",
    ),
    sample(
        TestRunner::Go,
        0,
        &[],
        "ok  \tx\t0.003s [no tests to run]\n?   \tx/sub\t[no test files]\n",
    ),
    sample(TestRunner::Go, 1, &[], "ok  \tx\t(cached)\n"),
    sample(
        TestRunner::Go,
        2,
        &["x TestBad"],
        "{\"Action\":\"pass\",\"Package\":\"x\",\"Test\":\"TestOk\",\"Elapsed\":0}\n\
         {\"Action\":\"fail\",\"Package\":\"x\",\"Test\":\"TestBad\",\"Elapsed\":0}\n\
         {\"Action\":\"skip\",\"Package\":\"x\",\"Test\":\"TestSkip\",\"Elapsed\":0}\n\
         {\"Action\":\"fail\",\"Package\":\"x\",\"Elapsed\":0.007}\n",
    ),
    sample(
        TestRunner::Junit,
        2,
        &["test_a.T test_bad"],
        "<?xml version=\"1.0\"?><testsuites><testsuite name=\"x\" tests=\"3\" failures=\"1\" skipped=\"1\">\
         <testcase classname=\"test_a.T\" name=\"test_bad\" time=\"0.1\"><failure message=\"1 > 2\">no</failure></testcase>\
         <testcase classname=\"test_a.T\" name=\"test_ok\" time=\"0.0\" />\
         <testcase classname=\"test_a.T\" name=\"test_skip\"><skipped/></testcase></testsuite></testsuites>",
    ),
    sample(TestRunner::Junit, 0, &[], "<testsuite name=\"x\" tests=\"0\"></testsuite>"),
];

/// TR-04: each report is read by its own reader and by no other.
#[test]
fn every_runner_is_recognised_with_its_counts_and_failures() {
    for sample in SAMPLES {
        let reports = read_test_reports("make test", sample.output);
        let [report] = reports.as_slice() else {
            panic!("{:?}: {reports:?}\n{}", sample.runner, sample.output)
        };
        assert_eq!(report.runner, sample.runner, "{}", sample.output);
        assert_eq!(report.executed, sample.executed, "{:?}\n{}", sample.runner, sample.output);
        let failed: Vec<&str> = report.failed.iter().map(String::as_str).collect();
        assert_eq!(failed, sample.failed, "{:?}\n{}", sample.runner, sample.output);
    }
}

/// TR-04: what is no report of a runner says nothing about tests.
#[test]
fn other_output_is_no_report() {
    for output in [
        "",
        "all 3 tests passed",
        "Ran 3 migrations in 2s",
        "Found 1 error.\n[*] 1 fixable with `--fix`.\n",
        "✖ 1 problem (1 error, 0 warnings)\n",
        "a.ts(1,5): error TS2322: Type 'string' is not assignable to type 'number'.\n",
        "make: *** [Makefile:2: test] Error 1\n",
        "# tests are fun\n# pass the salt\n",
        "built in 0.3s\n",
    ] {
        assert_eq!(executed_tests("make test", output), None, "{output}");
    }
}

/// TR-04: several runners of one command count together.
#[test]
fn several_runners_count_together() {
    let output = "----------\nRan 0 tests in 0.000s\n\nOK\nok  \tx\t0.1s\n";
    assert_eq!(executed_tests("make test", output), Some(1));
    assert_eq!(read_test_reports("make test", output).len(), 2);
}

/// TR-02: the names of tests are those of their binaries, also if both streams of cargo were read one after the other.
#[test]
fn tests_of_cargo_are_named_after_their_binaries_in_any_order() {
    let started = [
        "     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)",
        "     Running tests/it.rs (target/debug/deps/it-a69063779ff8c574)",
        "   Doc-tests demo",
    ];
    let ended = |name: &str| {
        format!(
            "\nrunning 1 test\ntest {name} ... FAILED\n\nfailures:\n\n---- {name} stdout ----\nno\n\n\nfailures:\n    \
             {name}\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0s\n"
        )
    };
    let tests = ["works", "works", "src/lib.rs - one (line 12)"].map(ended);
    let pairs = started.iter().zip(&tests).map(|(start, end)| format!("{start}\n{end}\n"));
    let mixed = pairs.collect::<Vec<_>>().concat();
    let starts = started.join("\n");
    let apart =
        [format!("{starts}\n{}", tests.concat()), format!("{}\n{starts}\n", tests.concat())];
    for output in [mixed, apart[0].clone(), apart[1].clone()] {
        let reports = read_test_reports("cargo test --no-fail-fast", &output);
        let failed: Vec<&str> = reports[0].failed.iter().map(String::as_str).collect();
        assert_eq!(
            failed,
            ["demo doctest src/lib.rs - one", "demo src/lib.rs works", "it tests/it.rs works"],
            "{output}"
        );
        assert_eq!(reports[0].executed, 3);
    }
}

/// TR-04: lines that a test prints are not taken for the report of its runner.
#[test]
fn what_a_test_prints_is_no_report() {
    for (command, output) in [
        (
            "python3 -m unittest",
            "Ran 5 tests in 0.1s\n----------\nRan 1 test in 0.000s\n\nOK (skipped=1)\n",
        ),
        ("vitest run", "Tests  9 passed\n Test Files  1 skipped (1)\n      Tests  1 skipped (1)\n"),
        (
            "jest",
            "Tests:       9 passed\nTest Suites: 1 skipped\nTests:       1 skipped, 1 total\n",
        ),
        ("node --test", "pass 5\n# pass 5\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n"),
        ("go test ./...", "  3 passing (1ms)\n?   \tx\t[no test files]\n"),
        (
            "cargo test",
            "3 passed in 0.1s\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n",
        ),
    ] {
        assert_eq!(executed_tests(command, output), Some(0), "{command}");
    }
}

/// TR-02: a runner that prints its tests and writes them to a file counts them once.
#[test]
fn a_report_in_a_file_does_not_count_twice() {
    let printed = "==== short test summary info ====\nFAILED tests/test_a.py::T::test_bad - no\n1 failed, 1 passed in 0.1s\n";
    let written = "<testsuites><testsuite name=\"pytest\"><testcase classname=\"tests.test_a.T\" name=\"test_bad\">\
                   <failure message=\"no\">x</failure></testcase><testcase classname=\"tests.test_a.T\" \
                   name=\"test_ok\"/><testcase classname=\"other.Test\" name=\"bad\"><error/></testcase></testsuite></testsuites>";
    let mut reports = read_test_reports("pytest --junitxml=r.xml", printed);
    reports.extend(read_report_file(written));
    let tally = add_up(&reports).expect("two reports");
    assert_eq!(tally.executed, 3);
    assert_eq!(tally.failed, ["other.Test bad", "tests/test_a.py::T::test_bad"]);
    assert_eq!(tally.runners, ["pytest", "JUnit XML"]);
}

/// TR-02, R15: nothing in XML is expanded or fetched.
#[test]
fn hostile_xml_is_read_as_text() {
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">\
                <!ENTITY f SYSTEM \"file:///etc/passwd\">]><testsuite name=\"&b;\"><testcase name=\"&f;&b;\" \
                classname='<x>'><failure/></testcase><!-- <testcase name=\"no\"/> --><testcase name=\"out\"><system-out>\
                <![CDATA[<testcase name=\"no\"><failure/></testcase>]]></system-out></testcase></testsuite>";
    let report = read_report_file(bomb).expect("a report");
    assert_eq!(report.executed, 2);
    assert_eq!(report.failed.iter().collect::<Vec<_>>(), ["<x> &f;&b;"]);
}

/// TR-04, R15: numbers that no report has, and reports that are cut off, do not break the readers.
#[test]
fn hostile_reports_are_read_without_a_panic() {
    let huge = u64::MAX;
    let mut hostile = vec![
        format!("Ran {huge} tests in 0.1s\nOK (skipped={huge})\n").repeat(2),
        format!("test result: ok. {huge} passed; {huge} failed; finished in 1s\n"),
        format!("Tests:  {huge} passed, {huge} failed\n{huge} passed, 1 failed in 0.1s\n"),
        format!("# tests {huge}\n# pass {huge}\n# fail {huge}\n"),
        "<testsuite><testcase name='é\" classname=é><failure".repeat(9),
        format!("  {huge} passing (1ms)\n  {huge} failing\n  1) é\n"),
    ];
    for sample in SAMPLES {
        let ends = sample.output.char_indices().map(|(at, _)| sample.output[..at].to_owned());
        hostile.extend(ends);
    }
    for output in &hostile {
        assert!(read_test_reports("make test", output).len() < 11);
    }
}
