//! The reports of test runners, as they print them to a pipe.
//!
//! | module | runners |
//! | --- | --- |
//! | `cargo` | cargo test, cargo nextest |
//! | `python` | pytest, unittest |
//! | `node` | node's own runner, mocha |
//! | `jest` | jest, vitest |
//! | `go` | go test, also with `-json` |
//! | `junit` | `JUnit` XML of any runner |

mod cargo;
mod go;
mod jest;
mod junit;
mod node;
mod python;

use std::collections::BTreeSet;

use afresh_core::printable::without_colors;
use serde::{Deserialize, Serialize};

/// Who ran the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestRunner {
    Cargo,
    Nextest,
    Pytest,
    Unittest,
    Node,
    Mocha,
    Jest,
    Vitest,
    Go,
    Junit,
}

impl TestRunner {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo test",
            Self::Nextest => "cargo nextest",
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Node => "node --test",
            Self::Mocha => "mocha",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Go => "go test",
            Self::Junit => "JUnit XML",
        }
    }
}

/// What one runner says about all of its tests in one output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReport {
    pub runner: TestRunner,
    /// Tests that passed or failed; skipped, ignored and deselected ones were not executed. Go does not print how many
    /// tests a package has, so a package that passes counts as one.
    pub executed: u64,
    /// The names of those that failed, as the runner writes them.
    pub failed: BTreeSet<String>,
}

impl TestReport {
    fn new(runner: TestRunner, executed: u64, failed: BTreeSet<String>) -> Self {
        Self { runner, executed, failed }
    }
}

/// Reads one report of the output of a runner; none if it is of another.
type ReportReader = fn(&str) -> Option<TestReport>;

const READERS: [ReportReader; 10] = [
    cargo::read_cargo,
    cargo::read_nextest,
    python::read_pytest,
    python::read_unittest,
    node::read_node,
    node::read_mocha,
    jest::read_jest,
    jest::read_vitest,
    go::read_go,
    junit::read_junit,
];

/// One report per runner that the output shows, at most.
pub fn read_test_reports(output: &str) -> Vec<TestReport> {
    let plain = without_colors(output);
    READERS.iter().filter_map(|read| read(&plain)).collect()
}

/// How many tests were executed by all runners; none if no runner was recognised.
pub fn executed_tests(output: &str) -> Option<u64> {
    let reports = read_test_reports(output);
    (!reports.is_empty()).then(|| sum(reports.iter().map(|report| report.executed)))
}

/// Adds up the numbers before words, as in `1 failed, 2 passed`: pairs of number and word, or none if a part is
/// anything else.
fn read_counts<'a>(text: &'a str, separator: &str) -> Option<Vec<(u64, &'a str)>> {
    text.split(separator)
        .map(|part| {
            let (number, word) = part.trim().split_once(' ')?;
            Some((number.parse().ok()?, word.trim()))
        })
        .collect()
}

/// The sum of the counts with one of these words.
fn sum_of(counts: &[(u64, &str)], words: &[&str]) -> u64 {
    sum(counts.iter().filter(|(_, word)| words.contains(word)).map(|(number, _)| *number))
}

/// Output can claim any number.
fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

fn add(total: &mut Option<u64>, more: u64) {
    *total = Some(total.unwrap_or(0).saturating_add(more));
}
