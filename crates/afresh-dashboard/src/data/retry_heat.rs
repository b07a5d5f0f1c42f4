//! Every attempt of every task, by outcome: where work is done again and again.

use std::collections::BTreeMap;

use afresh_core::Run;
use afresh_core::ids::TaskId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::history::RunHistory;
use crate::history::attempt::{AttemptTrack, RejectionKind, TrackEnd};

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct RetryHeat {
    /// Tasks that needed more than one attempt, most attempts first.
    pub rows: Vec<RetryRow>,
    /// The largest number of attempts of a task.
    pub most: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct RetryRow {
    pub task: TaskId,
    pub title: String,
    pub cells: Vec<RetryCell>,
}

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct RetryCell {
    pub attempt: u32,
    pub outcome: AttemptMark,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What an attempt came to, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttemptMark {
    Underway,
    Merged,
    Passed,
    Undone,
    NotStarted,
    Rejected,
    Conflict,
    ChangesRequested,
    NotFinished,
    Interrupted,
}

impl AttemptMark {
    pub(crate) fn from_track(track: &AttemptTrack) -> Self {
        match &track.end {
            None => Self::Underway,
            Some(TrackEnd::Merged(_)) => Self::Merged,
            Some(TrackEnd::Passed) => Self::Passed,
            Some(TrackEnd::Undone) => Self::Undone,
            Some(TrackEnd::NotStarted(_)) => Self::NotStarted,
            Some(TrackEnd::Rejected { kind, .. }) => match kind {
                RejectionKind::Work => Self::Rejected,
                RejectionKind::Conflict => Self::Conflict,
                RejectionKind::Review => Self::ChangesRequested,
                RejectionKind::Worker => Self::NotFinished,
                RejectionKind::Machine => Self::Interrupted,
            },
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Underway => "underway",
            Self::Merged => "merged",
            Self::Passed => "passed",
            Self::Undone => "undone",
            Self::NotStarted => "not started",
            Self::Rejected => "rejected",
            Self::Conflict => "conflict",
            Self::ChangesRequested => "changes requested",
            Self::NotFinished => "not finished",
            Self::Interrupted => "interrupted",
        }
    }

    /// One character, for where colour alone would not do.
    pub fn glyph(self) -> char {
        match self {
            Self::Underway => '…',
            Self::Merged => '✓',
            Self::Passed => '=',
            Self::Undone => '↶',
            Self::NotStarted => '∅',
            Self::Rejected => '✗',
            Self::Conflict => '≠',
            Self::ChangesRequested => '✎',
            Self::NotFinished => '?',
            Self::Interrupted => '!',
        }
    }
}

/// Why an attempt did not land.
pub(crate) fn reason_of(track: &AttemptTrack) -> Option<String> {
    match &track.end {
        Some(TrackEnd::Rejected { reason, .. } | TrackEnd::NotStarted(reason)) => {
            Some(reason.clone())
        }
        Some(TrackEnd::Passed) => {
            Some("it passed its checks, and waits or another agent's work was chosen".to_owned())
        }
        Some(TrackEnd::Undone) => Some("a rewind took it back".to_owned()),
        _ => None,
    }
}

impl RetryHeat {
    pub(crate) fn new(run: &Run, history: &RunHistory) -> Self {
        let mut tracks: BTreeMap<&TaskId, Vec<&AttemptTrack>> = BTreeMap::new();
        for track in history.attempts() {
            tracks.entry(&track.id.task).or_default().push(track);
        }
        let most = tracks.values().map(Vec::len).max().unwrap_or(0);
        let mut rows: Vec<RetryRow> = run
            .tasks()
            .filter_map(|(task, _)| {
                let own = tracks.get(&task.id).filter(|own| own.len() > 1)?;
                let cells = own.iter().map(|track| RetryCell {
                    attempt: track.id.number,
                    outcome: AttemptMark::from_track(track),
                    reason: reason_of(track),
                });
                let (task, title) = (task.id.clone(), task.title.clone());
                Some(RetryRow { task, title, cells: cells.collect() })
            })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.cells.len()));
        Self { rows, most }
    }
}
