//! Work that was interrupted, and continuing it (AG-08).
//!
//! An interrupted worker has not failed: its files are saved, and its program may know the conversation. `decide`
//! decides when it is continued.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, TreeId, WorkspaceSlot};
use crate::plan::ModelTier;
use crate::step::StartPoint;

/// A conversation that an agent's program can continue.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct AgentSession {
    /// The program's own id for it.
    pub session: String,
    /// The agent, as the configuration names it.
    pub agent: String,
}

/// What an interrupted attempt left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterruptedAttempt {
    pub attempt: AttemptId,
    /// Some programs find a conversation again only in the same directory.
    pub slot: WorkspaceSlot,
    pub ground: StartPoint,
    pub tier: ModelTier,
    /// The commits with which the task's dependencies had landed.
    pub needs: Vec<CommitId>,
    pub harvest: Harvest,
    /// None if no worker can continue it.
    pub conversation: Option<AgentSession>,
}

/// An attempt continues where an earlier one was interrupted.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct AttemptResumption {
    /// The number of the interrupted attempt.
    pub of: u32,
    pub conversation: AgentSession,
    /// Everything that was in its workspace.
    pub tree: TreeId,
}
