//! A comment on a task is kept until the end of the run, and recorded as read once (BE-12).

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Run;
use afresh_core::event::Event;
use afresh_core::hook::HookPoint;
use afresh_core::ids::{AttemptId, TaskId};

/// What the journal says about comments, counted without the core.
#[derive(Debug, Default)]
pub(super) struct CommentInvariants {
    numbers: BTreeMap<TaskId, Vec<u32>>,
    read: BTreeSet<(AttemptId, u32)>,
    /// Attempts whose worker never started.
    unstarted: BTreeSet<AttemptId>,
}

impl CommentInvariants {
    pub(super) fn note(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::TaskCommented { task, comment, .. } => {
                let numbers = self.numbers.entry(task.clone()).or_default();
                if numbers.contains(&comment.number) {
                    return Err(format!("BE-12: {task} has two comments {}", comment.number));
                }
                numbers.push(comment.number);
            }
            Event::CommentRead { attempt, comment } => {
                let exists =
                    self.numbers.get(&attempt.task).is_some_and(|them| them.contains(comment));
                if !exists || !self.read.insert((attempt.clone(), *comment)) {
                    return Err(format!("BE-12: {attempt} read comment {comment} again, or none"));
                }
            }
            Event::SpawnFailed { attempt, .. } => drop(self.unstarted.insert(attempt.clone())),
            Event::HookFailed { failure } if failure.point == HookPoint::BeforeAttempt => {
                self.unstarted.extend(failure.attempt.clone());
            }
            _ => {}
        }
        Ok(())
    }

    /// Neither a rewind nor another plan nor a crash loses one, and no worker that never started has read one.
    pub(super) fn check_kept(&self, run: &Run) -> Result<(), String> {
        for (task, numbers) in &self.numbers {
            let Some(state) = run.state_of(task) else { continue };
            let kept = state.people.comments.iter().map(|it| it.comment.number);
            if !kept.eq(numbers.iter().copied()) {
                return Err(format!("BE-12: comments on {task} are lost"));
            }
            let read = state.people.comments.iter().flat_map(|it| &it.read_by);
            for number in read {
                let attempt = AttemptId { task: task.clone(), number: *number };
                if self.unstarted.contains(&attempt) {
                    return Err(format!("BE-12: {attempt} never started and has read a comment"));
                }
            }
        }
        Ok(())
    }
}
