//! Forgetting what a rewind took back.

use crate::ids::CommitId;
use crate::run::task::{ContestState, TaskStage, TaskState};
use crate::run::{FinalChecks, Run};

impl Run {
    /// Forgets what landed after `to`, except attempt numbers and usage.
    pub(super) fn rewound(&mut self, to: &CommitId) {
        self.rewind = None;
        self.final_checks = FinalChecks::NotYet;
        let kept = self.landings.iter().position(|landing| landing.commit == *to);
        let undone = self.landings.split_off(kept.map_or(0, |at| at + 1));
        self.tip = to.clone();
        for landing in &undone {
            // A task that has left the plan is not done again.
            let Some(at) = self.plan.index_of(&landing.task) else { continue };
            let before = self.tasks[at].stage.clone();
            if matches!(&before, TaskStage::Done { commit, .. } if *commit == landing.commit) {
                self.set(at, TaskStage::Idle);
                let history = self.tasks[at].history();
                self.tasks[at] = TaskState::default().with_history(history);
            }
        }
        let gone = |base: &CommitId| undone.iter().any(|landing| landing.commit == *base);
        for task in self.tasks.states_mut() {
            if task.steps.finished.iter().any(|step| gone(&step.base)) {
                task.steps.finished.clear();
            }
            if task.session.interrupted.as_ref().is_some_and(|left| gone(&left.ground.base)) {
                task.session.interrupted = None;
            }
            if task.contest.entries.iter().any(|entry| gone(&entry.work.ground.base)) {
                task.contest = ContestState::default();
            }
        }
        self.forget_later_measurements();
    }
}
