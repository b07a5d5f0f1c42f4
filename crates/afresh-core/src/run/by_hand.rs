//! Attempts that a person has open, or an agent that they drive (ST-06).

use super::{ActiveAttempt, Run};
use crate::ids::{TaskId, WorkspaceSlot};

impl Run {
    /// Attempts by hand whose workspace is ready, and that were not handed in yet.
    pub fn open_by_hand(&self) -> impl Iterator<Item = &ActiveAttempt> {
        self.frontier.active().filter_map(|at| self.tasks[at].stage.open_by_hand())
    }

    /// Whether no agent starts a task before the run is opened again.
    pub fn holds_back_agents(&self) -> bool {
        self.holds_back_agents
    }

    /// Tasks that could start and do not, because a person drives the run.
    pub fn left_to_people(&self) -> impl Iterator<Item = &TaskId> {
        let ready = self.eligible().filter(|_| self.holds_back_agents);
        ready.map(|at| &self.plan.task(at).id)
    }

    /// Whether the run needs a person to start or to hand in some work.
    pub(crate) fn waits_for_work_by_hand(&self) -> bool {
        self.open_by_hand().next().is_some() || self.left_to_people().next().is_some()
    }

    /// Workspaces of agents whose contents are not saved yet.
    pub(crate) fn agent_slots(&self) -> usize {
        self.slots.range(..WorkspaceSlot::FIRST_BY_HAND).count()
    }
}
