//! Surefire and Failsafe, as Maven prints them.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add};
use crate::text::test_name;

/// `[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1`, after a line for each class.
pub(super) fn read_maven(output: &str) -> Option<TestReport> {
    let mut executed = None;
    let mut failed = BTreeSet::new();
    let mut listed = BTreeSet::new();
    let mut found_none = false;
    for line in output.lines() {
        let Some(message) = without_level(line) else { continue };
        if let Some(counts) = message.strip_prefix("Tests run: ") {
            match counts.split_once(", Time elapsed: ") {
                Some((counts, rest)) if read_executed(counts)? > 0 => {
                    listed.extend(rest.rsplit_once("in ").map(|(_, class)| class.to_owned()));
                }
                Some(_) => {}
                None => add(&mut executed, read_executed(counts)?),
            }
        } else if message == "No tests to run." {
            executed.get_or_insert(0);
        } else if let Some(name) = read_failure(message) {
            failed.insert(test_name(&name));
        } else if message
            .starts_with("Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin")
        {
            let reasons = [": No tests were executed!", ": No tests matching pattern "];
            found_none |= reasons.iter().any(|reason| message.contains(reason));
        }
    }
    let executed = executed.or(found_none.then_some(0))?;
    let found_none = found_none && executed == 0;
    Some(TestReport { found_none, listed, ..TestReport::new(TestRunner::Maven, executed, failed) })
}

/// What follows `[INFO] `, `[WARNING] ` or `[ERROR] `.
pub(crate) fn without_level(line: &str) -> Option<&str> {
    let levels = ["[INFO] ", "[WARNING] ", "[ERROR] "];
    levels.iter().find_map(|level| line.strip_prefix(level))
}

/// The tests of `3, Failures: 1, Errors: 0, Skipped: 1` that were not skipped.
fn read_executed(counts: &str) -> Option<u64> {
    let (ran, rest) = counts.split_once(", Failures: ")?;
    let (_, skipped) = rest.split_once(", Skipped: ")?;
    let skipped: u64 = skipped.trim().parse().ok()?;
    Some(ran.trim().parse::<u64>().ok()?.saturating_sub(skipped))
}

/// `doubles(demo.SumsTest)  Time elapsed: 0.006 s  <<< FAILURE!`, or from version 3 on
/// `demo.SumsTest.doubles -- Time elapsed: 0.006 s <<< FAILURE!`.
fn read_failure(message: &str) -> Option<String> {
    let (name, rest) = message.split_once(" Time elapsed: ")?;
    if !rest.contains("<<< FAILURE!") && !rest.contains("<<< ERROR!") {
        return None;
    }
    let name = name.trim().trim_end_matches("--").trim();
    if let Some((test, class)) = name.strip_suffix(')').and_then(|name| name.split_once('(')) {
        return Some(format!("{class} {test}"));
    }
    let (class, test) = name.rsplit_once('.')?;
    Some(format!("{class} {test}"))
}
