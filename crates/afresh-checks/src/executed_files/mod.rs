//! Which test files a check did not execute (TR-04).
//!
//! A file is named only if that is proved: no test runner of its language executed anything, or the runner lists the
//! files that it executed and this one is not among them, or the command selects others.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `listing` | whether a file is among those that a runner lists |
//! | `selection` | whether a command can have selected a file |

mod listing;
mod selection;

pub(crate) use selection::may_select;

use crate::command::ReadCommand;
use crate::runners::{TestReport, TestRunner};

/// Test files that a check certainly did not execute.
pub fn unexecuted_tests(
    command: &str,
    reports: &[TestReport],
    changed_tests: &[String],
) -> Vec<String> {
    let command = ReadCommand::new(command);
    let is_unexecuted = |path: &&String| {
        // Of other languages we know no runner.
        let is_known = TestRunner::ALL.iter().any(|runner| runner.reads_language_of(path));
        let may_be_unseen = command.is_opaque() && !is_known;
        is_test_module(path)
            && !may_be_unseen
            && !reports.iter().any(|report| may_execute(report, &command, path))
    };
    changed_tests.iter().filter(is_unexecuted).cloned().collect()
}

/// Whether a runner may have executed the tests of a file. In doubt, yes.
fn may_execute(report: &TestReport, command: &ReadCommand, path: &str) -> bool {
    report.executed > 0
        && report.runner.reads_language_of(path)
        && listing::may_list(report, path)
        && selection::may_select(report.runner, command, path)
}

/// Whether a runner would take the file for tests by its name: data and helpers are not executed by themselves.
fn is_test_module(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let directories: Vec<&str> = path.split('/').rev().skip(1).collect();
    match extension {
        "py" => stem.starts_with("test_") || stem.ends_with("_test"),
        "go" => stem.ends_with("_test"),
        // Each file in `tests` is a binary; those below are its modules.
        "rs" => directories.first() == Some(&"tests") && !is_helper(stem),
        _ if TestRunner::Jest.reads_language_of(path) => {
            let is_marked =
                [".test", ".spec", "-test", "_test"].iter().any(|end| stem.ends_with(end));
            is_marked
                || directories.first().is_some_and(|last| matches!(*last, "__tests__" | "test"))
        }
        "java" | "kt" | "scala" | "groovy" => stem.ends_with("Test") || stem.ends_with("Tests"),
        "rb" => stem.ends_with("_test") || stem.ends_with("_spec"),
        _ => false,
    }
}

