//! The reports of test runners, added up for the journal.

use std::collections::BTreeSet;

use afresh_core::check::{MAX_FAILED_NAMES, TestTally};

use crate::runners::{TestReport, TestRunner, sum};

/// What all reports of one check add up to; none if no test runner was recognised.
///
/// A runner that also writes `JUnit` XML reports the same tests twice: they count once.
pub fn add_up(reports: &[TestReport]) -> Option<TestTally> {
    if reports.is_empty() {
        return None;
    }
    let (files, printed): (Vec<&TestReport>, Vec<&TestReport>) =
        reports.iter().partition(|report| report.runner == TestRunner::Junit);
    // A report that is printed and written is the same one.
    let mut files = files;
    files.dedup();
    let counts = |reports: &[&TestReport]| sum(reports.iter().map(|report| report.executed));
    let mut failed: BTreeSet<&String> = printed.iter().flat_map(|report| &report.failed).collect();
    let known: BTreeSet<String> = failed.iter().map(|name| words_of(name)).collect();
    let in_files = files.iter().flat_map(|report| &report.failed);
    failed.extend(in_files.filter(|name| !known.contains(&words_of(name))));
    let mut runners: Vec<String> =
        reports.iter().map(|report| report.runner.name().to_owned()).collect();
    runners.dedup();
    Some(TestTally {
        runners,
        executed: counts(&files).max(counts(&printed)),
        is_cut: failed.len() > MAX_FAILED_NAMES,
        failed: failed.into_iter().take(MAX_FAILED_NAMES).cloned().collect(),
        new_failed: Vec::new(),
    })
}

/// The words of a test's name: `tests/test_a.py::test_bad` is the same test as `tests.test_a test_bad`.
fn words_of(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words =
        words.filter(|word| !matches!(*word, "" | "py" | "js" | "ts" | "tsx" | "jsx" | "rs"));
    words.collect::<Vec<_>>().join(" ")
}
