//! Comments on tasks, and which workers have them.

use crate::comment::{KeptComment, TaskComment};
use crate::ids::{AttemptId, TaskId};
use crate::run::task::{ActiveAttempt, TaskState};
use crate::run::{IllegalEvent, Run};

impl Run {
    pub(super) fn commented(
        &mut self,
        task: &TaskId,
        comment: &TaskComment,
        sent_to: Option<&AttemptId>,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(task)?;
        self.tasks[at].people.comments.push(KeptComment {
            comment: comment.clone(),
            sent_to: sent_to.map(|attempt| attempt.number),
            read_by: [].into(),
        });
        Ok(())
    }

    pub(super) fn comment_read(
        &mut self,
        attempt: &AttemptId,
        number: u32,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let comments = self.tasks[at].people.comments.iter_mut();
        for kept in comments.filter(|kept| kept.comment.number == number) {
            kept.read_by.insert(attempt.number);
        }
        Ok(())
    }
}

impl TaskState {
    /// The prompt of a fresh worker has every comment; a conversation that continues gets those that it does not know.
    pub(super) fn hand_over_comments(&mut self, work: &ActiveAttempt) {
        let known: Vec<u32> = match &work.resumes {
            Some(resumption) => self.conversation(resumption.of).collect(),
            None => Vec::new(),
        };
        for kept in &mut self.people.comments {
            if !known.iter().any(|number| kept.read_by.contains(number)) {
                kept.read_by.insert(work.attempt.number);
            }
        }
    }

    /// The worker never started, so its prompt was not read.
    pub(super) fn take_back_comments(&mut self, attempt: &AttemptId) {
        for kept in &mut self.people.comments {
            kept.read_by.remove(&attempt.number);
        }
    }
}
