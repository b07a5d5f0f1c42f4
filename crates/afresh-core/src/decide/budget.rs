//! Which workers continue near a limit, and what happens to a task that has used up its own budget (R14).
//!
//! The scheduler reserves budget before a start; `attempt` handles the moment when the run's budget is reached.

use crate::plan::TaskIndex;
use std::cmp::Reverse;

use super::Decider;
use crate::effect::Effect;
use crate::ids::AttemptId;
use crate::run::TaskStage;
use crate::usage::BudgetAmount;

impl Decider<'_> {
    /// Near the limit only one worker continues: each may have used more since its last report, and only one may
    /// exceed the limit. The worker with the highest usage continues, because stopping it would lose the most.
    pub(super) fn enforce_budget_headroom(&mut self) {
        if self.run.budget_reached() || self.run.settings().budget.is_unlimited() {
            return;
        }
        let mut workers: Vec<(Reverse<(u64, u64)>, AttemptId)> = Vec::new();
        for worker in self.run.spenders() {
            let BudgetAmount { cost_micros, tokens } = worker.used;
            workers.push((Reverse((cost_micros, tokens)), worker.attempt));
        }
        if self.run.budget_holds(workers.len()) {
            return;
        }
        workers.sort();
        let grace = self.run.settings().halt_grace;
        for (_, attempt) in workers.into_iter().skip(1) {
            self.request(Effect::Stop { attempt, grace });
        }
    }

    /// Stops the worker of a task that has used up its own budget.
    pub(super) fn enforce_task_budget(&mut self, attempt: &AttemptId) {
        if self.is_at_work(attempt) && self.is_task_over_budget(attempt) {
            let grace = self.run.settings().halt_grace;
            self.request(Effect::Stop { attempt: attempt.clone(), grace });
        }
    }

    /// Whether an attempt was already asked to stop because the budget of the run or of its task is used up.
    pub(super) fn is_over_budget(&self, attempt: &AttemptId) -> bool {
        self.is_at_work(attempt) && (self.run.budget_reached() || self.is_task_over_budget(attempt))
    }

    fn is_at_work(&self, attempt: &AttemptId) -> bool {
        matches!(self.stage_of(attempt), Some(TaskStage::Starting(_) | TaskStage::Running(_)))
            || self.has_reviewer(attempt)
    }

    fn is_task_over_budget(&self, attempt: &AttemptId) -> bool {
        self.task_budget_reached(self.index(&attempt.task)).is_some()
    }

    /// Tasks that would start, but have no budget left.
    pub(super) fn fail_over_budget_tasks(&mut self) {
        if self.run.settings().task_budget.is_unlimited() {
            return;
        }
        let ready: Vec<TaskIndex> = self.run.eligible().collect();
        for at in ready {
            if let Some(reason) = self.task_budget_reached(at) {
                self.fail(at, reason);
            }
        }
    }

    /// Why no worker of this task starts any more, if its budget is used up.
    pub(super) fn task_budget_reached(&self, at: TaskIndex) -> Option<String> {
        let budget = self.run.settings().task_budget;
        let spent = BudgetAmount::from(&self.run.task(at).usage_since_retried());
        let task = &self.run.plan().task(at).id;
        let reached = || {
            format!(
                "failed:budget: the task used {}; `afresh task retry {task}` gives it as much again",
                budget.describe(spent)
            )
        };
        budget.is_reached_by(spent).then(reached)
    }
}
