//! `go test`, as text and as the events of `-json`.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{TestReport, TestRunner};

#[derive(Debug, Default)]
struct GoCounts {
    /// Lines about packages.
    packages: u64,
    /// Packages that passed, of which at least one test was executed.
    passed_packages: u64,
    passed: BTreeSet<String>,
    failed: BTreeSet<String>,
}

/// One line of `go test -json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoEvent {
    action: String,
    package: Option<String>,
    test: Option<String>,
}

pub(super) fn read_go(output: &str) -> Option<TestReport> {
    let mut counts = GoCounts::default();
    for line in output.lines() {
        if line.starts_with("{\"")
            && let Ok(event) = serde_json::from_str::<GoEvent>(line)
        {
            counts.add_event(event);
        } else {
            counts.add_line(line);
        }
    }
    if counts.packages == 0 {
        return None;
    }
    let named = u64::try_from(counts.passed.len() + counts.failed.len()).unwrap_or(u64::MAX);
    // Without `-v`, the tests of a package that passes are not listed.
    let executed = if counts.passed.is_empty() { named + counts.passed_packages } else { named };
    Some(TestReport::new(TestRunner::Go, executed, counts.failed))
}

impl GoCounts {
    fn add_line(&mut self, line: &str) {
        let trimmed = line.trim_start();
        for (mark, names) in [("--- PASS: ", &mut self.passed), ("--- FAIL: ", &mut self.failed)] {
            if let Some(name) = trimmed.strip_prefix(mark) {
                names.insert(name.split(" (").next().unwrap_or(name).to_owned());
            }
        }
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        match fields.as_slice() {
            ["ok", _, rest @ ..] => {
                self.packages += 1;
                let is_empty = rest.iter().any(|field| field.contains("[no tests to run]"));
                self.passed_packages += u64::from(!is_empty);
            }
            ["?", _, "[no test files]"] | ["FAIL", _, ..] => self.packages += 1,
            _ => {}
        }
    }

    fn add_event(&mut self, event: GoEvent) {
        let Some(package) = event.package else { return };
        let Some(test) = event.test else {
            self.packages += u64::from(matches!(event.action.as_str(), "pass" | "fail" | "skip"));
            return;
        };
        let name = format!("{package} {test}");
        match event.action.as_str() {
            "pass" => self.passed.insert(name),
            "fail" => self.failed.insert(name),
            _ => false,
        };
    }
}
