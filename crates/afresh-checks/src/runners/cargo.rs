//! `cargo test` (libtest) and `cargo nextest`.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add, read_counts, sum_of};

/// `test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.23s`, once per binary.
pub(super) fn read_cargo(output: &str) -> Option<TestReport> {
    let mut executed = None;
    let mut failed = BTreeSet::new();
    let mut is_list = false;
    for line in output.lines() {
        if let Some(counts) = line.strip_prefix("test result: ") {
            let (_, counts) = counts.split_once(". ")?;
            let counts = counts.split("; finished in").next()?;
            // `0 filtered out` has two words, and every part is needed to know the line.
            let counts = read_counts(counts, ";")?;
            add(&mut executed, sum_of(&counts, &["passed", "failed", "measured"]));
        }
        if is_list && let Some(name) = line.strip_prefix("    ") {
            failed.insert(name.trim().to_owned());
        } else {
            is_list = line == "failures:";
        }
    }
    Some(TestReport::new(TestRunner::Cargo, executed?, failed))
}

/// `Summary [   0.212s] 2 tests run: 1 passed, 1 failed, 1 skipped`.
pub(super) fn read_nextest(output: &str) -> Option<TestReport> {
    let mut executed = None;
    let mut failed = BTreeSet::new();
    for line in output.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("Summary [") {
            let (_, counts) = rest.split_once("] ")?;
            let (number, _) = counts.split_once(" test")?;
            // `2/3 tests run` after the first failure.
            add(&mut executed, number.split('/').next()?.parse::<u64>().ok()?);
        }
        if let Some(rest) = line.strip_prefix("FAIL [")
            && let Some((_, name)) = rest.split_once("] ")
        {
            let name = name.trim_start();
            let name = match name.strip_prefix('(') {
                Some(numbered) => numbered.split_once(") ").map_or(name, |(_, name)| name),
                None => name,
            };
            failed.insert(name.trim().to_owned());
        }
    }
    Some(TestReport::new(TestRunner::Nextest, executed?, failed))
}
