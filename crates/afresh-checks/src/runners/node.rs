//! Node's own test runner, as TAP (up to version 22 into a pipe) and as its `spec` reporter writes.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add, count, relative_path, without_groups};
use crate::command::{CalledTool, InvokedTool, ReadCommand};
use crate::text::test_name;

/// `# tests 3`, `# pass 1`, `# fail 1` …, or the same after `ℹ`.
pub(super) fn read_node(output: &str) -> Option<TestReport> {
    let executed = read_summaries(output)?;
    let mut reader = NodeReader::default();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        reader.read_line(line, lines.peek().copied().unwrap_or_default());
    }
    let failed = without_groups(&reader.failed, " > ");
    // A file that cannot be loaded counts as a test that failed.
    let unloaded = failed.iter().filter(|name| is_file(name)).count();
    let executed = executed.saturating_sub(count(unloaded));
    Some(TestReport::new(TestRunner::Node, executed, failed))
}

/// Whether tests are selected by name: then a file without a selected test still counts as a test that passed.
pub(super) fn filters_by_name(command: &ReadCommand) -> bool {
    let calls = command.calls.iter().filter(|call| call.tool == InvokedTool::NodeTest);
    let mut words = calls.flat_map(CalledTool::arguments);
    words.any(|word| word.starts_with("--test-name-pattern") || word == "--test-only")
}

/// Takes the files that passed as a whole out of the tests that were executed.
pub(super) fn leave_out_files(report: &mut TestReport, output: &str) {
    let passed = output.lines().filter_map(|line| {
        let (_, name) = line.strip_prefix("ok ")?.split_once(" - ")?;
        Some(name)
    });
    let spec =
        output.lines().filter_map(|line| Some(line.strip_prefix("✔ ")?.rsplit_once(" (")?.0));
    let files = passed.chain(spec).filter(|name| is_file(name)).count();
    report.executed = report.executed.saturating_sub(count(files));
}

/// The sum of passed, failed and cancelled tests; none if there is no summary.
fn read_summaries(output: &str) -> Option<u64> {
    let mut executed = None;
    let mut is_summary = false;
    for line in output.lines() {
        let Some((word, number)) = read_summary_line(line) else {
            is_summary = false;
            continue;
        };
        is_summary |= word == "tests";
        if is_summary && matches!(word, "pass" | "fail" | "cancelled") {
            add(&mut executed, number);
        }
    }
    executed
}

fn read_summary_line(line: &str) -> Option<(&str, u64)> {
    let summary = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?;
    let (word, number) = summary.split_once(' ')?;
    Some((word, number.trim().parse().ok()?))
}

#[derive(Debug, Default)]
struct NodeReader {
    /// The names of the groups around this line, each with its indentation.
    groups: Vec<(usize, String)>,
    failed: BTreeSet<String>,
    /// Whether the failures are being repeated.
    is_repeating: bool,
}

impl NodeReader {
    fn read_line(&mut self, line: &str, next: &str) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some(name) = text.strip_prefix("# Subtest: ").or_else(|| text.strip_prefix("▶ ")) {
            self.groups.retain(|(outer, _)| *outer < indent);
            self.groups.push((indent, name.trim().to_owned()));
        } else if let Some(name) = read_tap_failure(text, next) {
            self.fail(indent, name);
        } else if line == "✖ failing tests:" {
            self.is_repeating = true;
        } else if !self.is_repeating
            && let Some(name) = read_spec_failure(text)
        {
            self.fail(indent, name);
        }
    }

    fn fail(&mut self, indent: usize, name: &str) {
        let outer = self.groups.iter().filter(|(outer, _)| *outer < indent);
        let mut names: Vec<&str> = outer.map(|(_, name)| name.as_str()).collect();
        names.push(if is_file(name) { relative_path(name) } else { name });
        self.failed.insert(test_name(&names.join(" > ")));
    }
}

/// `not ok 2 - bad`, then its details as YAML.
fn read_tap_failure<'a>(text: &'a str, next: &str) -> Option<&'a str> {
    let (_, name) = text.strip_prefix("not ok ")?.split_once(" - ")?;
    let is_known = next.trim_start() == "---";
    // Tests that are still to be written do not count.
    (is_known && !name.contains(" # TODO") && !name.contains(" # SKIP")).then_some(name.trim())
}

/// `✖ bad (5.15ms)`.
fn read_spec_failure(text: &str) -> Option<&str> {
    let (name, time) = text.strip_prefix("✖ ")?.rsplit_once(" (")?;
    time.ends_with("ms)").then_some(name.trim())
}

/// Whether a test has the name of a file, as one has that stands for all of it.
fn is_file(name: &str) -> bool {
    let extensions = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];
    extensions.iter().any(|extension| name.ends_with(extension)) && !name.contains(' ')
}
