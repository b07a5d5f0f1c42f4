//! The difference of two commits for people and scripts: as git prints it, and counted by file.
//!
//! No program of the user's or of a worker's runs: neither external diff drivers nor text conversions.

use std::time::Duration;

use afresh_core::harvest::ChangeKind;
use afresh_core::ids::CommitId;

use crate::git::command::{CommandError, GitCommand, GitOutput};
use crate::git::repository::Repository;
use crate::objects::path_text::render_path;

/// A worker's files can make git take forever.
const MAX_DURATION: Duration = Duration::from_secs(120);

/// How a difference is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffFormat {
    Patch,
    /// One line per file with a bar, this many columns wide, and a sum.
    Stat {
        columns: usize,
    },
    Names,
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDifference {
    /// Bytes that are not UTF-8 are escaped, as in `caf\xe9.txt`.
    pub path: String,
    /// Its earlier path, if it was renamed.
    pub old_path: Option<String>,
    pub kind: ChangeKind,
    /// None for a binary file.
    pub lines: Option<LineCounts>,
}

/// How many lines a change adds and removes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineCounts {
    pub added: u64,
    pub removed: u64,
}

impl Repository {
    /// What differs between two commits, as git prints it without colours. Paths with control characters are quoted.
    pub fn render_diff(
        &self,
        old: &CommitId,
        new: &CommitId,
        format: DiffFormat,
    ) -> Result<Vec<u8>, CommandError> {
        let format = match format {
            DiffFormat::Patch => "--patch".to_owned(),
            DiffFormat::Stat { columns } => format!("--stat={columns}"),
            DiffFormat::Names => "--name-only".to_owned(),
        };
        let call = self.compare_commits(old, new).args([format.as_str()]);
        Ok(call.args([old.as_str(), new.as_str()]).run_checked()?.stdout)
    }

    /// Every file that differs between two commits, with the numbers of lines.
    pub fn count_diff(
        &self,
        old: &CommitId,
        new: &CommitId,
    ) -> Result<Vec<FileDifference>, CommandError> {
        let call = self.compare_commits(old, new).args(["--raw", "--numstat", "-z"]);
        parse_counts(&call.args([old.as_str(), new.as_str()]).run_checked()?)
    }

    fn compare_commits(&self, old: &CommitId, new: &CommitId) -> GitCommand {
        let call = self.git(format!("compare {old} with {new}")).limit(MAX_DURATION);
        let options = ["diff-tree", "-r", "--find-renames", "-l400", "--no-color", "--no-relative"];
        let plain = ["--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"];
        call.args(options).args(plain)
    }
}

/// `--raw --numstat -z`: first all files with their kinds, then all of them with their lines, in the same order.
fn parse_counts(answer: &GitOutput) -> Result<Vec<FileDifference>, CommandError> {
    let mut fields = answer.fields().peekable();
    let mut files = Vec::new();
    let odd = |what: &[u8]| answer.unexpected(String::from_utf8_lossy(what).into_owned());
    while let Some(head) = fields.next_if(|field| field.starts_with(b":")) {
        let letter = head.rsplit(|byte| *byte == b' ').next().and_then(|word| word.first());
        let path = fields.next().ok_or_else(|| odd(head))?;
        let (path, old_path) = match letter {
            Some(b'R') => (fields.next().ok_or_else(|| odd(head))?, Some(render_path(path))),
            _ => (path, None),
        };
        let kind = match letter {
            Some(b'A') => ChangeKind::Created,
            Some(b'D') => ChangeKind::Deleted,
            _ => ChangeKind::Modified,
        };
        files.push(FileDifference { path: render_path(path), old_path, kind, lines: None });
    }
    for file in &mut files {
        let counted = fields.next().ok_or_else(|| odd(b"files without their lines"))?;
        file.lines = parse_lines(counted);
        if file.old_path.is_some() {
            // The two paths follow the numbers.
            fields.nth(1).ok_or_else(|| odd(counted))?;
        }
    }
    Ok(files)
}

/// `12\t3\tPATH`; a binary file has `-` for both numbers.
fn parse_lines(counted: &[u8]) -> Option<LineCounts> {
    let mut numbers = counted.split(|byte| *byte == b'\t').take(2);
    let mut number = || std::str::from_utf8(numbers.next()?).ok()?.parse().ok();
    Some(LineCounts { added: number()?, removed: number()? })
}
