//! The reports of test runners, added up for the journal.

use std::collections::BTreeSet;

use afresh_core::check::{MAX_FAILED_NAMES, TestTally};

use crate::runners::TestReport;

/// What all reports of one check add up to; none if no test runner was recognised.
pub fn add_up(reports: &[TestReport]) -> Option<TestTally> {
    if reports.is_empty() {
        return None;
    }
    let failed: BTreeSet<&String> = reports.iter().flat_map(|report| &report.failed).collect();
    Some(TestTally {
        runners: reports.iter().map(|report| report.runner.name().to_owned()).collect(),
        executed: reports.iter().fold(0, |sum, report| sum.saturating_add(report.executed)),
        is_cut: failed.len() > MAX_FAILED_NAMES,
        failed: failed.into_iter().take(MAX_FAILED_NAMES).cloned().collect(),
    })
}
