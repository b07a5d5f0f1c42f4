//! Which tasks are ready: updated as tasks change their stage, so that a plan of ten thousand tasks is not
//! walked at every step.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::task::{TaskStage, TaskTable};
use crate::ids::TaskId;
use crate::plan::{Plan, TaskIndex};
use crate::status::TaskPhase;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFrontier {
    /// How many dependencies are neither done nor ignored.
    unmet: Vec<usize>,
    /// Tasks that have no attempt and are not finished.
    idle: Vec<bool>,
    /// Idle tasks with nothing unmet; longest remaining path first, then the plan's order.
    ready: BTreeSet<(Reverse<u32>, TaskIndex)>,
    /// Tasks with an attempt underway.
    active: BTreeSet<TaskIndex>,
}

/// A failed or skipped task that blocks others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockCause {
    pub task: TaskId,
    pub state: TaskPhase,
}

impl TaskFrontier {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut frontier = Self {
            unmet: plan.indices().map(|at| plan.needs(at).len()).collect(),
            idle: vec![true; plan.len()],
            ready: BTreeSet::new(),
            active: BTreeSet::new(),
        };
        for at in plan.indices() {
            frontier.note_ready(plan, at);
        }
        frontier
    }

    /// Computes everything again after the plan changed.
    pub(super) fn rebuild(plan: &Plan, tasks: &TaskTable) -> Self {
        let mut frontier = Self::new(plan);
        for (at, task) in tasks.indexed(plan) {
            frontier.moved(plan, at, &TaskStage::Idle, &task.stage);
        }
        frontier
    }

    /// Notes that a task went from one stage to another.
    pub(super) fn moved(&mut self, plan: &Plan, at: TaskIndex, from: &TaskStage, to: &TaskStage) {
        if from.is_met() != to.is_met() {
            for dependent in plan.dependents(at) {
                if to.is_met() {
                    self.unmet[dependent.position()] -= 1;
                } else {
                    self.unmet[dependent.position()] += 1;
                }
                self.note_ready(plan, *dependent);
            }
        }
        if to.work().is_some() {
            self.active.insert(at);
        } else {
            self.active.remove(&at);
        }
        self.idle[at.position()] = matches!(to, TaskStage::Idle);
        self.note_ready(plan, at);
    }

    fn note_ready(&mut self, plan: &Plan, at: TaskIndex) {
        let key = (Reverse(plan.height(at)), at);
        if self.idle[at.position()] && self.unmet[at.position()] == 0 {
            self.ready.insert(key);
        } else {
            self.ready.remove(&key);
        }
    }

    pub(crate) fn ready(&self) -> impl Iterator<Item = TaskIndex> + '_ {
        self.ready.iter().map(|(_, at)| *at)
    }

    pub(crate) fn active(&self) -> impl Iterator<Item = TaskIndex> + '_ {
        self.active.iter().copied()
    }

    pub fn is_ready(&self, plan: &Plan, at: TaskIndex) -> bool {
        self.ready.contains(&(Reverse(plan.height(at)), at))
    }
}

/// Every blocked task, with the failed or skipped tasks that block it.
pub(super) fn blocked(plan: &Plan, tasks: &TaskTable) -> BTreeMap<TaskIndex, Vec<BlockCause>> {
    let mut causes: BTreeMap<TaskIndex, BTreeSet<BlockCause>> = BTreeMap::new();
    for wave in plan.waves() {
        for at in wave {
            let state = match &tasks[at].stage {
                TaskStage::Failed { .. } => Some(TaskPhase::Failed),
                TaskStage::Skipped { ignored: false, .. } => Some(TaskPhase::Skipped),
                TaskStage::Idle => None,
                _ => continue,
            };
            let mut own: BTreeSet<BlockCause> = BTreeSet::new();
            if let Some(state) = state {
                own.insert(BlockCause { task: plan.task(at).id.clone(), state });
            } else if let Some(inherited) = causes.get(&at) {
                own.extend(inherited.iter().cloned());
            }
            if own.is_empty() {
                continue;
            }
            for dependent in plan.dependents(at) {
                causes.entry(*dependent).or_default().extend(own.iter().cloned());
            }
        }
    }
    causes
        .into_iter()
        .filter(|(at, _)| matches!(tasks[*at].stage, TaskStage::Idle))
        .map(|(at, causes)| (at, causes.into_iter().collect()))
        .collect()
}
