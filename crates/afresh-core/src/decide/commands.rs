//! What a person does to a task without being asked.

use super::Decider;
use crate::event::Event;
use crate::ids::TaskId;
use crate::run::TaskStage;

impl Decider<'_> {
    pub(super) fn skip(&mut self, task: &TaskId, reason: &str) {
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

    pub(super) fn retry(&mut self, task: &TaskId) {
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

    /// Lets the dependents of a skipped task continue without it.
    pub(super) fn ignore(&mut self, task: &TaskId) {
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

    pub(super) fn withdraw_questions(&mut self, task: &TaskId) {
        let open: Vec<_> = self.run.questions().filter(|q| q.task == *task).map(|q| q.id).collect();
        for question in open {
            let answer = "withdrawn".to_owned();
            self.record(Event::QuestionAnswered { question, answer, by: "command".to_owned() });
        }
    }
}
