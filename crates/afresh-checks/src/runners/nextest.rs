//! `cargo nextest run`.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add, count};
use crate::text::test_name;

/// `Summary [   0.212s] 2 tests run: 1 passed, 1 failed, 1 skipped`, then the tests that failed.
pub(super) fn read_nextest(output: &str) -> Option<TestReport> {
    let mut executed = None;
    let mut failed = BTreeSet::new();
    let mut statuses = 0;
    let mut listed = BTreeSet::new();
    let mut found_none = false;
    for line in output.lines() {
        if let Some(number) = read_summary(line) {
            add(&mut executed, number);
        } else if line == "error: no tests to run" {
            found_none = true;
        } else if let Some((status, name)) = read_status(line) {
            statuses += u64::from(executed.is_none());
            // Of a test that is tried several times, only the last status counts; it follows the summary.
            let is_try = status.starts_with("TRY ") && executed.is_none();
            if is_failure(status) && !is_try {
                failed.insert(test_name(name));
            }
            if let Some((binary, _)) = name.split_once(' ') {
                listed.insert(binary.to_owned());
            }
        }
    }
    let executed = executed?;
    let mut report = TestReport::new(TestRunner::Nextest, executed, failed);
    report.found_none = found_none && executed == 0;
    // With some settings only failures are listed.
    if statuses >= executed && count(listed.len()) <= executed {
        report.listed = listed;
    }
    Some(report)
}

/// The number in `     Summary [   0.212s] 2/3 tests run: 1 passed, …`.
fn read_summary(line: &str) -> Option<u64> {
    let rest = line.trim_start().strip_prefix("Summary [")?;
    let (_, counts) = rest.split_once("] ")?;
    let (number, rest) = counts.split_once(" test")?;
    let is_summary = rest.starts_with(" run: ") || rest.starts_with("s run: ");
    is_summary.then(|| number.split('/').next()?.parse().ok()).flatten()
}

/// The status and the name in `        FAIL [   0.210s] (2/2) demo t::bad`.
fn read_status(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    if !line.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let (status, rest) = line.split_once(" [")?;
    let (time, name) = rest.split_once("] ")?;
    let is_status = status.len() <= 16
        && status.bytes().all(|byte| byte.is_ascii_uppercase() || b" /-0123456789".contains(&byte));
    if !is_status || !time.trim_start_matches([' ', '>']).ends_with('s') {
        return None;
    }
    let name = name.trim_start();
    let name = match name.strip_prefix('(') {
        Some(numbered) => numbered.split_once(") ").map_or(name, |(_, name)| name),
        None => name,
    };
    Some((status, name.trim()))
}

fn is_failure(status: &str) -> bool {
    let last = status.rsplit(' ').next().unwrap_or(status);
    matches!(last, "FAIL" | "TIMEOUT" | "ABORT" | "LEAK-FAIL" | "FLKY-FL" | "XFAIL")
        || last.starts_with("SIG")
}
