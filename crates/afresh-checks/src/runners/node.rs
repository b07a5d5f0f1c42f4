//! Node's own test runner, as TAP or as its `spec` reporter writes, and mocha.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add};

/// `# tests 3`, `# pass 1`, `# fail 1` …, or the same after `ℹ`.
pub(super) fn read_node(output: &str) -> Option<TestReport> {
    let mut has_tests = false;
    let mut executed = None;
    let mut failed = BTreeSet::new();
    for line in output.lines() {
        let summary = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "));
        if let Some((word, number)) = summary.and_then(|summary| summary.split_once(' '))
            && let Ok(number) = number.trim().parse::<u64>()
        {
            has_tests |= word == "tests";
            if has_tests && matches!(word, "pass" | "fail" | "cancelled") {
                add(&mut executed, number);
            }
        }
        if let Some(name) = read_failed(line) {
            failed.insert(name.to_owned());
        }
    }
    Some(TestReport::new(TestRunner::Node, executed?, failed))
}

/// The name in `not ok 2 - bad` or `✖ bad (5.15ms)`.
fn read_failed(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("not ok ") {
        let name = rest.split_once(" - ").map(|(_, name)| name)?;
        // Tests that are still to be written do not count.
        return (!name.contains(" # TODO") && !name.contains(" # SKIP")).then_some(name.trim());
    }
    let (name, time) = line.strip_prefix("✖ ")?.rsplit_once(" (")?;
    time.ends_with("ms)").then_some(name.trim())
}

/// `  2 passing (4ms)`, `  1 failing`, then `  1) suite`, `       name:`.
pub(super) fn read_mocha(output: &str) -> Option<TestReport> {
    let mut executed = None;
    let mut failed = BTreeSet::new();
    let mut is_list = false;
    let mut name: Option<String> = None;
    for line in output.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [number, "passing", time] if time.starts_with('(') => {
                add(&mut executed, number.parse().ok()?);
            }
            [number, "failing"] if executed.is_some() => {
                add(&mut executed, number.parse().ok()?);
                is_list = true;
            }
            _ if !is_list => {}
            [first, rest @ ..] if is_ordinal(first) => name = Some(rest.join(" ")),
            [] => name = None,
            words => {
                if let Some(parts) = &mut name {
                    *parts = format!("{parts} {}", words.join(" "));
                }
            }
        }
        // The title ends with a colon, before the error.
        if is_list
            && line.ends_with(':')
            && let Some(whole) = name.take()
        {
            failed.insert(whole.trim_end_matches(':').to_owned());
        }
    }
    let is_none = output.lines().any(|line| line.starts_with("Error: No test files found: "));
    Some(TestReport::new(TestRunner::Mocha, executed.or(is_none.then_some(0))?, failed))
}

/// `1)`.
fn is_ordinal(word: &str) -> bool {
    word.strip_suffix(')').is_some_and(|number| number.parse::<u64>().is_ok())
}
