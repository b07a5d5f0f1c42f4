//! The segments of one attempt.

use afresh_core::ids::{AttemptId, CommitId};
use afresh_core::plan::ModelTier;
use afresh_core::usage::{ContextFill, Usage};
use schemars::JsonSchema;
use serde::Serialize;

use super::Period;

/// What an attempt spends its time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SegmentKind {
    /// Ready, and waiting for a free workspace, or finished, and waiting for the merge slot.
    Queue,
    /// Its workspace is prepared.
    SetUp,
    Work,
    Checks,
    Review,
    Merge,
    /// A person has to answer.
    Person,
}

impl SegmentKind {
    pub const ALL: [Self; 7] = [
        Self::Queue,
        Self::SetUp,
        Self::Work,
        Self::Checks,
        Self::Review,
        Self::Merge,
        Self::Person,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::SetUp => "set-up",
            Self::Work => "work",
            Self::Checks => "checks",
            Self::Review => "review",
            Self::Merge => "merge",
            Self::Person => "waits for you",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptSegment {
    pub kind: SegmentKind,
    pub from_ms: i64,
    /// None: it lasts.
    pub to_ms: Option<i64>,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackEnd {
    Merged(CommitId),
    Rejected {
        reason: String,
        /// Whether it counts against the limit of attempts.
        counts: bool,
        kind: RejectionKind,
    },
    /// It never had a process.
    NotStarted(String),
    /// Its work passed its checks, and that of another agent was chosen, or none yet.
    Passed,
    /// It was merged, and a rewind took it back.
    Undone,
}

/// Why attempts fail, in a few groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RejectionKind {
    /// The work did not pass: checks, scope, nothing changed.
    Work,
    /// It collided with work that landed meanwhile.
    Conflict,
    /// A reviewer asked for changes.
    Review,
    /// The worker asked, or reported that it could not finish.
    Worker,
    /// A crash, a halt, a limit, a model that failed.
    Machine,
}

impl RejectionKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Work => "rejected",
            Self::Conflict => "conflict",
            Self::Review => "changes requested",
            Self::Worker => "not finished",
            Self::Machine => "interrupted",
        }
    }
}

/// One attempt, from the moment its task was ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptTrack {
    pub id: AttemptId,
    pub tier: Option<ModelTier>,
    pub agent: Option<String>,
    /// Who works on it by hand.
    pub by_hand: Option<String>,
    pub model: Option<String>,
    /// In order, without gaps while a driver runs.
    pub segments: Vec<AttemptSegment>,
    pub prompt: Option<ContextFill>,
    pub context: Option<ContextFill>,
    pub usage: Usage,
    pub steps_done: u32,
    pub end: Option<TrackEnd>,
}

impl AttemptTrack {
    pub(super) fn new(id: AttemptId) -> Self {
        Self {
            id,
            tier: None,
            agent: None,
            by_hand: None,
            model: None,
            segments: Vec::new(),
            prompt: None,
            context: None,
            usage: Usage::default(),
            steps_done: 0,
            end: None,
        }
    }

    /// The segment that lasts.
    pub fn open_segment(&self) -> Option<&AttemptSegment> {
        self.segments.last().filter(|segment| segment.to_ms.is_none())
    }

    /// Begins another segment where the last one ends.
    pub(super) fn enter(&mut self, kind: SegmentKind, at_ms: i64) {
        if self.open_segment().is_some_and(|open| open.kind == kind) {
            return;
        }
        self.close(at_ms);
        self.segments.push(AttemptSegment { kind, from_ms: at_ms, to_ms: None });
    }

    /// What its task did from the moment it was ready: it waited for a person at these times, and else for its turn.
    pub(super) fn enter_waiting(&mut self, since_ms: i64, until_ms: i64, waits: &[Period]) {
        let mut at = since_ms;
        for wait in waits {
            let from = wait.from_ms.max(at);
            let to = wait.to_ms.unwrap_or(until_ms).min(until_ms);
            if to > from {
                if from > at {
                    self.enter(SegmentKind::Queue, at);
                }
                self.enter(SegmentKind::Person, from);
                at = to;
            }
        }
        if until_ms > at {
            self.enter(SegmentKind::Queue, at);
        }
    }

    pub(super) fn close(&mut self, at_ms: i64) {
        let Some(last) = self.segments.last_mut() else { return };
        if last.to_ms.is_none() {
            last.to_ms = Some(at_ms.max(last.from_ms));
        }
    }

    pub(super) fn finish(&mut self, end: TrackEnd, at_ms: i64) {
        self.close(at_ms);
        self.end = Some(end);
    }

    pub fn from_ms(&self) -> i64 {
        self.segments.first().map_or(0, |segment| segment.from_ms)
    }

    /// When its workspace was first prepared.
    pub fn started_ms(&self) -> i64 {
        let first = self.segments.iter().find(|segment| segment.kind != SegmentKind::Queue);
        first.map_or_else(|| self.from_ms(), |segment| segment.from_ms)
    }

    pub fn to_ms(&self, now_ms: i64) -> i64 {
        self.segments.last().map_or(now_ms, |segment| segment.to_ms.unwrap_or(now_ms))
    }

    /// How long it has spent on this.
    pub fn time_in(&self, kind: SegmentKind, now_ms: i64) -> u64 {
        let own = self.segments.iter().filter(|segment| segment.kind == kind);
        own.map(|segment| {
            let to_ms = segment.to_ms.unwrap_or(now_ms);
            u64::try_from(to_ms.saturating_sub(segment.from_ms)).unwrap_or(0)
        })
        .sum()
    }
}
