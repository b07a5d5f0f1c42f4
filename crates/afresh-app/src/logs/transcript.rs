//! The files of an attempt: its prompt, the output of its worker and of its checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use afresh_core::Event;
use afresh_core::check::CheckResult;
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::rejection::Rejection;
use afresh_core::review::ReviewId;
use afresh_engine::reports::run_report::AttemptReport;
use afresh_engine::session::RecordedRun;
use afresh_engine::{StateLayout, journal_records};
use serde::Serialize;

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TranscriptFile {
    /// `prompt`, `stdout`, `stderr`, or `check alone-1`, `review 1 stdout` and the like.
    pub name: String,
    /// What ran, for a check.
    pub command: Option<String>,
    #[serde(skip)]
    pub file: PathBuf,
}

/// Which attempts and files are wanted.
#[derive(Debug, Clone)]
pub struct TranscriptFilter {
    pub task: TaskId,
    pub attempt: Option<u32>,
    pub prompt: bool,
}

/// The files of one attempt.
#[derive(Debug)]
pub struct AttemptTranscript {
    pub attempt: AttemptReport,
    pub parts: Vec<TranscriptFile>,
}

impl AttemptTranscript {
    pub fn find(
        layout: &StateLayout,
        found: &RecordedRun,
        attempt: &AttemptReport,
        wanted: &TranscriptFilter,
    ) -> Self {
        let directory = layout.attempt(found.run.id(), &attempt.id);
        let mut names = vec![("stdout", "stdout.log"), ("stderr", "stderr.log")];
        if wanted.prompt {
            names.insert(0, ("prompt", "prompt.md"));
        }
        let part = |(name, file): (&str, &str)| TranscriptFile {
            name: name.to_owned(),
            command: None,
            file: directory.join(file),
        };
        let mut parts: Vec<TranscriptFile> = names.into_iter().map(part).collect();
        parts.extend(checks(layout, found, &attempt.id));
        parts.extend(reviews(layout, found, attempt, wanted));
        parts.retain(|part| is_plain_file(&part.file));
        Self { attempt: attempt.clone(), parts }
    }
}

/// The output of reviewers; their prompts only if prompts are wanted.
fn reviews(
    layout: &StateLayout,
    found: &RecordedRun,
    attempt: &AttemptReport,
    wanted: &TranscriptFilter,
) -> Vec<TranscriptFile> {
    let files = [("prompt", "prompt.md"), ("stdout", "stdout.log"), ("stderr", "stderr.log")];
    let of_review = |number: u32| {
        let review = ReviewId { attempt: attempt.id.clone(), number };
        let directory = layout.review(found.run.id(), &review);
        let shown = files.into_iter().filter(|(name, _)| wanted.prompt || *name != "prompt");
        shown.map(move |(name, file)| TranscriptFile {
            name: format!("review {number} {name}"),
            command: None,
            file: directory.join(file),
        })
    };
    attempt.reviews.iter().flat_map(|review| of_review(review.number)).collect()
}

/// A worker may have put a pipe or a link there.
fn is_plain_file(file: &PathBuf) -> bool {
    fs::symlink_metadata(file).is_ok_and(|found| found.is_file())
}

fn checks(layout: &StateLayout, found: &RecordedRun, attempt: &AttemptId) -> Vec<TranscriptFile> {
    let directory = layout.checks(found.run.id(), Some(attempt));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    // In the order in which they ran; their names sort differently.
    files.sort_by_key(|file| (fs::metadata(file).and_then(|m| m.modified()).ok(), file.clone()));
    let commands = commands(found, attempt);
    let part = |file: PathBuf| {
        let stem = file.file_stem()?.to_str()?.to_owned();
        Some(TranscriptFile {
            command: commands.get(&stem).cloned(),
            name: format!("check {stem}"),
            file,
        })
    };
    files.into_iter().filter_map(part).collect()
}

/// The commands of an attempt's checks, by the names of their files.
fn commands(found: &RecordedRun, attempt: &AttemptId) -> BTreeMap<String, String> {
    let mut commands = BTreeMap::new();
    let mut note = |phase: &str, of: &AttemptId, results: &[CheckResult]| {
        for (result, number) in results.iter().zip(1..).filter(|_| of == attempt) {
            commands.insert(format!("{phase}-{number}"), result.command.clone());
        }
    };
    for event in found.records.iter().filter_map(|record| journal_records::to_event(record).ok()) {
        match &event {
            Event::RedSeen { attempt, results } => note("red", attempt, results),
            Event::ChecksPassed { attempt, results, .. }
            | Event::ContestEntered { attempt, results, .. } => note("alone", attempt, results),
            Event::LandIntended { attempt, receipt, .. } => {
                note("merged", attempt, &receipt.checks);
            }
            Event::AttemptRejected { attempt, reason, .. } => match reason {
                Rejection::ChecksFailed { results } => note("alone", attempt, results),
                Rejection::NotRed { results } => note("red", attempt, results),
                Rejection::BrokenMerge { results } => note("merged", attempt, results),
                _ => {}
            },
            _ => {}
        }
    }
    commands
}
