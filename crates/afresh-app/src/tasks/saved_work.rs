//! The commits that the attempts of a task left, as the journal recorded them.

use std::collections::BTreeMap;

use afresh_core::Event;
use afresh_core::ids::{AttemptId, CommitId, TaskId};
use afresh_engine::journal_records;
use afresh_engine::session::RecordedRun;

use crate::error::AppError;

/// What one attempt started from and left.
#[derive(Debug, Clone)]
pub(super) struct SavedAttempt {
    pub(super) id: AttemptId,
    pub(super) base: CommitId,
    /// What its workspace held at the start: the base, or the last finished step of an earlier attempt.
    start: CommitId,
    work: SavedCommit,
    pub(super) merged: Option<CommitId>,
}

/// How much of an attempt's work is saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SavedCommit {
    Nothing,
    /// Its worker has not ended; this is its last finished step.
    Step(CommitId),
    Whole(CommitId),
}

impl SavedAttempt {
    /// What is saved. An attempt that changed nothing left what it started from.
    pub(super) fn work(&self) -> &SavedCommit {
        &self.work
    }

    fn note_end(&mut self, commit: Option<&CommitId>) {
        self.work = SavedCommit::Whole(commit.unwrap_or(&self.start).clone());
    }
}

/// The attempts of a task by number.
pub(super) fn find_saved_attempts(
    found: &RecordedRun,
    task: &TaskId,
) -> Result<BTreeMap<u32, SavedAttempt>, AppError> {
    let mut attempts: BTreeMap<u32, SavedAttempt> = BTreeMap::new();
    for record in &found.records {
        match journal_records::to_event(record).map_err(AppError::journal)? {
            Event::AttemptStarting { attempt, base, from, .. } if attempt.task == *task => {
                let start = from.unwrap_or_else(|| base.clone());
                let (number, work) = (attempt.number, SavedCommit::Nothing);
                let new = SavedAttempt { id: attempt, base, start, work, merged: None };
                attempts.insert(number, new);
            }
            Event::StepSaved { attempt, harvest, .. } if attempt.task == *task => {
                if let (Some(known), Some(commit)) =
                    (attempts.get_mut(&attempt.number), harvest.commit)
                {
                    known.work = SavedCommit::Step(commit);
                }
            }
            Event::AttemptHarvested { attempt, harvest } if attempt.task == *task => {
                if let Some(known) = attempts.get_mut(&attempt.number) {
                    known.note_end(harvest.commit.as_ref());
                }
            }
            Event::Merged { attempt, commit } if attempt.task == *task => {
                if let Some(known) = attempts.get_mut(&attempt.number) {
                    known.merged = Some(commit);
                }
            }
            _ => {}
        }
    }
    Ok(attempts)
}
