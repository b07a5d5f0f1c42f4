//! pytest and unittest.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add, read_counts, sum_of};

const EXECUTED: &[&str] = &["passed", "failed", "error", "errors", "xfailed", "xpassed"];
const NOT_EXECUTED: &[&str] =
    &["skipped", "deselected", "warning", "warnings", "rerun", "subtests passed"];

/// `=== 1 failed, 1 passed, 1 skipped in 0.03s ===`, without the signs if it is quiet, or `no tests ran in 0.02s`.
pub(super) fn read_pytest(output: &str) -> Option<TestReport> {
    let mut executed = None;
    let mut failed = BTreeSet::new();
    for line in output.lines() {
        if let Some(count) = read_pytest_summary(line) {
            add(&mut executed, count);
        }
        for mark in ["FAILED ", "ERROR "] {
            if let Some(rest) = line.strip_prefix(mark)
                && rest.contains(".py")
            {
                failed.insert(rest.split(" - ").next().unwrap_or(rest).trim().to_owned());
            }
        }
    }
    Some(TestReport::new(TestRunner::Pytest, executed?, failed))
}

fn read_pytest_summary(line: &str) -> Option<u64> {
    let (counts, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    // `0.03s`, or `61.20s (0:01:01)`.
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    if counts == "no tests ran" {
        return Some(0);
    }
    let counts = read_counts(counts, ",")?;
    let is_known = |word: &&str| EXECUTED.contains(word) || NOT_EXECUTED.contains(word);
    counts.iter().all(|(_, word)| is_known(word)).then(|| sum_of(&counts, EXECUTED))
}

/// `Ran 3 tests in 0.000s`, then `OK (skipped=1)` or `FAILED (failures=1, skipped=1)`.
pub(super) fn read_unittest(output: &str) -> Option<TestReport> {
    let mut ran = None;
    let mut skipped = 0_u64;
    let mut failed = BTreeSet::new();
    for line in output.lines() {
        if let Some(count) = read_ran(line) {
            add(&mut ran, count);
        }
        if ran.is_some() && (line.starts_with("OK (") || line.starts_with("FAILED (")) {
            skipped = skipped.saturating_add(read_detail(line, "skipped").unwrap_or(0));
        }
        for mark in ["FAIL: ", "ERROR: "] {
            if let Some(name) = line.strip_prefix(mark) {
                failed.insert(name.trim().to_owned());
            }
        }
    }
    Some(TestReport::new(TestRunner::Unittest, ran?.saturating_sub(skipped), failed))
}

fn read_ran(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let is_summary = rest.starts_with("tests in ") || rest.starts_with("test in ");
    if is_summary { number.parse().ok() } else { None }
}

/// The number in `FAILED (failures=1, skipped=1)`.
fn read_detail(line: &str, name: &str) -> Option<u64> {
    let inside = line.split_once('(')?.1.trim_end_matches(')');
    inside
        .split(", ")
        .find_map(|part| part.split_once('=').filter(|(key, _)| *key == name))?
        .1
        .parse()
        .ok()
}
