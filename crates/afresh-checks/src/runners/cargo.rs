//! `cargo test`, that is libtest once per binary.

use std::collections::{BTreeSet, VecDeque};

use super::{TestReport, TestRunner, read_counts, sum_of};
use crate::text::test_name;

/// Reads the lines of all binaries.
pub(super) fn read_cargo(output: &str) -> Option<TestReport> {
    let mut reader = CargoReader::default();
    if !are_mixed(output) {
        reader.binaries = output.lines().filter_map(read_binary).collect();
        reader.is_apart = true;
    }
    for line in output.lines() {
        reader.read_line(line);
    }
    reader.end_binary();
    let mut report = TestReport::new(TestRunner::Cargo, reader.executed?, reader.failed);
    report.listed = reader.listed;
    Some(report)
}

#[derive(Debug, Default)]
struct CargoReader {
    executed: Option<u64>,
    failed: BTreeSet<String>,
    listed: BTreeSet<String>,
    /// The binaries whose tests were not read yet.
    binaries: VecDeque<String>,
    /// Whether cargo's own lines stand apart from those of the tests.
    is_apart: bool,
    /// The binary whose tests are being read.
    current: Option<RunningBinary>,
    /// Whether the details of the tests that failed are being shown, with whatever they printed.
    in_details: bool,
    /// The names of the list that is being read.
    names: Option<Vec<String>>,
}

#[derive(Debug)]
struct RunningBinary {
    label: String,
}

impl CargoReader {
    fn read_line(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.read_result(counts);
        } else if is_start(line) && !self.in_details {
            self.end_binary();
            let label = self.binaries.pop_front().unwrap_or_default();
            self.current = Some(RunningBinary { label });
        } else if !self.is_apart
            && let Some(binary) = read_binary(line)
        {
            self.end_binary();
            self.binaries = VecDeque::from([binary]);
        } else if line == "failures:" {
            self.names = Some(Vec::new());
        } else if let Some(names) = &mut self.names {
            match line.strip_prefix("    ") {
                Some(name) => names.push(stable_name(name)),
                // The list ends with an empty line before the result.
                None if line.is_empty() && !names.is_empty() => {}
                None => {
                    // The same title stands before the details of what failed.
                    self.in_details |= line.is_empty();
                    self.names = None;
                }
            }
        }
    }

    /// `ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.23s`.
    fn read_result(&mut self, counts: &str) {
        let names = self.names.take().unwrap_or_default();
        let Some((word, counts)) = counts.split_once(". ") else { return };
        let counts = counts.split("; finished in").next().unwrap_or(counts);
        let Some(counts) = read_counts(counts, ";") else { return };
        let is_named = sum_of(&counts, &["failed"]) == super::count(names.len());
        if self.in_details && (word == "ok" || !is_named) {
            // A test that failed has printed it.
            return;
        }
        self.in_details = false;
        let executed = sum_of(&counts, &["passed", "failed", "measured"]);
        super::add(&mut self.executed, executed);
        let label = self.current.take().map(|binary| binary.label).unwrap_or_default();
        self.failed.extend(names.iter().map(|name| test_name(&format!("{label} {name}"))));
        if executed > 0
            && let Some((_, path)) = label.split_once(' ')
        {
            self.listed.insert(path.to_owned());
        }
    }

    /// A binary that ended without a result crashed.
    fn end_binary(&mut self) {
        if let Some(binary) = self.current.take() {
            self.failed.insert(test_name(&format!("{} did not end", binary.label)));
            self.executed.get_or_insert(0);
        }
        self.names = None;
        self.in_details = false;
    }
}

/// `running 3 tests`.
fn is_start(line: &str) -> bool {
    let number = line.strip_prefix("running ");
    let number = number.and_then(|rest| rest.strip_suffix(" tests").or(rest.strip_suffix(" test")));
    number.is_some_and(|number| number.parse::<u64>().is_ok())
}

/// Whether cargo's own lines stand between those of the tests. They do not if both streams were read one after the
/// other.
fn are_mixed(output: &str) -> bool {
    let mut before = 0;
    for line in output.lines() {
        if is_start(line) {
            return before <= 1
                && (before == 1 || !output.lines().any(|l| read_binary(l).is_some()));
        }
        before += usize::from(read_binary(line).is_some());
    }
    true
}

/// The name and the source of a binary, from `     Running tests/it.rs (target/debug/deps/it-a69063779ff8c574)`, or
/// from `   Doc-tests demo`.
fn read_binary(line: &str) -> Option<String> {
    if let Some(name) = line.strip_prefix("   Doc-tests ") {
        return Some(format!("{name} doctest"));
    }
    let rest = line.strip_prefix("     Running ")?;
    let (source, binary) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let source = source.strip_prefix("unittests ").unwrap_or(source);
    let stem = binary.rsplit(['/', '\\']).next()?.trim_end_matches(".exe");
    // Another build has another hash.
    let name = stem.rsplit_once('-').map_or(stem, |(name, _)| name);
    Some(format!("{name} {}", source.replace('\\', "/")))
}

/// The line of a doctest changes with the file: `src/lib.rs - one (line 2)`.
fn stable_name(name: &str) -> String {
    let Some((before, after)) = name.rsplit_once(" (line ") else { return name.to_owned() };
    match after.split_once(')') {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{before}{rest}")
        }
        _ => name.to_owned(),
    }
}
