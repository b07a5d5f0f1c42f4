//! The files of an attempt: its prompt, the output of its worker and of its checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use afresh_core::Event;
use afresh_core::check::CheckResult;
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::rejection::Rejection;
use afresh_core::review::ReviewId;
use afresh_core::run::TaskStage;
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
    let own: Vec<TranscriptFile> = files.into_iter().filter_map(part).collect();
    own.into_iter().chain(checked_with_others(layout, found, attempt)).collect()
}

/// Checks of a batch are kept with its last member; those that decided about this attempt belong to it as well.
fn checked_with_others(
    layout: &StateLayout,
    found: &RecordedRun,
    attempt: &AttemptId,
) -> Vec<TranscriptFile> {
    let state = found.run.state_of(&attempt.task);
    let receipt = state.and_then(|state| match &state.stage {
        TaskStage::Done { attempt: landed, receipt, .. } if landed == attempt => Some(receipt),
        _ => None,
    });
    let results = receipt.map(|receipt| receipt.checks.as_slice()).unwrap_or_default();
    let part = |result: &CheckResult| {
        let (of, name) = result.log.as_deref()?.split_once('/')?;
        let (task, number) = of.rsplit_once('.')?;
        let of = AttemptId { task: task.parse().ok()?, number: number.parse().ok()? };
        if of == *attempt {
            return None;
        }
        Some(TranscriptFile {
            command: Some(result.command.clone()),
            name: format!("check {of} {name}"),
            file: layout.checks(found.run.id(), Some(&of)).join(format!("{name}.log")),
        })
    };
    results.iter().filter_map(part).collect()
}

/// The commands of an attempt's checks, by the names of their files.
fn commands(found: &RecordedRun, attempt: &AttemptId) -> BTreeMap<String, String> {
    let mut commands = BTreeMap::new();
    let own = format!("{attempt}/");
    let mut note = |phase: &str, of: Option<&AttemptId>, results: &[CheckResult]| {
        for (result, number) in results.iter().zip(1..) {
            let name = match &result.log {
                Some(log) => log.strip_prefix(&own).map(str::to_owned),
                // Of an earlier version.
                None => (of == Some(attempt)).then(|| format!("{phase}-{number}")),
            };
            commands.extend(name.map(|name| (name, result.command.clone())));
        }
    };
    for event in found.records.iter().filter_map(|record| journal_records::to_event(record).ok()) {
        match &event {
            Event::RedSeen { attempt, results } => note("red", Some(attempt), results),
            Event::ChecksPassed { attempt, results, .. }
            | Event::ContestEntered { attempt, results, .. } => {
                note("alone", Some(attempt), results)
            }
            Event::BatchPassed { results, .. } | Event::BatchFailed { results, .. } => {
                note("merged", None, results);
            }
            Event::LandIntended { attempt, receipt, .. } => {
                note("merged", Some(attempt), &receipt.checks);
            }
            Event::AttemptRejected { attempt, reason, .. } => match reason {
                Rejection::ChecksFailed { results } => note("alone", Some(attempt), results),
                Rejection::NotRed { results } => note("red", Some(attempt), results),
                Rejection::BrokenMerge { results, .. } => note("merged", Some(attempt), results),
                _ => {}
            },
            _ => {}
        }
    }
    commands
}
