//! The reports of test runners, as they print them to a pipe.
//!
//! Each reader knows the exact lines of its runner: what a test prints is not taken for a report where the runner sets
//! it apart. A runner that the command cannot have started is not looked for.
//!
//! | module | runners |
//! | --- | --- |
//! | `cargo` | cargo test |
//! | `nextest` | cargo nextest |
//! | `pytest` | pytest |
//! | `unittest` | Python's unittest |
//! | `node` | node's own runner, as TAP and as `spec` |
//! | `mocha` | mocha |
//! | `jest` | jest |
//! | `vitest` | vitest |
//! | `maven` | Surefire and Failsafe of Maven |
//! | `go` | go test, also with `-json` |
//! | `junit` | `JUnit` XML of any runner |

mod cargo;
mod go;
mod jest;
mod junit;
mod maven;
mod mocha;
mod nextest;
mod node;
mod pytest;
mod unittest;
mod vitest;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::command::ReadCommand;
use crate::text::plain_text;
pub(crate) use go::text_of_events;
pub(crate) use maven::without_level;

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
    Maven,
    Junit,
}

impl TestRunner {
    /// Those that read tests of certain languages.
    pub(crate) const ALL: [Self; 10] = [
        Self::Cargo,
        Self::Nextest,
        Self::Pytest,
        Self::Unittest,
        Self::Node,
        Self::Mocha,
        Self::Jest,
        Self::Vitest,
        Self::Go,
        Self::Maven,
    ];

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
            Self::Maven => "maven",
            Self::Junit => "JUnit XML",
        }
    }

    /// The exit code with which it says that it found no test, if it has one.
    pub(crate) fn code_of_none(self) -> Option<i32> {
        match self {
            Self::Pytest | Self::Unittest => Some(5),
            Self::Nextest => Some(4),
            Self::Mocha | Self::Jest | Self::Vitest | Self::Go | Self::Maven => Some(1),
            Self::Cargo | Self::Node | Self::Junit => None,
        }
    }

    /// Whether a file of this name may hold tests for it.
    pub(crate) fn reads_language_of(self, path: &str) -> bool {
        let extension = path.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
        let extensions: &[&str] = match self {
            Self::Cargo | Self::Nextest => &["rs"],
            Self::Pytest | Self::Unittest => &["py"],
            Self::Node | Self::Mocha | Self::Jest | Self::Vitest => {
                &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"]
            }
            Self::Go => &["go"],
            Self::Maven => &["java", "kt", "scala", "groovy"],
            Self::Junit => return true,
        };
        extensions.contains(&extension)
    }
}

/// What one runner says about all of its tests in one output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReport {
    pub runner: TestRunner,
    /// Tests that passed or failed; skipped, ignored and deselected ones were not executed, nor were those of a file
    /// that could not be loaded. Go does not print how many tests a package has, so a package that passes counts as
    /// one.
    pub executed: u64,
    /// The names of those that failed, and of the files that could not be loaded, the same in every directory.
    pub failed: BTreeSet<String>,
    /// Whether it ended with an error only because it found no test.
    #[serde(default)]
    pub found_none: bool,
    /// The files, packages or classes whose tests it lists as executed, as it writes them; empty if it lists none.
    #[serde(default)]
    pub listed: BTreeSet<String>,
}

impl TestReport {
    fn new(runner: TestRunner, executed: u64, failed: BTreeSet<String>) -> Self {
        Self { runner, executed, failed, found_none: false, listed: BTreeSet::new() }
    }
}

/// Reads one report of the output of a runner; none if it is of another.
type ReportReader = fn(&str) -> Option<TestReport>;

const READERS: [(TestRunner, ReportReader); 11] = [
    (TestRunner::Cargo, cargo::read_cargo),
    (TestRunner::Nextest, nextest::read_nextest),
    (TestRunner::Pytest, pytest::read_pytest),
    (TestRunner::Unittest, unittest::read_unittest),
    (TestRunner::Node, node::read_node),
    (TestRunner::Mocha, mocha::read_mocha),
    (TestRunner::Jest, jest::read_jest),
    (TestRunner::Vitest, vitest::read_vitest),
    (TestRunner::Go, go::read_go),
    (TestRunner::Maven, maven::read_maven),
    (TestRunner::Junit, junit::read_junit),
];

/// One report per runner that the output shows, at most; only of runners that the command may have started.
pub fn read_test_reports(command: &str, output: &str) -> Vec<TestReport> {
    let command = ReadCommand::new(command);
    let plain = plain_text(output);
    let readers = READERS.iter().filter(|(runner, _)| command.may_report(*runner));
    let mut reports: Vec<TestReport> = readers.filter_map(|(_, read)| read(&plain)).collect();
    if let Some(report) = reports.iter_mut().find(|report| report.runner == TestRunner::Node)
        && node::filters_by_name(&command)
    {
        node::leave_out_files(report, &plain);
    }
    reports
}

/// The report in a file that a runner wrote, such as one of [`report_files`](fn@crate::report_files).
pub fn read_report_file(text: &str) -> Option<TestReport> {
    junit::read_junit(text)
}

/// How many tests were executed by all runners; none if no runner was recognised.
pub fn executed_tests(command: &str, output: &str) -> Option<u64> {
    let reports = read_test_reports(command, output);
    (!reports.is_empty()).then(|| sum(reports.iter().map(|report| report.executed)))
}

/// The numbers before words, as in `1 failed, 2 passed`; none if a part is anything else.
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
pub(crate) fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

fn add(total: &mut Option<u64>, more: u64) {
    *total = Some(total.unwrap_or(0).saturating_add(more));
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Leaves out the names of groups whose members are listed too: `suite` if `suite > inner` failed.
fn without_groups(failed: &BTreeSet<String>, separator: &str) -> BTreeSet<String> {
    let is_group = |name: &String| {
        let start = format!("{name}{separator}");
        failed.range(start.clone()..).next().is_some_and(|next| next.starts_with(&start))
    };
    failed.iter().filter(|name| !is_group(name)).cloned().collect()
}

/// A path that is the same in every directory: of an absolute one, only the last part, because the directory of the
/// project is not known.
pub(crate) fn relative_path(path: &str) -> &str {
    if path.starts_with('/') {
        return path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    }
    path.strip_prefix("./").unwrap_or(path)
}
