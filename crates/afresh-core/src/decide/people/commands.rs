//! What a person does to a task without being asked.

use crate::comment::{self, CommentedPart, MAX_COMMENTS, TaskComment};
use crate::decide::Decider;
use crate::effect::Effect;
use crate::event::Event;
use crate::ids::{AttemptId, TaskId};
use crate::run::TaskStage;

impl Decider<'_> {
    pub(in crate::decide) fn skip(&mut self, task: &TaskId, reason: &str) {
        let Some(state) = self.run.state_of(task) else {
            return self.refuse(format!("there is no task {task}"));
        };
        match &state.stage {
            TaskStage::Idle | TaskStage::Failed { .. } | TaskStage::Waiting(_) => {
                self.withdraw_questions(task);
                self.record(Event::TaskSkipped { task: task.clone(), reason: reason.to_owned() });
            }
            TaskStage::Done { .. } | TaskStage::Settled { .. } => {
                self.refuse(format!("{task} is done"));
            }
            TaskStage::Skipped { .. } => self.refuse(format!("{task} is skipped already")),
            _ => self.refuse(format!("{task} is being worked on; halt the run first")),
        }
    }

    pub(in crate::decide) fn retry(&mut self, task: &TaskId) {
        let Some(state) = self.run.state_of(task) else {
            return self.refuse(format!("there is no task {task}"));
        };
        match &state.stage {
            TaskStage::Failed { .. } | TaskStage::Skipped { .. } | TaskStage::Waiting(_) => {
                self.withdraw_questions(task);
                self.record(Event::TaskRetried { task: task.clone() });
            }
            TaskStage::Done { .. } | TaskStage::Settled { .. } => {
                self.refuse(format!("{task} is done; nothing is merged twice"));
            }
            _ => self.refuse(format!("{task} has not failed")),
        }
    }

    /// Keeps the comment for the workers of the task, and sends it to the one that is at work.
    pub(in crate::decide) fn comment(
        &mut self,
        task: &TaskId,
        text: &str,
        by: &str,
        on: Option<&CommentedPart>,
    ) {
        let Some(state) = self.run.state_of(task) else {
            return self.refuse(format!("there is no task {task}"));
        };
        if self.run.is_ended_for_good() {
            return self.refuse("the run has been ended, so no worker would read it");
        }
        let text = match comment::check_text(text) {
            Ok(text) => text.to_owned(),
            Err(why) => return self.refuse(why.to_string()),
        };
        let earlier = &state.people.comments;
        if earlier.len() >= MAX_COMMENTS {
            return self.refuse(format!(
                "{task} has {MAX_COMMENTS} comments already; change its instructions in the plan"
            ));
        }
        let number = earlier.last().map_or(1, |last| last.comment.number + 1);
        let sent_to = match &state.stage {
            TaskStage::Starting(work) | TaskStage::Running(work) => Some(work.attempt.clone()),
            _ => None,
        };
        let on = on.cloned().map(CommentedPart::bounded);
        let comment = TaskComment { number, text, by: by.to_owned(), on };
        self.record(Event::TaskCommented {
            task: task.clone(),
            comment: comment.clone(),
            sent_to: sent_to.clone(),
        });
        if let Some(attempt) = sent_to {
            self.request(Effect::SendComment { attempt, comment });
        }
    }

    /// Recorded once for each worker, and only for a comment that exists.
    pub(in crate::decide) fn comment_read(&mut self, attempt: &AttemptId, number: u32) {
        if self.stage_of(attempt).is_none() {
            return;
        }
        let comments = &self.run.task(self.index(&attempt.task)).people.comments;
        let is_new = comments
            .iter()
            .any(|kept| kept.comment.number == number && !kept.read_by.contains(&attempt.number));
        if is_new {
            self.record(Event::CommentRead { attempt: attempt.clone(), comment: number });
        }
    }

    /// Lets the dependents of a skipped task continue without it.
    pub(in crate::decide) fn ignore(&mut self, task: &TaskId) {
        match self.run.state_of(task).map(|state| &state.stage) {
            None => self.refuse(format!("there is no task {task}")),
            Some(TaskStage::Skipped { ignored: true, .. }) => {
                self.refuse(format!("nothing waits for {task} any more"));
            }
            Some(TaskStage::Skipped { .. }) => {
                self.record(Event::NeedIgnored { task: task.clone() });
            }
            Some(_) => self.refuse(format!("{task} is not skipped; skip it first")),
        }
    }

    pub(in crate::decide) fn withdraw_questions(&mut self, task: &TaskId) {
        let open: Vec<_> = self.run.questions().filter(|q| q.task == *task).map(|q| q.id).collect();
        for question in open {
            let answer = "withdrawn".to_owned();
            self.record(Event::QuestionAnswered { question, answer, by: "command".to_owned() });
        }
    }
}
