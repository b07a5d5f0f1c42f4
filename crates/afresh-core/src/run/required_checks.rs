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

    /// What must pass on the tree that lands: a task's own checks, those of every merge, and the steel thread's.
    pub fn landing_checks(&self, at: TaskIndex) -> Vec<Check> {
        let guards = self.steel_thread_guards(at, |_| true);
        distinct(self.plan().task(at).all_checks().cloned().chain(self.always()).chain(guards))
    }

    /// What must pass on the last tree, once nothing else can happen.
    pub(crate) fn required_final_checks(&self) -> Vec<Check> {
        // Tasks that a person settled are not ours to judge.
        let done = self.tasks().filter(|(_, state)| matches!(state.stage, TaskStage::Done { .. }));
        let own = done.flat_map(|(task, _)| task.all_checks().cloned()).chain(self.always());
        distinct(own.chain(self.marked_done().flat_map(|task| task.all_checks().cloned())))
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
