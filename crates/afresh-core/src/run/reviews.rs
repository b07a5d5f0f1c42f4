//! Reviews that wait for a reviewer, and all those who spend tokens now: workers and reviewers.

use super::{ReviewActivity, ReviewStage, Run, TaskStage, TaskState};
use crate::ids::AttemptId;
use crate::plan::TaskIndex;
use crate::time::Timestamp;
use crate::usage::{BudgetAmount, Usage};

/// A worker, or the reviewer of its attempt: one of them at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendingWorker {
    pub attempt: AttemptId,
    pub reserved: BudgetAmount,
    pub used: BudgetAmount,
}

impl Run {
    /// Work that waits for a reviewer, in the plan's order.
    pub(crate) fn waiting_reviews(&self) -> impl Iterator<Item = TaskIndex> + '_ {
        self.frontier.active().filter(|at| {
            let stage = &self.tasks[*at].stage;
            matches!(
                stage,
                TaskStage::Reviewing {
                    review: ReviewStage { activity: ReviewActivity::Waiting, .. },
                    ..
                }
            )
        })
    }

    /// The end of the backoff, before which no reviewer starts.
    pub(crate) fn review_held_until(&self, at: TaskIndex) -> Option<Timestamp> {
        let policy = &self.settings.review;
        let agent = Some(policy.agent.as_str()).filter(|name| !name.is_empty());
        let parked = self.parked_until(agent, policy.tier);
        match &self.tasks[at].stage {
            TaskStage::Reviewing { review, .. } => review.not_before.max(parked),
            _ => None,
        }
    }

    /// The agent that reviews; empty if an old journal does not name the default one.
    pub fn review_agent(&self) -> &str {
        match self.settings.review.agent.as_str() {
            "" => &self.settings.agent,
            agent => agent,
        }
    }

    /// Everyone who spends tokens of the run now.
    pub fn spenders(&self) -> impl Iterator<Item = SpendingWorker> + '_ {
        self.frontier.active().filter_map(|at| spender(&self.tasks[at]))
    }
}

fn spender(state: &TaskState) -> Option<SpendingWorker> {
    let (work, reserved, used) = match &state.stage {
        TaskStage::Starting(work) | TaskStage::Running(work) if work.by_hand.is_none() => {
            (work, work.reserved, state.records.usages.get(&work.attempt.number))
        }
        TaskStage::Reviewing {
            work,
            review: ReviewStage { number, activity: ReviewActivity::Running(reviewer), .. },
            ..
        } => {
            let key = (work.attempt.number, *number);
            (work, reviewer.reserved, state.records.review_usages.get(&key))
        }
        _ => return None,
    };
    let used = used.map(|usage: &Usage| BudgetAmount::from(usage)).unwrap_or_default();
    Some(SpendingWorker { attempt: work.attempt.clone(), reserved, used })
}
