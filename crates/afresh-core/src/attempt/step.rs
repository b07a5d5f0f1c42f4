//! Finished pieces of a task, and where a fresh worker goes on.
//!
//! A worker marks a step as finished while it works; we make a commit of it and check it. If the
//! worker is lost after that, the next one starts from that commit (EX-04, AG-07, ST-02).

use serde::{Deserialize, Serialize};

use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, TreeId};
use crate::outcome::Deviation;

/// What an attempt stands on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartPoint {
    /// The branch as it was: it holds everything that the task needs, and changes are measured
    /// against it.
    pub base: CommitId,
    /// What the workspace was filled with: the base, or a step that an earlier worker finished.
    pub prepared: CommitId,
    /// What the next commit is put on: the last finished step, this attempt's own included.
    pub onto: CommitId,
}

impl StartPoint {
    /// A start from nothing but the branch.
    pub fn fresh(base: CommitId) -> Self {
        Self { prepared: base.clone(), onto: base.clone(), base }
    }

    /// Going on after a step that was finished above `base`.
    pub fn after(base: CommitId, step: CommitId) -> Self {
        Self { base, prepared: step.clone(), onto: step }
    }

    /// Does it rest on the work of an earlier attempt?
    pub fn is_resumed(&self) -> bool {
        self.prepared != self.base
    }
}

/// A step that a worker calls finished, on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepClaim {
    pub step: u32,
    pub deviations: Vec<Deviation>,
    /// What it is, once it is a commit of ours.
    pub saved: Option<Harvest>,
}

/// A step that passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedStep {
    pub step: u32,
    pub attempt: AttemptId,
    pub base: CommitId,
    /// The commits by which the tasks that this one needs had landed: a step is worth nothing
    /// once one of them has been done anew.
    pub needs: Vec<CommitId>,
    /// None as long as nothing has changed.
    pub commit: Option<CommitId>,
    pub tree: TreeId,
    /// Everything that differs from the base.
    pub paths: Vec<String>,
    pub deviations: Vec<Deviation>,
}

/// What a worker hears about a step that it claimed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepAnswer {
    Accepted,
    Refused(String),
}
