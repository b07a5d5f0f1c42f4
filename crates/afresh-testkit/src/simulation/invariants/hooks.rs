//! A hook that fails before an action holds that one action back until a person answers (BE-11).

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::event::Event;
use afresh_core::hook::HookPoint;
use afresh_core::ids::{QuestionId, TaskId};
use afresh_core::plan::Plan;
use afresh_core::question::QuestionTopic;

/// What is held back, counted without the core.
#[derive(Debug, Default)]
pub(super) struct HookInvariants {
    /// Actions that wait, and the question about each.
    held: BTreeMap<TaskId, (HookPoint, Option<QuestionId>)>,
    /// Hooks that do not run again for a task, because a person said so.
    skipped: BTreeSet<(TaskId, HookPoint)>,
}

impl HookInvariants {
    pub(super) fn note(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::HookFailed { failure } if failure.point.is_before() => {
                let Some(attempt) = &failure.attempt else { return Ok(()) };
                let key = (attempt.task.clone(), failure.point);
                if self.skipped.contains(&key) {
                    let point = failure.point.word();
                    return Err(format!("BE-11: {point} of {attempt} was to be skipped"));
                }
                self.held.insert(attempt.task.clone(), (failure.point, None));
            }
            Event::QuestionAsked { question } => {
                if let (Some((point, id)), QuestionTopic::Hook(asked)) =
                    (self.held.get_mut(&question.task), &question.topic)
                    && point == asked
                {
                    *id = Some(question.id);
                }
            }
            Event::QuestionAnswered { question, answer, .. } => self.answered(*question, answer),
            Event::Rewound { .. } => self.skipped.clear(),
            // Whatever goes on with the task.
            Event::AttemptStarting { attempt, .. }
            | Event::AttemptAccepted { attempt, .. }
            | Event::ChecksPassed { attempt, .. }
            | Event::ContestEntered { attempt, .. }
            | Event::ReviewRequested { attempt }
            | Event::MergeStarted { attempt, .. }
            | Event::MergeBuilt { attempt, .. }
            | Event::LandIntended { attempt, .. }
            | Event::Merged { attempt, .. } => {
                if let Some((point, _)) = self.held.get(&attempt.task) {
                    let point = point.word();
                    return Err(format!("BE-11: {attempt} goes on, and {point} held it back"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A changed task starts again, and what was asked about it is dropped.
    pub(super) fn note_plan_change(&mut self, before: &Plan, after: &Plan) {
        self.skipped.clear();
        for task in before.tasks() {
            if after.index_of(&task.id).is_none_or(|at| !after.task(at).is_same_work_as(task)) {
                self.held.remove(&task.id);
            }
        }
    }

    fn answered(&mut self, id: QuestionId, answer: &str) {
        let about = |held: &(HookPoint, Option<QuestionId>)| held.1 == Some(id);
        let found = self.held.iter().find(|(_, held)| about(held));
        let Some((task, (point, _))) = found.map(|(task, held)| (task.clone(), *held)) else {
            return;
        };
        self.held.remove(&task);
        if answer == "skip-hook" {
            self.skipped.insert((task, point));
        }
    }

    /// What is held back has an open question.
    pub(super) fn check_asked(&self, run: &Run) -> Result<(), String> {
        let is_open = |id: QuestionId| run.question(id).is_some();
        match self.held.iter().find(|(_, (_, id))| !id.is_some_and(is_open)) {
            Some((task, (point, _))) => {
                let point = point.word();
                Err(format!("BE-11: {point} holds {task} back, and nobody is asked"))
            }
            None => Ok(()),
        }
    }
}
