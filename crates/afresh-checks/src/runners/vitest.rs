//! vitest.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add, count, read_counts, sum_of};
use crate::text::test_name;

/// ` Test Files  1 failed (1)`, then `      Tests  1 failed | 1 passed | 1 skipped (3)`.
pub(super) fn read_vitest(output: &str) -> Option<TestReport> {
    let mut reader = VitestReader::default();
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
        ..TestReport::new(TestRunner::Vitest, executed, reader.failed)
    })
}

#[derive(Debug, Default)]
struct VitestReader {
    executed: Option<u64>,
    failed: BTreeSet<String>,
    listed: BTreeSet<String>,
    /// Files without any test, which is an error.
    without_test: u64,
    exits_with_error: bool,
}

impl VitestReader {
    fn read_line(&mut self, line: &str, before: &str) {
        let text = line.trim_start();
        if let Some(counts) = text.strip_prefix("Tests  ") {
            if before.trim_start().starts_with("Test Files  ") {
                self.read_summary(counts.trim());
            }
        } else if let Some(code) = text.strip_prefix("No test files found, exiting with code ") {
            self.executed.get_or_insert(0);
            self.exits_with_error |= code != "0";
        } else if let Some(name) = line.strip_prefix(" FAIL  ") {
            let name = without_project(name);
            // A file that could not be loaded is named twice.
            let name = name.split_once(" [ ").map_or(name, |(file, _)| file);
            self.failed.insert(test_name(name));
        } else if line.starts_with("Error: No test suite found in file ") {
            self.without_test += 1;
        } else if let Some(rest) = line.strip_prefix(' ') {
            self.read_progress(rest);
        }
    }

    fn read_summary(&mut self, counts: &str) {
        let counts = counts.rsplit_once(" (").map_or(counts, |(counts, _)| counts);
        if counts == "no tests" {
            self.executed.get_or_insert(0);
        } else if let Some(counts) = read_counts(counts, "|") {
            add(&mut self.executed, sum_of(&counts, &["passed", "failed"]));
        }
    }

    /// `✓ src/f.test.ts (1 test) 3ms`, `❯ src/a.test.js (5 tests | 2 failed) 12ms`, `× src/a.test.js > sums > bad 7ms`.
    fn read_progress(&mut self, line: &str) {
        let marks = ["✓ ", "❯ ", "× "];
        let Some(rest) = marks.iter().find_map(|mark| line.strip_prefix(mark)) else { return };
        let rest = without_project(rest);
        let end = rest.find(" (").into_iter().chain(rest.find(" > ")).min();
        let Some(path) = end.map(|end| rest[..end].trim_end()).filter(|path| path.contains('.'))
        else {
            return;
        };
        if !rest[path.len()..].trim_start().starts_with("(0 test") {
            self.listed.insert(path.to_owned());
        }
    }
}

/// Without the name of a project: `|unit| src/a.test.js`.
fn without_project(text: &str) -> &str {
    let text = text.trim_start();
    match text.strip_prefix('|').and_then(|rest| rest.split_once("| ")) {
        Some((_, rest)) => rest.trim_start(),
        None => text,
    }
}
