//! Which tasks serve a requirement, through its parts and its whole too.

use std::collections::BTreeSet;

use super::Ledger;
use crate::ids::TaskId;
use crate::plan::{Plan, RequirementLink, RequirementScope};

/// How deep parts of requirements are followed.
pub(super) const MAX_DEPTH: usize = 16;

/// The tasks that cite each requirement, and the parts of each.
#[derive(Debug)]
pub(super) struct RequirementLinks {
    /// By position in the ledger.
    cited_by: Vec<Vec<TaskId>>,
    parts: Vec<Vec<usize>>,
    /// The tasks that workers do.
    all: Vec<TaskId>,
}

impl RequirementLinks {
    pub(super) fn new(plan: &Plan, ledger: &Ledger<'_>) -> Self {
        let mut cited_by = vec![Vec::new(); ledger.entries.len()];
        let before = ledger.pinned.into_iter().flat_map(Plan::tasks);
        let now = plan.tasks().iter().map(|task| (task, false));
        for (task, was) in now.chain(before.map(|task| (task, true))) {
            for id in &task.requirements {
                // What the plan no longer states was served by the tasks of then.
                let at = ledger.position(id).filter(|at| ledger.is_removed(*at) == was);
                if let Some(at) = at {
                    cited_by[at].push(task.id.clone());
                }
            }
        }
        let mut parts = vec![Vec::new(); ledger.entries.len()];
        for (at, entry) in ledger.entries.iter().enumerate() {
            let whole = entry.parent.as_ref().and_then(|parent| ledger.position(parent));
            if let Some(whole) = whole.filter(|whole| *whole != at) {
                parts[whole].push(at);
            }
        }
        let worked = plan.tasks().iter().filter(|task| task.checkpoint.is_none());
        Self { cited_by, parts, all: worked.map(|task| task.id.clone()).collect() }
    }

    /// The tasks that serve it: those that cite it or a part of it; else those that cite what it is a part of.
    pub(super) fn tasks_of(&self, ledger: &Ledger<'_>, at: usize) -> ServingTasks<'_> {
        if ledger.entries[at].link == RequirementLink::WholePlan {
            return ServingTasks::WholePlan(&self.all);
        }
        let mut cited = CitedTasks::default();
        self.add_cited(at, 0, &mut cited);
        if cited.tasks.is_empty() {
            return self.inherited(ledger, at);
        }
        ServingTasks::Cited(cited.tasks)
    }

    fn add_cited<'s>(&'s self, at: usize, depth: usize, cited: &mut CitedTasks<'s>) {
        if depth > MAX_DEPTH || !cited.requirements.insert(at) {
            return;
        }
        for task in &self.cited_by[at] {
            if cited.seen.insert(task) {
                cited.tasks.push(task);
            }
        }
        for part in &self.parts[at] {
            self.add_cited(*part, depth + 1, cited);
        }
    }

    /// The tasks that cite the nearest whole.
    fn inherited(&self, ledger: &Ledger<'_>, at: usize) -> ServingTasks<'_> {
        let mut here = at;
        for _ in 0..MAX_DEPTH {
            let parent = ledger.entries[here].parent.as_ref();
            let Some(whole) = parent.and_then(|parent| ledger.position(parent)) else { break };
            if ledger.entries[whole].link == RequirementLink::WholePlan {
                return ServingTasks::WholePlan(&self.all);
            }
            if !self.cited_by[whole].is_empty() {
                return ServingTasks::Cited(self.cited_by[whole].iter().collect());
            }
            here = whole;
        }
        ServingTasks::Cited(Vec::new())
    }

    /// Whether tasks cite it itself.
    pub(super) fn is_cited(&self, at: usize) -> bool {
        !self.cited_by[at].is_empty()
    }

    /// The parts of it that the work is meant to meet.
    pub(super) fn active_parts<'a>(
        &'a self,
        ledger: &'a Ledger<'_>,
        at: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        let is_active = |part: &usize| {
            ledger.entries[*part].scope == RequirementScope::Active && !ledger.is_removed(*part)
        };
        self.parts[at].iter().copied().filter(is_active)
    }

    /// Tasks that cite nothing, if requirements are there to be cited.
    pub(super) fn orphans(&self, ledger: &Ledger<'_>) -> Vec<TaskId> {
        let stated = ledger.entries.iter().any(|entry| {
            entry.link == RequirementLink::Stated && entry.scope == RequirementScope::Active
        });
        if !stated {
            return Vec::new();
        }
        let serving: BTreeSet<&TaskId> = self.cited_by.iter().flatten().collect();
        self.all.iter().filter(|id| !serving.contains(id)).cloned().collect()
    }
}

/// The tasks that serve a requirement.
#[derive(Debug, Clone)]
pub(super) enum ServingTasks<'s> {
    WholePlan(&'s [TaskId]),
    Cited(Vec<&'s TaskId>),
}

impl<'s> ServingTasks<'s> {
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = &'s TaskId> + '_> {
        match self {
            Self::WholePlan(tasks) => Box::new(tasks.iter()),
            Self::Cited(tasks) => Box::new(tasks.iter().copied()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::WholePlan(tasks) => tasks.len(),
            Self::Cited(tasks) => tasks.len(),
        }
    }
}

/// The tasks that cite a requirement or its parts, as they are found.
#[derive(Default)]
struct CitedTasks<'s> {
    tasks: Vec<&'s TaskId>,
    seen: BTreeSet<&'s TaskId>,
    requirements: BTreeSet<usize>,
}
