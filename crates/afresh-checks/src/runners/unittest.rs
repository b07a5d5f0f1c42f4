//! Python's unittest.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add};
use crate::text::test_name;

/// The class of a test that stands for a module which could not be imported.
const UNLOADED: &str = "unittest.loader._FailedTest";

/// `Ran 3 tests in 0.000s`, then `OK (skipped=1)` or `FAILED (failures=1, skipped=1)`.
pub(super) fn read_unittest(output: &str) -> Option<TestReport> {
    let mut ran = None;
    let mut not_executed = 0_u64;
    let mut failed = BTreeSet::new();
    let mut found_none = false;
    let mut before = "";
    for line in output.lines() {
        if before.starts_with("----------")
            && let Some(number) = read_ran(line)
        {
            add(&mut ran, number);
        }
        if ran.is_some() && (line.starts_with("OK (") || line.starts_with("FAILED (")) {
            not_executed = not_executed.saturating_add(read_detail(line, "skipped").unwrap_or(0));
        }
        found_none |= ran.is_some() && line.starts_with("NO TESTS RAN");
        if before.starts_with("==========")
            && let Some(name) = line.strip_prefix("FAIL: ").or(line.strip_prefix("ERROR: "))
        {
            not_executed = not_executed.saturating_add(u64::from(name.contains(UNLOADED)));
            failed.insert(test_name(name));
        }
        before = line;
    }
    let executed = ran?.saturating_sub(not_executed);
    let found_none = found_none && executed == 0 && failed.is_empty();
    Some(TestReport { found_none, ..TestReport::new(TestRunner::Unittest, executed, failed) })
}

fn read_ran(line: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("Ran ")?.split_once(' ')?;
    let is_summary = rest.starts_with("tests in ") || rest.starts_with("test in ");
    if is_summary { number.parse().ok() } else { None }
}

/// The number in `FAILED (failures=1, skipped=1)`.
fn read_detail(line: &str, name: &str) -> Option<u64> {
    let inside = line.split_once('(')?.1.trim_end_matches(')');
    let mut parts = inside.split(", ").filter_map(|part| part.split_once('='));
    parts.find(|(key, _)| *key == name)?.1.parse().ok()
}
