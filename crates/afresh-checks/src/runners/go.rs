//! `go test`, as text and as the events of `-json`.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{TestReport, TestRunner, count, without_groups};
use crate::text::test_name;

#[derive(Debug, Default)]
struct GoReader {
    /// Lines about packages.
    packages: u64,
    executed: u64,
    failed: BTreeSet<String>,
    listed: BTreeSet<String>,
    found_none: bool,
    /// Of the package whose line follows.
    passed_here: BTreeSet<String>,
    failed_here: BTreeSet<String>,
    has_skipped: bool,
}

/// One line of `go test -json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoEvent {
    action: String,
    package: Option<String>,
    test: Option<String>,
    #[serde(default)]
    output: Option<String>,
}

pub(super) fn read_go(output: &str) -> Option<TestReport> {
    let mut reader = GoReader::default();
    for line in output.lines() {
        match read_event(line) {
            Some(event) => reader.read_event(event),
            None => reader.read_line(line),
        }
    }
    if reader.packages == 0 {
        return None;
    }
    Some(TestReport {
        found_none: reader.found_none && reader.executed == 0 && reader.failed.is_empty(),
        listed: reader.listed,
        ..TestReport::new(TestRunner::Go, reader.executed, without_groups(&reader.failed, "/"))
    })
}

fn read_event(line: &str) -> Option<GoEvent> {
    if line.starts_with("{\"") { serde_json::from_str(line).ok() } else { None }
}

/// What the events of `-json` print, as the text that they were made from.
pub(crate) fn text_of_events(output: &str) -> String {
    let mut text = String::with_capacity(output.len());
    for line in output.lines() {
        if let Some(event) = read_event(line) {
            text.push_str(event.output.as_deref().unwrap_or_default());
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

impl GoReader {
    fn read_line(&mut self, line: &str) {
        let text = line.trim_start();
        if let Some(name) = read_test(text, "--- PASS: ") {
            self.passed_here.insert(name.to_owned());
        } else if let Some(name) = read_test(text, "--- FAIL: ") {
            self.failed_here.insert(name.to_owned());
        } else if read_test(text, "--- SKIP: ").is_some() {
            self.has_skipped = true;
        } else if let Some((status, rest)) = line.split_once('\t') {
            self.read_package(status.trim(), rest);
        } else if line == "no packages to test" {
            self.packages += 1;
            self.found_none = true;
        }
    }

    /// `ok  \tx/pkg\t0.003s`, `FAIL\tx/pkg [build failed]`, `?   \tx/pkg\t[no test files]`.
    fn read_package(&mut self, status: &str, rest: &str) {
        let (name, rest) = rest.split_once(['\t', ' ']).unwrap_or((rest, ""));
        let rest = rest.trim();
        match status {
            "ok" if !rest.is_empty() => self.end_package(name, !rest.contains("[no tests to run]")),
            "?" if rest == "[no test files]" => self.packages += 1,
            "FAIL" if rest.ends_with(" failed]") => {
                self.packages += 1;
                self.failed.insert(test_name(&format!("{name} {rest}")));
            }
            "FAIL" if rest.ends_with('s') => {
                if self.failed_here.is_empty() {
                    self.failed.insert(test_name(name));
                }
                self.end_package(name, false);
            }
            _ => {}
        }
    }

    /// Without `-v`, the tests of a package that passes are not listed.
    fn end_package(&mut self, name: &str, has_passed: bool) {
        let passed = std::mem::take(&mut self.passed_here);
        let failed = std::mem::take(&mut self.failed_here);
        let has_skipped = std::mem::take(&mut self.has_skipped);
        let named = count(passed.len() + failed.len());
        let unnamed = u64::from(has_passed && named == 0 && !has_skipped);
        self.packages += 1;
        self.executed = self.executed.saturating_add(named + unnamed);
        if named + unnamed > 0 {
            self.listed.insert(name.to_owned());
        }
        self.failed.extend(failed.iter().map(|test| test_name(&format!("{name} {test}"))));
    }

    fn read_event(&mut self, event: GoEvent) {
        let Some(package) = event.package else { return };
        match (event.action.as_str(), event.test) {
            ("pass", Some(test)) => drop(self.passed_here.insert(test)),
            ("fail", Some(test)) => drop(self.failed_here.insert(test)),
            ("skip", Some(_)) => self.has_skipped = true,
            ("pass", None) => self.end_package(&package, false),
            ("fail", None) => {
                if self.failed_here.is_empty() {
                    self.failed.insert(test_name(&package));
                }
                self.end_package(&package, false);
            }
            ("skip", None) => self.packages += 1,
            _ => {}
        }
    }
}

/// The name in `--- FAIL: TestBad/inner_one (0.00s)`.
fn read_test<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let (name, time) = text.strip_prefix(mark)?.rsplit_once(" (")?;
    time.ends_with("s)").then_some(name)
}
