//! Tasks that the plan marks as done: no worker does them again, but their checks are run with the final ones.

mod finished;

use crate::check::CheckResult;
use crate::plan::{Check, Task};
use crate::run::{FinalChecks, Run, TaskStage, TaskState};

/// A task that the plan marks as done, although a check of it fails on the final tree.
#[derive(Debug, Clone, Copy)]
pub struct RefutedMark<'a> {
    pub task: &'a Task,
    pub result: &'a CheckResult,
}

impl RefutedMark<'_> {
    pub fn describe(&self) -> String {
        let result = self.result.describe();
        format!("{} is marked done in the plan, but its check fails: {result}", self.task.id)
    }
}

impl Run {
    /// The tasks that are done by the word of the plan alone.
    pub(crate) fn marked_done(&self) -> impl Iterator<Item = &Task> {
        let is_marked = |(task, state): &(&Task, &TaskState)| {
            task.done_before.is_some() && matches!(state.stage, TaskStage::Settled { .. })
        };
        self.tasks().filter(is_marked).map(|(task, _)| task)
    }

    /// The result of a command on the branch's last tree.
    pub(super) fn final_result(&self, command: &str) -> Option<&CheckResult> {
        let FinalChecks::Ended { results, .. } = &self.final_checks else { return None };
        results.iter().find(|result| result.command == command)
    }

    /// The failed final checks of the branch's last tree.
    fn failed_final_checks(&self) -> impl Iterator<Item = &CheckResult> {
        let results = match &self.final_checks {
            // Work that landed since, as with `--task`, made another tree, which has not been checked.
            FinalChecks::Ended { tree, results, .. }
                if self.tip_tree().is_none_or(|tip| tip == tree) =>
            {
                results.as_slice()
            }
            _ => &[],
        };
        results.iter().filter(|result| !result.is_accepted())
    }

    /// The marks that the final checks refute. A check that also judges our own work is about that.
    pub fn refuted_marks(&self) -> Vec<RefutedMark<'_>> {
        let has = |task: &Task, command: &str| {
            task.all_checks().any(|check: &Check| check.command == command)
        };
        let is_ours = |command: &str| {
            let mut done = self.tasks().filter(|(_, state)| state.is_done());
            self.settings.always.iter().any(|always| always == command)
                || done.any(|(task, state)| {
                    matches!(state.stage, TaskStage::Done { .. }) && has(task, command)
                })
        };
        self.failed_final_checks()
            .filter(|result| !is_ours(&result.command))
            .flat_map(|result| {
                let marked = self.marked_done().filter(|task| has(task, &result.command));
                marked.map(move |task| RefutedMark { task, result })
            })
            .collect()
    }

    /// One sentence for each failed final check.
    pub fn final_failures(&self) -> Vec<String> {
        let refuted = self.refuted_marks();
        let is_refuting =
            |result: &CheckResult| refuted.iter().any(|mark| mark.result.command == result.command);
        let about_all = self.failed_final_checks().filter(|result| !is_refuting(result));
        let about_all = about_all.map(|result| format!("on the final tree, {}", result.describe()));
        about_all.chain(refuted.iter().map(RefutedMark::describe)).collect()
    }
}
