//! Finished steps of a task, and where a fresh worker continues.
//!
//! A worker marks a step as finished while it works; we make a commit of it and check it. If the worker is lost
//! after that, the next one starts from that commit (EX-04, AG-07, ST-02).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, TreeId};
use crate::outcome::Deviation;

/// What an attempt is based on.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct StartPoint {
    /// The branch when the attempt started: it holds all dependencies of the task, and changes are measured against
    /// it.
    pub base: CommitId,
    /// What the workspace was filled with: the base, or a step that an earlier worker finished.
    pub prepared: CommitId,
    /// The parent of the next commit: the last finished step, including this attempt's own.
    pub onto: CommitId,
}

impl StartPoint {
    /// A start from nothing but the branch.
    pub fn fresh(base: CommitId) -> Self {
        Self { prepared: base.clone(), onto: base.clone(), base }
    }

    /// Continues after a step that was finished on top of `base`.
    pub fn after(base: CommitId, step: CommitId) -> Self {
        Self { base, prepared: step.clone(), onto: step }
    }

    /// Whether it builds on the work of an earlier attempt.
    pub fn is_resumed(&self) -> bool {
        self.prepared != self.base
    }
}

/// A step that a worker reports as finished, not yet accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepClaim {
    pub step: u32,
    pub deviations: Vec<Deviation>,
    /// Its tree and commit, once we have made them.
    pub saved: Option<Harvest>,
}

/// A step that passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedStep {
    pub step: u32,
    pub attempt: AttemptId,
    pub base: CommitId,
    /// The commits with which the task's dependencies had landed: a step is void once one of them has been done
    /// again.
    pub needs: Vec<CommitId>,
    /// None as long as nothing has changed.
    pub commit: Option<CommitId>,
    pub tree: TreeId,
    /// Everything that differs from the base.
    pub paths: Vec<String>,
    pub deviations: Vec<Deviation>,
}

/// Our answer to a worker about a step that it claimed.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepAnswer {
    Accepted,
    Refused(String),
}
