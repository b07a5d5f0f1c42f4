//! A worker that cannot continue before something else is done (RE-04).
//!
//! If it names an unfinished task, its own task waits for that one. For any other obstacle, a person is asked.

use crate::plan::TaskIndex;
use std::collections::BTreeSet;

use super::Decider;
use super::verdict::AttemptCounts;
use crate::outcome::{ActionRequest, BlockedOutcome};
use crate::rejection::Rejection;
use crate::run::TaskStage;

impl Decider<'_> {
    pub(in crate::decide) fn blocked(&mut self, at: TaskIndex, blocked: &BlockedOutcome) {
        let waited_for = self.worth_waiting_for(at, blocked);
        let by = waited_for.iter().map(|other| self.run.plan().task(*other).id.clone()).collect();
        let reason = Rejection::Blocked { reason: blocked.reason.clone(), by };
        self.reject(at, reason, AttemptCounts::No);
        if waited_for.is_empty() {
            self.ask_to_unblock(at, &blocked.reason);
        }
    }

    /// The blocking task was given up meanwhile, and will not be done by itself.
    pub(in crate::decide) fn ask_about_unreachable_tasks(&mut self) {
        let ready: Vec<TaskIndex> = self.run.frontier().ready().collect();
        let held_up = ready.into_iter().filter(|at| self.run.held_up_by(*at).next().is_some());
        let held_up: Vec<TaskIndex> = held_up.collect();
        if held_up.is_empty() {
            return;
        }
        let blocked = self.run.blocked();
        for at in held_up {
            let given_up = self.run.held_up_by(at).find(|id| {
                let other = self.index(id);
                matches!(self.run.task(other).stage, TaskStage::Skipped { .. })
                    || blocked.contains_key(&other)
            });
            if let Some(id) = given_up {
                let reason = format!("it waits for {id}, which will not be done");
                self.ask_to_unblock(at, &reason);
            }
        }
    }

    fn ask_to_unblock(&mut self, at: TaskIndex, reason: &str) {
        let id = &self.run.plan().task(at).id;
        let needed = format!("task {id} is blocked: {reason}");
        self.ask_for_action(at, &ActionRequest { needed, ..ActionRequest::default() });
    }

    /// The named tasks that will be done by themselves, without waiting for this one.
    fn worth_waiting_for(&self, at: TaskIndex, blocked: &BlockedOutcome) -> Vec<TaskIndex> {
        // If only one task is to run, no other task will be done.
        if self.run.settings().only.is_some() {
            return Vec::new();
        }
        let given_up = self.run.blocked();
        let will_be_done = |other: &TaskIndex| {
            let stage = &self.run.task(*other).stage;
            !stage_is_over(stage) && !given_up.contains_key(other) && !self.waits_for(*other, at)
        };
        self.named_by(blocked).into_iter().filter(will_be_done).collect()
    }

    fn named_by(&self, blocked: &BlockedOutcome) -> BTreeSet<TaskIndex> {
        let plan = self.run.plan();
        let position = |name: &str| {
            let at = crate::ids::TaskId::new(name).ok().and_then(|id| plan.index_of(&id));
            at.or_else(|| plan.indices().find(|at| plan.task(*at).title == name))
        };
        let told = blocked.by.iter().filter_map(|name| position(name.trim()));
        let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        let words = blocked.reason.split(|c: char| !part(c)).map(|word| word.trim_matches('.'));
        // A number in a sentence is rarely a task.
        let unmistakable = words.filter(|word| {
            word.contains(|c: char| c.is_ascii_digit()) && word.contains(char::is_alphabetic)
        });
        let in_passing = unmistakable.filter_map(|word| {
            crate::ids::TaskId::new(word).ok().and_then(|id| plan.index_of(&id))
        });
        told.chain(in_passing).collect()
    }

    /// Whether `other` must wait for `at`, however indirectly.
    fn waits_for(&self, other: TaskIndex, at: TaskIndex) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![other];
        while let Some(next) = open.pop() {
            if next == at {
                return true;
            }
            if self.run.task(next).is_finished() || !seen.insert(next) {
                continue;
            }
            open.extend(self.run.plan().needs(next));
            open.extend(self.run.held_up_by(next).map(|id| self.index(id)));
        }
        false
    }
}

/// Done, or given up unless a person asks for it again.
fn stage_is_over(stage: &TaskStage) -> bool {
    matches!(
        stage,
        TaskStage::Done { .. }
            | TaskStage::Settled { .. }
            | TaskStage::Skipped { .. }
            | TaskStage::Failed { .. }
    )
}
