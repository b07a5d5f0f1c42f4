//! The states of all tasks of a run.

use super::TaskState;
use crate::plan::{Plan, TaskIndex};

/// The state of every task, in the plan's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskTable(Vec<TaskState>);

impl TaskTable {
    /// With the index of each task.
    pub fn indexed<'a>(
        &'a self,
        plan: &Plan,
    ) -> impl Iterator<Item = (TaskIndex, &'a TaskState)> + use<'a> {
        plan.indices().zip(&self.0)
    }

    pub fn states(&self) -> &[TaskState] {
        &self.0
    }

    pub(in crate::run) fn states_mut(&mut self) -> &mut [TaskState] {
        &mut self.0
    }
}

impl FromIterator<TaskState> for TaskTable {
    fn from_iter<I: IntoIterator<Item = TaskState>>(states: I) -> Self {
        Self(states.into_iter().collect())
    }
}

impl std::ops::Index<TaskIndex> for TaskTable {
    type Output = TaskState;
    fn index(&self, index: TaskIndex) -> &TaskState {
        &self.0[index.position()]
    }
}

impl std::ops::IndexMut<TaskIndex> for TaskTable {
    fn index_mut(&mut self, index: TaskIndex) -> &mut TaskState {
        &mut self.0[index.position()]
    }
}
