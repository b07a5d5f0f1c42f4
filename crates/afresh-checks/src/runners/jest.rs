//! jest and vitest.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add, read_counts, sum_of};

/// `Tests:       1 failed, 1 skipped, 1 passed, 3 total`.
pub(super) fn read_jest(output: &str) -> Option<TestReport> {
    let mut executed = None;
    let mut failed = BTreeSet::new();
    for line in output.lines() {
        if let Some(counts) = line.strip_prefix("Tests:  ") {
            let counts = read_counts(counts, ",")?;
            add(&mut executed, sum_of(&counts, &["passed", "failed"]));
        }
        // `No tests found, exiting with code 1`
        if line.starts_with("No tests found, exiting with code ") {
            executed.get_or_insert(0);
        }
        if let Some(name) = line.strip_prefix("  ● ")
            && !name.starts_with("Console")
        {
            failed.insert(name.trim().to_owned());
        }
    }
    Some(TestReport::new(TestRunner::Jest, executed?, failed))
}

/// `      Tests  1 failed | 1 passed | 1 skipped (3)`, or `No test files found, exiting with code 1`.
pub(super) fn read_vitest(output: &str) -> Option<TestReport> {
    let mut executed = None;
    let mut failed = BTreeSet::new();
    for line in output.lines() {
        let trimmed = line.trim_start();
        if let Some(counts) = trimmed.strip_prefix("Tests  ") {
            let counts = counts.trim();
            let counts = counts.rsplit_once(" (").map_or(counts, |(counts, _)| counts);
            if counts == "no tests" {
                executed.get_or_insert(0);
            } else if let Some(counts) = read_counts(counts, "|") {
                add(&mut executed, sum_of(&counts, &["passed", "failed"]));
            }
        }
        if trimmed.starts_with("No test files found, exiting with code ") {
            executed.get_or_insert(0);
        }
        if let Some(name) = trimmed.strip_prefix("FAIL  ") {
            failed.insert(name.trim().to_owned());
        }
    }
    Some(TestReport::new(TestRunner::Vitest, executed?, failed))
}
