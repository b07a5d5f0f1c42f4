//! jest.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add, count, read_counts, sum_of};
use crate::text::test_name;

/// `Test Suites: 1 failed, 1 total`, then `Tests:       1 failed, 1 skipped, 1 passed, 3 total`.
pub(super) fn read_jest(output: &str) -> Option<TestReport> {
    let mut reader = JestReader::default();
    let mut before = "";
    for line in output.lines() {
        reader.read_line(line, before);
        before = line;
    }
    let executed = reader.executed?;
    let is_empty = reader.without_test > 0 && count(reader.failed.len()) == reader.without_test;
    Some(TestReport {
        found_none: executed == 0 && (reader.exits_with_error || is_empty),
        listed: reader.listed,
        ..TestReport::new(TestRunner::Jest, executed, reader.failed)
    })
}

#[derive(Debug, Default)]
struct JestReader {
    executed: Option<u64>,
    failed: BTreeSet<String>,
    listed: BTreeSet<String>,
    /// The file whose failures are being shown.
    file: Option<String>,
    /// Files without any test, which is an error.
    without_test: u64,
    exits_with_error: bool,
}

impl JestReader {
    fn read_line(&mut self, line: &str, before: &str) {
        if let Some(counts) = line.strip_prefix("Tests:  ") {
            if before.starts_with("Test Suites: ")
                && let Some(counts) = read_counts(counts, ",")
            {
                add(&mut self.executed, sum_of(&counts, &["passed", "failed"]));
            }
        } else if let Some(code) = line.strip_prefix("No tests found, exiting with code ") {
            self.executed.get_or_insert(0);
            self.exits_with_error |= code != "0";
        } else if let Some(path) = line.strip_prefix("PASS ") {
            self.listed.insert(file_path(path).to_owned());
            self.file = None;
        } else if let Some(path) = line.strip_prefix("FAIL ") {
            self.listed.insert(file_path(path).to_owned());
            self.file = Some(file_path(path).to_owned());
        } else if let Some(name) = line.strip_prefix("  ● ") {
            // What was printed to the console has the same mark.
            if let Some(file) = self.file.as_ref().filter(|_| name != "Console") {
                self.failed.insert(test_name(&format!("{file} › {name}")));
            }
        } else if line == "    Your test suite must contain at least one test." {
            self.without_test += 1;
        }
    }
}

/// The path in `src/a.test.js (5.2 s)`, or in `name src/a.test.js` of a project with a name.
fn file_path(text: &str) -> &str {
    let text = text.trim();
    let path = match text.rsplit_once(" (") {
        Some((path, time)) if time.ends_with(" s)") => path,
        _ => text,
    };
    path.rsplit(' ').next().unwrap_or(path)
}
