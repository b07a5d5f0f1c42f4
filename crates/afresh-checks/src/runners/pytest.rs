//! pytest.

use std::collections::BTreeSet;

use super::{TestReport, TestRunner, add, count, sum_of};
use crate::text::test_name;

const EXECUTED: &[&str] = &["passed", "failed", "xfailed", "xpassed"];
const ERRORS: &[&str] = &["error", "errors"];
const NOT_EXECUTED: &[&str] = &["skipped", "deselected", "warning", "warnings", "rerun"];

/// How many ends of a name are tried.
const MAX_ENDS: usize = 4;

/// Of tests that were executed, also with the blank before them.
const STATUSES: [(&str, &str); 5] = [
    ("PASSED", " PASSED"),
    ("FAILED", " FAILED"),
    ("ERROR", " ERROR"),
    ("XFAIL", " XFAIL"),
    ("XPASS", " XPASS"),
];

/// `=== 1 failed, 1 passed, 1 skipped in 0.03s ===`, without the signs if it is quiet, or `no tests ran in 0.02s`.
pub(super) fn read_pytest(output: &str) -> Option<TestReport> {
    let mut reader = PytestReader::default();
    for line in output.lines() {
        reader.read_line(line);
    }
    reader.finish()
}

#[derive(Debug, Default)]
struct PytestReader {
    executed: Option<u64>,
    errors: u64,
    failed: BTreeSet<String>,
    listed: BTreeSet<String>,
    /// Files that could not be collected.
    collection_errors: u64,
    interrupted_by: u64,
    section: PytestSection,
    /// The last counts among the details: its own if there is no summary, else those of a test.
    counts_in_details: Option<String>,
    has_skipped: bool,
    /// The titles of the failures: the names of tests without their files and classes.
    titles: BTreeSet<String>,
    /// Whether anything is certainly its own: the counts, or the title of the summary.
    is_known: bool,
}

/// The part of the output that is being read.
#[derive(Debug, Default, PartialEq)]
enum PytestSection {
    #[default]
    Progress,
    /// Failures and warnings, with whatever the tests printed.
    Details,
    /// The short summary.
    Summary,
}

impl PytestSection {
    fn new(title: &str) -> Self {
        match title {
            "short test summary info" => Self::Summary,
            "FAILURES" | "ERRORS" | "PASSES" | "warnings summary" => Self::Details,
            _ => Self::Progress,
        }
    }
}

impl PytestReader {
    fn read_line(&mut self, line: &str) {
        if let Some(counts) = read_counts_of_summary(line) {
            if self.section == PytestSection::Details {
                self.counts_in_details = Some(line.to_owned());
            } else {
                self.add_counts(&counts);
                self.section = PytestSection::Progress;
            }
        } else if let Some(title) = read_title(line) {
            self.section = PytestSection::new(title);
            self.is_known |= self.section == PytestSection::Summary;
        } else {
            match self.section {
                PytestSection::Progress => self.read_progress(line),
                PytestSection::Summary => self.read_summary_line(line),
                PytestSection::Details => self.titles.extend(read_failure_title(line)),
            }
        }
    }

    fn add_counts(&mut self, counts: &[(u64, &str)]) {
        add(&mut self.executed, sum_of(counts, EXECUTED));
        self.errors = self.errors.saturating_add(sum_of(counts, ERRORS));
        self.has_skipped |= sum_of(counts, &["skipped"]) > 0;
    }

