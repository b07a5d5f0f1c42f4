//! Which checks must pass, on which tree.

use std::collections::BTreeSet;

use super::{Run, TaskStage};
use crate::plan::{Check, TaskIndex};

impl Run {
    /// What must pass on the tree of the task alone.
    pub(crate) fn own_checks(&self, at: TaskIndex) -> Vec<Check> {
        let guards = self.steel_thread_guards(at, |end| self.plan().is_before(end, at));
        distinct(self.plan().task(at).all_checks().cloned().chain(self.always()).chain(guards))
    }

    /// The same, as groups that may run side by side.
    pub(crate) fn own_groups(&self, at: TaskIndex) -> Vec<Vec<Check>> {
        let own = self.plan().task(at).all_checks().cloned().collect();
        let guards = self.steel_thread_guards(at, |end| self.plan().is_before(end, at));
        self.with_always_apart(std::iter::once(own), std::iter::once(guards))
    }

    /// What must pass on the tree that lands: a task's own checks, those of every merge, and the steel thread's.
    pub fn landing_checks(&self, at: TaskIndex) -> Vec<Check> {
        let guards = self.steel_thread_guards(at, |_| true);
        distinct(self.plan().task(at).all_checks().cloned().chain(self.always()).chain(guards))
    }

    /// What must pass on the last tree, once nothing else can happen.
    pub(crate) fn required_final_checks(&self) -> Vec<Check> {
        self.final_groups().into_iter().flatten().collect()
    }

    /// The same, as groups that may run side by side.
    pub(crate) fn final_groups(&self) -> Vec<Vec<Check>> {
        // Tasks that a person settled are not ours to judge.
        let done = self.tasks().filter(|(_, state)| matches!(state.stage, TaskStage::Done { .. }));
        let own = done.map(|(task, _)| task.all_checks().cloned().collect());
        let marked = self.marked_done().map(|task| task.all_checks().cloned().collect());
        self.with_always_apart(own, marked)
    }

    /// What must pass on the tree with which all of these land: a group for each task, one for every merge.
    pub(crate) fn landing_groups(&self, members: &[TaskIndex]) -> Vec<Vec<Check>> {
        let own = members.iter().map(|at| self.plan().task(*at).all_checks().cloned().collect());
        let guards = members.iter().map(|at| self.steel_thread_guards(*at, |_| true));
        self.with_always_apart(own, guards)
    }

    /// Each command once. What runs on every merge is a group of its own, in its order; its results count for all.
    fn with_always_apart(
        &self,
        before: impl Iterator<Item = Vec<Check>>,
        after: impl Iterator<Item = Vec<Check>>,
    ) -> Vec<Vec<Check>> {
        let always: Vec<Check> = distinct(self.always());
        let mut seen: BTreeSet<String> = always.iter().map(|it| it.command.clone()).collect();
        let mut new = |group: Vec<Check>| -> Vec<Check> {
            group.into_iter().filter(|check| seen.insert(check.command.clone())).collect()
        };
        let before: Vec<Vec<Check>> = before.map(&mut new).collect();
        let after: Vec<Vec<Check>> = after.map(&mut new).collect();
        let groups = before.into_iter().chain([always]).chain(after);
        groups.filter(|group| !group.is_empty()).collect()
    }

    /// The end-to-end checks of the steel thread stay guards once it has landed (PL-18). A tree that started before
    /// that cannot pass them: `is_in_tree` says whether this one has the thread in it.
    fn steel_thread_guards(
        &self,
        at: TaskIndex,
        is_in_tree: impl Fn(TaskIndex) -> bool,
    ) -> Vec<Check> {
        let has_landed =
            |end: &TaskIndex| *end != at && matches!(self.task(*end).stage, TaskStage::Done { .. });
        let end = self.plan().steel_thread_end().filter(has_landed);
        let Some(end) = end.filter(|end| is_in_tree(*end)) else { return Vec::new() };
        let checks = self.plan().task(end).all_checks();
        checks.filter(|check| check.red_first).cloned().collect()
    }

    fn always(&self) -> impl Iterator<Item = Check> + '_ {
        self.settings().always.iter().map(|command| Check::from_command(command))
    }
}

/// Each command once, in order.
fn distinct(checks: impl Iterator<Item = Check>) -> Vec<Check> {
    let mut seen = BTreeSet::new();
    checks.filter(|check| seen.insert(check.command.clone())).collect()
}
