//! What a failed command did not find.

use afresh_checks::{MissingKind, find_missing};

/// The line that names it is found among others, and the name is the one that the program printed.
#[test]
fn what_is_missing_is_named() {
    use MissingKind::{Configuration, File, Module, Program, Script, Target};
    for (code, output, kind, name) in [
        (127, "sh: 1: nothere: not found\n", Program, "nothere"),
        (127, "bash: line 1: nothere: command not found\n", Program, "nothere"),
        (127, "bash: scripts/x.sh: No such file or directory\n", File, "scripts/x.sh"),
        (126, "sh: 1: ./a.js: Permission denied\n", File, "./a.js"),
        (
            4,
            "= no tests ran in 0.01s =\nERROR: file or directory not found: tests/test_x.py\n",
            File,
            "tests/test_x.py",
        ),
        (
            4,
            "ERROR: not found: /w/test_a.py::T::test_zz\n(no match)\n",
            File,
            "/w/test_a.py::T::test_zz",
        ),
        (
            2,
            "python3: can't open file '/w/scripts/x.py': [Errno 2] No such file or directory\n",
            File,
            "/w/scripts/x.py",
        ),
        (
            1,
            "Traceback (most recent call last):\nModuleNotFoundError: No module named 'app.greet'\n",
            Module,
            "app.greet",
        ),
        (1, "/usr/bin/python3: No module named pytestx\n", Module, "pytestx"),
        (1, "ImportError: Start directory is not importable: 'tests'\n", File, "tests"),
        (1, "Error: Cannot find module '/w/nothere.js'\n", Module, "/w/nothere.js"),
        (1, "Could not find '/w/tests/x.test.js'\n", File, "/w/tests/x.test.js"),
        (1, "npm error Missing script: \"test\"\n", Script, "test"),
        (101, "error: no test target named `nothere` in default-run packages\n", Target, "nothere"),
        (101, "error: no bin target named `nothere` in default-run packages\n", Target, "nothere"),
        (
            101,
            "error: package ID specification `nothere` did not match any packages\n",
            Target,
            "nothere",
        ),
        (101, "error: no such command: `nothere`\n", Program, "nothere"),
        (
            101,
            "error: could not find `Cargo.toml` in `/w` or any parent directory\n",
            Configuration,
            "Cargo.toml",
        ),
        (1, "stat /w/nothere: directory not found\n", File, "/w/nothere"),
        (
            1,
            "pattern ./...: directory prefix . does not contain main module or its selected\n",
            Configuration,
            "go.mod",
        ),
        (2, "make: *** No rule to make target 'nothere'.  Stop.\n", Target, "nothere"),
        (2, "ESLint couldn't find an eslint.config.* file.\n", Configuration, "eslint.config.js"),
        (2, "No files matching the pattern \"nothere.js\" were found.\n", File, "nothere.js"),
        (
            1,
            "E902 No such file or directory (os error 2)\n--> nothere.py:1:1\n",
            File,
            "nothere.py",
        ),
        (2, "error TS6053: File 'nothere.ts' not found.\n", File, "nothere.ts"),
        (
            1,
            "tsc: The TypeScript Compiler - Version 7.0.2\n\nCOMMON COMMANDS\n",
            Configuration,
            "tsconfig.json",
        ),
        (2, "grep: src/a.py: No such file or directory\n", File, "src/a.py"),
    ] {
        let found = find_missing(code, output).unwrap_or_else(|| panic!("nothing found: {output}"));
        assert_eq!((found.kind, found.name.as_str()), (kind, name), "{output}");
    }
}

/// A command that failed for another reason, or that passed, misses nothing.
#[test]
fn a_failure_for_another_reason_misses_nothing() {
    for (code, output) in [
        (1, "AssertionError: 1 != 2\nRan 3 tests in 0.000s\n\nFAILED (failures=1)\n"),
        (1, "the test expected: open file: No such file or directory was not reported\n"),
        (1, "a.ts(1,5): error TS2322: Type 'string' is not assignable to type 'number'.\n"),
        (2, "make: *** [Makefile:2: test] Error 1\n"),
        (0, "sh: 1: nothere: not found\n"),
        (1, ""),
    ] {
        assert_eq!(find_missing(code, output), None, "{output}");
    }
}

/// What a task declares to create is matched with what was missing, by path or by module name.
#[test]
fn a_planned_file_is_matched_with_what_was_missing() {
    let missing = |code, output: &str| find_missing(code, output).expect("something is missing");
    let file = missing(4, "ERROR: file or directory not found: tests/test_x.py\n");
    assert!(file.may_be("tests/test_x.py") && !file.may_be("tests/test_y.py"));
    let within = missing(4, "ERROR: not found: /w/tests/test_a.py::T::test_zz\n");
    assert!(within.may_be("tests/test_a.py"));
    let module = missing(1, "ModuleNotFoundError: No module named 'app.greet'\n");
    assert!(module.may_be("src/app/greet.py") && module.may_be("app/greet/__init__.py"));
    assert!(!module.may_be("src/app/other.py"));
    let script = missing(1, "npm error Missing script: \"test\"\n");
    assert!(script.may_be("package.json") && !script.may_be("a.json"));
    let target = missing(101, "error: no test target named `smoke` in default-run packages\n");
    assert!(target.may_be("tests/smoke.rs") && !target.may_be("tests/other.rs"));
}
