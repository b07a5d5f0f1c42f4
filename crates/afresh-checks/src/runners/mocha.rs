//! mocha, with any reporter that ends with its usual summary.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add};
use crate::text::test_name;

/// `  2 passing (4ms)`, `  1 failing`, then `  1) suite`, `       name:`.
pub(super) fn read_mocha(output: &str) -> Option<TestReport> {
    let mut executed = None;
    let mut found_none = false;
    let mut failed = BTreeSet::new();
    let mut list = None;
    for line in output.lines() {
        if let Some(number) = read_count(line, " passing (") {
            add(&mut executed, number);
        } else if let Some(number) = read_count(line, " failing").filter(|_| executed.is_some()) {
            add(&mut executed, number);
            list = Some(FailureList::default());
        } else if let Some(list) = &mut list {
            failed.extend(list.read_line(line));
        }
        found_none |= line.starts_with("Error: No test files found");
    }
    let executed = executed.or(found_none.then_some(0))?;
    let found_none = found_none && executed == 0;
    Some(TestReport { found_none, ..TestReport::new(TestRunner::Mocha, executed, failed) })
}

/// The number in `  1 failing`.
fn read_count(line: &str, word: &str) -> Option<u64> {
    let (number, rest) = line.strip_prefix("  ")?.split_once(word)?;
    (rest.is_empty() || word.ends_with('(')).then(|| number.parse().ok()).flatten()
}

/// The numbered failures after the summary.
#[derive(Debug, Default)]
struct FailureList {
    /// How many have started.
    started: u64,
    /// The title that is being read, in parts.
    title: Option<Vec<String>>,
}

impl FailureList {
    /// Returns a name whose last part is on this line.
    fn read_line(&mut self, line: &str) -> Option<String> {
        // An error can have lines of the same form, but not with the next number.
        let start = format!("  {}) ", self.started + 1);
        if let Some(part) = line.strip_prefix(&start) {
            self.started += 1;
            self.title = Some(vec![part.to_owned()]);
        } else if line.trim().is_empty() {
            self.title = None;
        } else {
            self.title.as_mut()?.push(line.trim().to_owned());
        }
        // The title ends with a colon, before the error.
        let is_whole = line.ends_with(':');
        let parts = self.title.take_if(|_| is_whole)?;
        Some(test_name(parts.join(" > ").trim_end_matches(':')))
    }
}
