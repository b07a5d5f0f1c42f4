//! Hooks that fail: what was about to happen waits for a person, what has happened stays as it is (BE-11).

use crate::check::CheckPhase;
use crate::decide::Decider;
use crate::decide::attempt::verdict::AttemptCounts;
use crate::event::Event;
use crate::hook::{HookFailure, HookPoint};
use crate::outcome::DecisionOption;
use crate::plan::TaskIndex;
use crate::question::QuestionTopic;
use crate::rejection::Rejection;
use crate::run::{CheckActivity, MergeStage, TaskStage};

impl Decider<'_> {
    pub(in crate::decide) fn hook_failed(&mut self, failure: &HookFailure) {
        if !failure.point.is_before() {
            return self.record(Event::HookFailed { failure: failure.clone() });
        }
        let Some(attempt) = failure.attempt.as_ref() else { return };
        // It no longer runs, so this is a repeated report.
        if !self.run.runs_hook(failure.point, &attempt.task) {
            return;
        }
        // What it was to hold back may be over: a halt or a restart came first.
        let is_held_back = match (failure.point, self.stage_of(attempt)) {
            (HookPoint::BeforeAttempt, Some(TaskStage::Starting(_))) => true,
            (HookPoint::BeforeCheck, Some(TaskStage::Checking { round, .. })) => {
                round.phase == CheckPhase::Alone && round.activity == CheckActivity::Running
            }
            (HookPoint::BeforeMerge, Some(TaskStage::Merging { merge, .. })) => {
                matches!(merge, MergeStage::Building { .. })
            }
            _ => false,
        };
        if !is_held_back {
            return;
        }
        let at = self.index(&attempt.task);
        self.record(Event::HookFailed { failure: failure.clone() });
        self.ask_about_hook(at, failure);
    }

    fn ask_about_hook(&mut self, at: TaskIndex, failure: &HookFailure) {
        let action = failure.point.action();
        let options = vec![
            DecisionOption::new("retry", "run the hook again; if it succeeds, continue"),
            DecisionOption::new(
                "skip-hook",
                &format!("continue with {action}; this hook does not run for this task again"),
            ),
            DecisionOption::new("skip", "continue without the task"),
            DecisionOption::new("abort", "end the run here"),
        ];
        let text =
            format!("{}\n{action} of {} waits", failure.describe(), self.run.plan().task(at).id);
        self.ask(at, QuestionTopic::Hook(failure.point), text, options);
    }

    /// What a person answered about a hook that failed. Whether it runs again was recorded with the answer.
    pub(in crate::decide) fn hook_answered(&mut self, at: TaskIndex, answer: &str, reason: String) {
        if answer != "skip" {
            // An attempt that was not started yet is started by the scheduler, and a merge is in line again.
            return self.accept_held(at);
        }
        if let TaskStage::Held { .. } = self.run.task(at).stage {
            let message = "a hook held its work back".to_owned();
            self.reject(at, Rejection::Trouble { message }, AttemptCounts::No);
        }
        let task = self.run.plan().task(at).id.clone();
        self.record(Event::TaskSkipped { task, reason });
    }
}