fn is_helper(stem: &str) -> bool {
    matches!(stem, "common" | "helpers" | "helper" | "mod" | "support" | "util" | "utils")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_test_reports;

    fn names(command: &str, output: &str, changed: &[&str]) -> Vec<String> {
        let changed: Vec<String> = changed.iter().map(|path| (*path).to_owned()).collect();
        unexecuted_tests(command, &read_test_reports(command, output), &changed)
    }

    /// TR-04: without a report of a runner of its language, a test file was not executed.
    #[test]
    fn a_runner_of_another_language_executes_nothing() {
        let output = "1 passed in 0.01s\n";
        let changed =
            ["tests/test_a.py", "web/a.test.ts", "a_test.go", "tests/it.rs", "tests/data.json"];
        assert_eq!(
            names("pytest -q", output, &changed),
            ["web/a.test.ts", "a_test.go", "tests/it.rs"]
        );
        assert_eq!(
            names("ruff check .", "All checks passed!\n", &["tests/test_a.py"]),
            ["tests/test_a.py"]
        );
        assert_eq!(names("ruff check .", "", &["spec/a_spec.rb"]), ["spec/a_spec.rb"]);
        assert!(names("make test", "", &["spec/a_spec.rb"]).is_empty());
    }

    /// TR-04: helpers and data in a directory of tests are not accused.
    #[test]
    fn helpers_are_not_named() {
        let changed = [
            "tests/conftest.py",
            "tests/helpers.py",
            "tests/common/mod.rs",
            "tests/common.rs",
            "test/a.snap",
        ];
        assert!(names("true", "", &changed).is_empty());
    }

    /// TR-04: what the command selects decides where the runner does not list its files.
    #[test]
    fn the_selection_of_the_command_decides() {
        let pytest = "1 passed in 0.01s\n";
        let cargo = "running 1 test\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let unittest = "----------------------------------------\nRan 1 test in 0.000s\n\nOK\n";
        let node = "# tests 1\n# suites 0\n# pass 1\n# fail 0\n";
        let mocha = "  1 passing (1ms)\n";
        let jest = "Test Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n";
        let vitest = " Test Files  1 passed (1)\n      Tests  1 passed (1)\n";
        let go = "ok  \texample.com/m/a\t0.1s\n";
        for (command, output, path, is_named) in [
            ("pytest -q tests/test_a.py", pytest, "tests/test_a.py", false),
            ("pytest -q tests/test_a.py::test_x", pytest, "tests/test_a.py", false),
            ("pytest -q tests/test_a.py", pytest, "tests/test_b.py", true),
            ("pytest -q -k test_b", pytest, "tests/test_b.py", false),
            ("pytest -q -k name tests/unit", pytest, "tests/e2e/test_b.py", true),
            ("pytest -q --ignore=tests/e2e", pytest, "tests/e2e/test_b.py", true),
            ("cd api && pytest -q", pytest, "web/tests/test_b.py", true),
            ("cd api && pytest -q tests", pytest, "api/tests/test_b.py", false),
            ("cd \"$DIR\" && pytest -q tests", pytest, "api/tests/test_b.py", false),
            ("pytest -q \"$FILES\"", pytest, "api/tests/test_b.py", false),
            ("pytest -q tests/test_*.py", pytest, "tests/test_b.py", false),
            ("cargo test -q --lib", cargo, "tests/it.rs", true),
            ("cargo test -q --test it", cargo, "tests/it.rs", false),
            ("cargo test -q --test it", cargo, "tests/other.rs", true),
            ("cargo test -q --test 'i*'", cargo, "tests/it.rs", false),
            ("cargo test -q", cargo, "tests/it.rs", false),
            ("cargo test -q --doc", cargo, "tests/it.rs", true),
            ("python3 -m unittest tests.test_a", unittest, "tests/test_a.py", false),
            ("python3 -m unittest tests.test_a.T.test_x", unittest, "tests/test_a.py", false),
            ("python3 -m unittest tests.test_a", unittest, "tests/test_b.py", true),
            ("python3 -m unittest tests/test_a.py", unittest, "tests/test_a.py", false),
            ("python3 -m unittest discover -s tests", unittest, "other/test_b.py", true),
            (
                "python3 -m unittest discover -s tests -p 'test_a*'",
                unittest,
                "tests/test_b.py",
                true,
            ),
            ("python3 -m unittest", unittest, "tests/test_b.py", false),
            ("node --test test/a.test.js", node, "test/a.test.js", false),
            ("node --test test/a.test.js", node, "test/b.test.js", true),
            ("node --test 'test/**/*.test.js'", node, "test/deep/b.test.js", false),
            ("node --test", node, "test/b.test.js", false),
            ("mocha test/a.js", mocha, "test/b.test.js", true),
            ("mocha --recursive test", mocha, "test/x/b.test.js", false),
            ("mocha", mocha, "spec/b.test.js", false),
            ("npx jest src/a", jest, "src/a.test.js", false),
            ("npx jest src/a", jest, "src/b.test.js", true),
            ("npx jest 'src/(a|b)'", jest, "src/b.test.js", false),
            ("npx jest --testPathPatterns=src/a", jest, "src/b.test.js", true),
            ("npx vitest run src/a", vitest, "src/b.test.js", true),
            ("npx vitest run", vitest, "src/b.test.js", false),
            ("go test ./a", go, "a/x_test.go", false),
            ("go test ./a/...", go, "a/x_test.go", false),
            ("go test ./a", go, "b/x_test.go", true),
            ("make test", cargo, "tests/it.rs", false),
        ] {
            let found = names(command, output, &[path]);
            assert_eq!(!found.is_empty(), is_named, "{command} and {path}");
        }
    }
}