    /// `FAILED tests/test_a.py::test_bad - assert 1 == 2`, `ERROR tests/test_b.py`.
    fn read_summary_line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix('!') {
            let words: Vec<&str> = rest.trim_matches(['!', ' ']).split(' ').collect();
            if let ["Interrupted:", number, "error" | "errors", "during", "collection"] = *words {
                self.interrupted_by = number.parse().unwrap_or(0);
            }
            return;
        }
        let Some((mark, rest)) = line.split_once(' ') else { return };
        let name = self.find_name(rest);
        let mark = mark.split('(').next().unwrap_or(mark);
        match mark {
            "ERROR" if !name.contains("::") => self.collection_errors += 1,
            "FAILED" | "ERROR" | "SUBFAILED" | "SUBFAIL" => {}
            _ => return,
        }
        self.failed.insert(test_name(name));
    }

    /// `tests/test_a.py .F   [100%]`, `tests/test_a.py::test_ok PASSED [ 50%]`.
    fn read_progress(&mut self, line: &str) {
        // A worker of xdist: `[gw0] [100%] FAILED tests/test_a.py::test_bad`.
        let line = match line.strip_prefix("[gw").and_then(|rest| rest.split_once("%] ")) {
            Some((_, rest)) => rest,
            None => line,
        };
        if line.contains("::") {
            if let Some((status, name)) = read_verbose(line) {
                self.list(status, name);
            }
            return;
        }
        if let Some((file, marks)) = line.split_once(' ') {
            let marks = marks.split('[').next().unwrap_or(marks).trim();
            let is_marks =
                !marks.is_empty() && marks.bytes().all(|byte| b".FEsxXRu,-".contains(&byte));
            if is_marks && file.contains('.') && marks.contains(['.', 'F', 'E', 'x', 'X']) {
                self.listed.insert(file.to_owned());
            }
        }
    }

    /// The name before ` - reason`; the values in its brackets can contain that sign too.
    fn find_name<'t>(&self, text: &'t str) -> &'t str {
        let reason = text.find(" - ").unwrap_or(text.len());
        let Some(open) = text.find('[').filter(|open| *open < reason) else {
            return &text[..reason];
        };
        let ends = text.match_indices("] - ").map(|(at, _)| at + 1).filter(|end| *end > open);
        let mut names = ends.chain([text.len()]).take(MAX_ENDS).map(|end| &text[..end]);
        let is_title = |name: &&str| self.titles.contains(last_part(name));
        names.clone().find(is_title).or_else(|| names.next()).unwrap_or(text)
    }

    fn list(&mut self, status: &str, name: &str) {
        let Some((file, _)) = name.split_once("::") else { return };
        if file.contains(' ') || !file.contains('.') {
            return;
        }
        self.listed.insert(file.to_owned());
        if matches!(status, "FAILED" | "ERROR") {
            self.failed.insert(test_name(name));
        }
    }

    fn finish(mut self) -> Option<TestReport> {
        if let Some(line) = self.counts_in_details.take_if(|_| self.executed.is_none())
            && let Some(counts) = read_counts_of_summary(&line)
        {
            self.add_counts(&counts);
        }
        let named = self.failed.iter().filter(|name| name.contains("::")).count();
        // Twice quiet, it prints no counts.
        if self.executed.is_none() && !self.is_known {
            return None;
        }
        let executed = self.executed.unwrap_or(0);
        let unloaded = self.collection_errors.max(self.interrupted_by);
        let executed = executed.saturating_add(self.errors.saturating_sub(unloaded));
        let executed = executed.max(count(named));
        let mut report = TestReport::new(TestRunner::Pytest, executed, self.failed);
        report.found_none = executed == 0 && report.failed.is_empty() && !self.has_skipped;
        report.listed = self.listed;
        Some(report)
    }
}

/// The status and the name in `tests/test_a.py::test_ok PASSED   [ 50%]`, or in `PASSED tests/test_a.py::test_ok`.
fn read_verbose(line: &str) -> Option<(&'static str, &str)> {
    for (status, blank_status) in STATUSES {
        if let Some(name) = line.strip_prefix(status).and_then(|rest| rest.strip_prefix(' ')) {
            return Some((status, name.trim()));
        }
        if let Some((name, rest)) = line.rsplit_once(blank_status)
            && (rest.is_empty() || rest.starts_with([' ', '(']))
        {
            return Some((status, name.trim()));
        }
    }
    None
}

/// The counts of the last line.
fn read_counts_of_summary(line: &str) -> Option<Vec<(u64, &str)>> {
    let (counts, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    // `0.03s`, or `61.20s (0:01:01)`.
    let seconds = time.split(' ').next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    if counts == "no tests ran" {
        return Some(Vec::new());
    }
    let counts = super::read_counts(counts, ",")?;
    let is_known = |(_, word): &(u64, &str)| {
        [EXECUTED, ERRORS, NOT_EXECUTED].iter().any(|words| words.contains(word))
            || word.starts_with("subtest")
    };
    counts.iter().all(is_known).then_some(counts)
}

/// The title in `==== FAILURES ====`.
fn read_title(line: &str) -> Option<&str> {
    let title = line.strip_prefix("==")?.trim_start_matches('=').strip_prefix(' ')?;
    Some(title.strip_suffix("==")?.trim_end_matches('=').trim_end())
}

/// The name in `____ TestGroup.test_inner ____`.
fn read_failure_title(line: &str) -> Option<String> {
    let title = line.strip_prefix("__")?.trim_start_matches('_').strip_prefix(' ')?;
    let title = title.strip_suffix("__")?.trim_end_matches('_').strip_suffix(' ')?;
    let bracket = title.find('[').unwrap_or(title.len());
    let start = title[..bracket].rfind('.').map_or(0, |at| at + 1);
    (title.len() <= crate::text::MAX_LINE).then(|| title[start..].to_owned())
}

/// The test without its file and its class.
fn last_part(name: &str) -> &str {
    let bracket = name.find('[').unwrap_or(name.len());
    let start = name[..bracket].rfind("::").map_or(0, |at| at + 2);
    &name[start..]
}
