//! Test reports that a check wrote to files.
//!
//! The workspace is the check's to write: links are not followed, and what is read is bounded.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime};

use afresh_checks::{TestReport, read_report_file, report_files};
use afresh_core::pattern::FilePattern;

use crate::worker_files::open_plain;

/// No more entries of the workspace are looked at.
const MAX_ENTRIES: usize = 20_000;
/// How deep reports are searched for.
const MAX_DEPTH: usize = 8;
/// How many reports of one check are read.
const MAX_REPORTS: usize = 500;
/// No larger report is read.
const MAX_REPORT_BYTES: u64 = 8 * 1024 * 1024;
/// No more of all reports together is read.
const MAX_TOTAL_BYTES: u64 = 32 * 1024 * 1024;
/// Some file systems keep only whole seconds.
const CLOCK_STEP: Duration = Duration::from_secs(1);

/// The reports that a command says it writes, as far as it wrote them since it was started.
pub(super) fn read_written_reports(
    tree: &Path,
    command: &str,
    started_at: SystemTime,
) -> Vec<TestReport> {
    let patterns: Vec<FilePattern> =
        report_files(command).iter().filter_map(|path| FilePattern::new(path).ok()).collect();
    if patterns.is_empty() {
        return Vec::new();
    }
    let since = started_at.checked_sub(CLOCK_STEP).unwrap_or(started_at);
    let mut search = ReportSearch { patterns, since, entries: 0, bytes: 0, reports: Vec::new() };
    search.directory(tree, "", 0);
    search.reports
}

struct ReportSearch {
    patterns: Vec<FilePattern>,
    since: SystemTime,
    entries: usize,
    bytes: u64,
    reports: Vec<TestReport>,
}

impl ReportSearch {
    fn directory(&mut self, directory: &Path, prefix: &str, depth: usize) {
        let Ok(entries) = fs::read_dir(directory) else { return };
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES || self.reports.len() >= MAX_REPORTS {
                return;
            }
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
            // Of links, only the link itself is seen.
            let Ok(kind) = entry.file_type() else { continue };
            let is_skipped = matches!(name.as_str(), ".git" | "node_modules");
            if kind.is_dir() && depth < MAX_DEPTH && !is_skipped {
                self.directory(&entry.path(), &path, depth + 1);
            } else if kind.is_file() && self.patterns.iter().any(|wanted| wanted.matches(&path)) {
                let report = self.read(&entry.path());
                self.reports.extend(report);
            }
        }
    }

    fn read(&mut self, path: &Path) -> Option<TestReport> {
        let file = open_plain(path).ok()?;
        let found = file.metadata().ok()?;
        let is_too_much = found.len() > MAX_REPORT_BYTES.min(MAX_TOTAL_BYTES - self.bytes);
        if is_too_much || found.modified().ok()? < self.since {
            return None;
        }
        self.bytes += found.len();
        let mut bytes = Vec::new();
        file.take(MAX_REPORT_BYTES).read_to_end(&mut bytes).ok()?;
        read_report_file(&String::from_utf8_lossy(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "<testsuite><testcase name=\"a\" classname=\"c\"/>\
        <testcase name=\"b\" classname=\"c\"><failure/></testcase></testsuite>";

    fn read(tree: &Path, command: &str) -> Vec<(u64, usize)> {
        let reports = read_written_reports(tree, command, SystemTime::now());
        reports.iter().map(|report| (report.executed, report.failed.len())).collect()
    }

    /// TR-04: a report in the file that the command names counts; an old one, and one behind a link, does not.
    #[test]
    fn a_report_that_the_command_wrote_is_read() {
        let tree = tempfile::tempdir().expect("a directory");
        let command = "pytest --junitxml=out/report.xml";
        assert_eq!(read(tree.path(), command), []);
        fs::create_dir(tree.path().join("out")).expect("made");
        let file = tree.path().join("out/report.xml");
        fs::write(&file, REPORT).expect("written");
        assert_eq!(read(tree.path(), command), [(2, 1)]);
        assert_eq!(read(tree.path(), "pytest"), []);
        let old = SystemTime::now() - Duration::from_secs(3_600);
        fs::File::options().write(true).open(&file).expect("open").set_modified(old).expect("set");
        assert_eq!(read(tree.path(), command), []);
        let elsewhere = tempfile::tempdir().expect("a directory");
        fs::write(elsewhere.path().join("report.xml"), REPORT).expect("written");
        fs::remove_file(&file).expect("removed");
        std::os::unix::fs::symlink(elsewhere.path().join("report.xml"), &file).expect("a link");
        assert_eq!(read(tree.path(), command), []);
    }
}
