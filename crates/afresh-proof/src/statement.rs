//! A receipt as an in-toto statement: what was checked, on which commit and tree, with what result.
//!
//! The predicate is the receipt of the core, so a field that is added there is in the note as well. The outputs of
//! checks stay out, only their digests are in; so do denials of the sandbox, which name places of the machine, and what
//! the worker says about its work.

use afresh_core::check::Receipt;
use afresh_core::ids::{AttemptId, CommitId, RunId, TaskId};
use afresh_core::input::MergedTree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The type of every in-toto statement of version 1.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The type of our predicate; the number grows when a field is renamed or removed.
pub const PREDICATE_TYPE: &str = "urn:afresh:receipt:v1";
/// How many paths of each kind a note lists; a generated directory can have a hundred thousand.
const MAX_PATHS: usize = 500;
/// How many characters of a path or another text of the worker's are kept.
const MAX_TEXT_CHARS: usize = 2_000;

/// An in-toto statement about one commit.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Statement {
    /// Always `https://in-toto.io/Statement/v1`.
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// The commit, and its tree.
    pub subject: Vec<StatementSubject>,
    /// Always `urn:afresh:receipt:v1`.
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    pub predicate: ReceiptPredicate,
}

/// What a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct StatementSubject {
    pub name: String,
    pub digest: SubjectDigest,
}

/// The id of a git object.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub enum SubjectDigest {
    #[serde(rename = "gitCommit")]
    Commit(String),
    #[serde(rename = "gitTree")]
    Tree(String),
}

/// One merge: which attempt of which task, onto what, with which checks.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ReceiptPredicate {
    pub run: RunId,
    pub task: TaskId,
    pub attempt: u32,
    /// The commit that the run started from.
    pub base: CommitId,
    /// The first parent of the commit.
    pub onto: CommitId,
    #[serde(flatten)]
    pub receipt: Receipt,
    /// How many paths are left out of the lists.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_paths: usize,
    pub tools: ProofTools,
    /// The time of the commit in UTC, such as `2026-11-15T09:30:00Z`.
    pub made_at: String,
}

/// What ran the checks.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ProofTools {
    /// The version of afresh.
    pub afresh: String,
    /// `bubblewrap`, `landlock` or `off`.
    pub sandbox: String,
}

/// Everything that a statement is made of. The same values give the same bytes.
#[derive(Debug, Clone, Copy)]
pub struct MergeReceipt<'a> {
    pub run: &'a RunId,
    pub attempt: &'a AttemptId,
    pub base: &'a CommitId,
    pub merged: &'a MergedTree,
    pub receipt: &'a Receipt,
    pub tools: &'a ProofTools,
    /// The time of the commit, in seconds since 1970.
    pub at_seconds: u64,
}

impl MergeReceipt<'_> {
    pub fn to_statement(&self) -> Statement {
        let Self { run, attempt, base, merged, tools, .. } = *self;
        let subject = |name: &str, digest| StatementSubject { name: name.to_owned(), digest };
        let (receipt, omitted_paths) = bounded(self.receipt);
        Statement {
            statement_type: STATEMENT_TYPE.to_owned(),
            subject: vec![
                subject("commit", SubjectDigest::Commit(merged.commit.to_string())),
                subject("tree", SubjectDigest::Tree(merged.tree.to_string())),
            ],
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate: ReceiptPredicate {
                run: run.clone(),
                task: attempt.task.clone(),
                attempt: attempt.number,
                base: base.clone(),
                onto: merged.onto.clone(),
                receipt,
                omitted_paths,
                tools: tools.clone(),
                made_at: format_utc(self.at_seconds),
            },
        }
    }
}

impl Statement {
    /// One line of JSON.
    pub fn render(&self) -> String {
        let mut value = serde_json::to_value(self).expect("a statement is JSON");
        remove_outputs(&mut value);
        value.to_string()
    }

    pub fn parse(json: &[u8]) -> Result<Self, String> {
        let found: Self = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        if found.statement_type != STATEMENT_TYPE {
            return Err(format!("it is no in-toto statement of version 1 ({STATEMENT_TYPE})"));
        }
        if found.predicate_type != PREDICATE_TYPE {
            return Err(format!("its predicate is not {PREDICATE_TYPE}"));
        }
        Ok(found)
    }

    /// The commit that it is about; none if it names none or several.
    pub fn commit(&self) -> Option<&str> {
        let digests = self.subject.iter().map(|subject| &subject.digest);
        single(digests.filter_map(|digest| match digest {
            SubjectDigest::Commit(id) => Some(id.as_str()),
            SubjectDigest::Tree(_) => None,
        }))
    }

    /// The tree that it is about; none if it names none or several.
    pub fn tree(&self) -> Option<&str> {
        let digests = self.subject.iter().map(|subject| &subject.digest);
        single(digests.filter_map(|digest| match digest {
            SubjectDigest::Tree(id) => Some(id.as_str()),
            SubjectDigest::Commit(_) => None,
        }))
    }
}

fn single<'a>(mut found: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    found.next().filter(|_| found.next().is_none())
}

/// The receipt without the worker's own account, and with lists of bounded length.
fn bounded(receipt: &Receipt) -> (Receipt, usize) {
    let mut kept = receipt.clone();
    kept.criteria.clear();
    kept.deviations.clear();
    kept.notes = None;
    let mut omitted = 0;
    for paths in [&mut kept.created, &mut kept.modified, &mut kept.deleted] {
        omitted += paths.len().saturating_sub(MAX_PATHS);
        paths.truncate(MAX_PATHS);
        paths.iter_mut().for_each(shorten);
    }
    if let Some(review) = &mut kept.review {
        shorten(&mut review.summary);
        for issue in &mut review.issues {
            shorten(&mut issue.description);
            issue.file.iter_mut().for_each(shorten);
        }
    }
    kept.differences.truncate(MAX_PATHS);
    kept.differences.iter_mut().for_each(shorten);
    for check in &mut kept.checks {
        // They name paths and hosts of the machine, which are nobody else's business.
        check.refusals.clear();
        check.log = None;
        if let Some(tests) = &mut check.tests {
            tests.is_cut |= tests.failed.len() > MAX_PATHS;
            tests.failed.truncate(MAX_PATHS);
            tests.failed.iter_mut().for_each(shorten);
        }
    }
    (kept, omitted)
}

fn shorten(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT_CHARS) {
        text.truncate(end);
    }
}

/// Outputs are for people who have the journal; others get their digests.
fn remove_outputs(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !name.ends_with("_tail"));
            fields.values_mut().for_each(remove_outputs);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_outputs),
        _ => {}
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// `2026-11-15T09:30:00Z`; days are counted from the first of March, as leap days end a year then.
pub fn format_utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(format_utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(format_utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(format_utc(1_794_857_400), "2026-11-16T19:30:00Z");
    }
}
