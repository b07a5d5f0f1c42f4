//! Work that was cut off in the middle, and taking it up again (AG-08).
//!
//! Whoever was interrupted has not failed: its files are saved, and its program may know the
//! conversation. When it is taken up again is for `decide`.

use serde::{Deserialize, Serialize};

use crate::harvest::Harvest;
use crate::ids::{AttemptId, CommitId, TreeId, WorkspaceSlot};
use crate::plan::ModelTier;
use crate::step::StartPoint;

/// A conversation that an agent's program can take up again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSession {
    /// The program's own name for it.
    pub session: String,
    /// The agent, as the configuration names it.
    pub agent: String,
}

/// What an interrupted attempt left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterruptedAttempt {
    pub attempt: AttemptId,
    /// Some programs find a conversation again only where it was.
    pub slot: WorkspaceSlot,
    pub ground: StartPoint,
    pub tier: ModelTier,
    /// The commits by which the tasks that this one needs had landed.
    pub needs: Vec<CommitId>,
    pub harvest: Harvest,
    /// None where nobody can go on with it.
    pub conversation: Option<AgentSession>,
}

/// An attempt goes on where an earlier one was cut off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptResumption {
    /// The number of the attempt that was interrupted.
    pub of: u32,
    pub conversation: AgentSession,
    /// Everything that was in its workspace.
    pub tree: TreeId,
}
