//! Lines that say nothing about a failure: progress, counts, tests that pass.

/// Starts of lines that build tools and runners write about anything but failures.
const STARTS: &[&str] = &[
    // cargo, nextest
    "Compiling ",
    "Checking ",
    "Finished ",
    "Running ",
    "Doc-tests ",
    "Downloading ",
    "Downloaded ",
    "Updating ",
    "Locking ",
    "Adding ",
    "Blocking ",
    "Fresh ",
    "Dirty ",
    "running ",
    "test result: ",
    "Nextest run ID ",
    "Starting ",
    "PASS [",
    "SLOW [",
    "Summary [",
    "Cancelling due to ",
    "warning: build failed, waiting for ",
    // Python
    "platform ",
    "rootdir: ",
    "plugins: ",
    "cachedir: ",
    "configfile: ",
    "collected ",
    "collecting ",
    "Ran ",
    "created: ",
    "Using --randomly-seed",
    "FAILED (failures=",
    "FAILED (errors=",
    "OK (",
    // go
    "=== RUN ",
    "=== PAUSE ",
    "=== CONT ",
    "--- PASS: ",
    "--- SKIP: ",
    "ok \t",
    "ok  \t",
    "?   \t",
    // JavaScript
    "✓ ",
    "✔ ",
    "○ ",
    "↓ ",
    "ℹ ",
    "# tests ",
    "# suites ",
    "# pass ",
    "# fail ",
    "# cancelled ",
    "# skipped ",
    "# todo ",
    "# duration_ms ",
    "duration_ms: ",
    "ok ",
    "PASS ",
    "Time: ",
    "Start at ",
    "Duration ",
    "Tests: ",
    "Tests  ",
    "Test Suites: ",
    "Test Files  ",
    "Snapshots: ",
    "Ran all test suites",
    "RUN  v",
    "1..",
    "npm warn ",
    "npm notice ",
    "npm error A complete log of this run ",
    // make
    "make: Entering directory ",
    "make: Leaving directory ",
    "make[",
];

/// Ends of lines about tests that did not fail.
const ENDS: &[&str] =
    &[" ... ok", " ... ignored", " ... skipped", "%]", " PASSED", " SKIPPED", " XFAIL"];

pub(super) fn is_noise(line: &str) -> bool {
    STARTS.iter().any(|start| line.starts_with(start))
        || ENDS.iter().any(|end| line.ends_with(end))
        || is_dots(line)
        || is_count(line)
}

/// `F.s`, one sign per test.
fn is_dots(line: &str) -> bool {
    line.chars().all(|c| ".FEsxXu,!·".contains(c))
}

/// `2 passing (4ms)`, `1 failing`, `==== 1 failed, 4 passed in 0.03s ====`.
fn is_count(line: &str) -> bool {
    let text = line.trim_matches(['=', ' ']);
    let Some((number, rest)) = text.split_once(' ') else { return false };
    let word = rest.split([' ', ',']).next().unwrap_or(rest);
    let words = [
        "passing",
        "failing",
        "pending",
        "passed",
        "failed",
        "skipped",
        "error",
        "errors",
        "deselected",
    ];
    number.bytes().all(|byte| byte.is_ascii_digit()) && words.contains(&word) && text.len() < 200
}
