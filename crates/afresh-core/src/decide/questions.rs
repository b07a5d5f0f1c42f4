//! The person in the loop: what is asked, and what an answer does.

use super::Turn;
use crate::event::{Event, Rejection};
use crate::ids::{CommitId, QuestionId, TaskId};
use crate::outcome::{Action, Choice, Decision};
use crate::question::{Question, Topic};
use crate::run::Stage;
use crate::settings::{OnDecision, TimeoutAction};

impl Turn<'_> {
    fn ask(&mut self, at: usize, topic: Topic, text: String, options: Vec<Choice>) {
        let task = self.run.plan().task(at).id.clone();
        let id = self.run.next_question();
        self.record(Event::QuestionAsked { question: Question { id, task, topic, text, options } });
    }

    pub(super) fn ask_decision(&mut self, at: usize, decision: &Decision) {
        self.reject(at, Rejection::Asked, false);
        let mut text = decision.question.clone();
        for part in [&decision.blocked_at, &decision.context] {
            if !part.is_empty() {
                text = format!("{text}\n{part}");
            }
        }
        let mut options = decision.options.clone();
        if !options.iter().any(|option| option.key == "defer") {
            options.push(Choice::new("defer", "skip the task and note the question"));
        }
        self.ask(at, Topic::Decision, text, options);
        self.settle_waiting(at);
    }

    pub(super) fn ask_action(&mut self, at: usize, action: &Action) {
        self.reject(at, Rejection::Asked, false);
        let mut text = action.needed.clone();
        for (number, instruction) in action.instructions.iter().enumerate() {
            text = format!("{text}\n{}. {instruction}", number + 1);
        }
        let options =
            vec![Choice::new("done", "it is done; go on"), Choice::new("defer", "skip the task")];
        self.ask(at, Topic::Action, text, options);
        self.settle_waiting(at);
    }

    pub(super) fn ask_about_failure(&mut self, at: usize, reason: &str) {
        self.ask_retry_skip_abort(at, Topic::Failed, reason);
    }

    pub(super) fn ask_retry_skip_abort(&mut self, at: usize, topic: Topic, reason: &str) {
        let state = self.run.task(at);
        let id = &self.run.plan().task(at).id;
        let mut text = match state.counted {
            0 => format!("task {id} failed: {reason}"),
            1 => format!("task {id} failed after 1 attempt: {reason}"),
            count => format!("task {id} failed after {count} attempts: {reason}"),
        };
        if state.timeouts >= 2 {
            text.push_str("\nIt ran out of time twice: consider splitting it.");
        }
        let options = vec![
            Choice::new("retry", "try again with fresh workers"),
            Choice::new("skip", "go on without it; what depends on it is blocked"),
            Choice::new("abort", "end the run here"),
        ];
        self.ask(at, topic, text, options);
    }

    pub(super) fn ask_about_trust(&mut self, at: usize, paths: Vec<String>) {
        let id = &self.run.plan().task(at).id;
        let text = format!(
            "task {id} changed files that hand trust to other programs: {}",
            paths.join(", ")
        );
        let options = vec![
            Choice::new("accept", "take the change; checks are next"),
            Choice::new("reject", "a fresh worker tries again without it"),
            Choice::new("skip", "go on without the task"),
        ];
        self.ask(at, Topic::Trust(paths), text, options);
    }

    pub(super) fn ask_about_branch(&mut self, at: usize, foreign: &CommitId) {
        let branch = self.run.branch();
        let text = format!(
            "somebody else moved {branch} to {foreign}; nothing can land there until it is back"
        );
        let options = vec![
            Choice::new(
                "restore",
                "move it back; the other commit is kept under refs/afresh/salvage",
            ),
            Choice::new("retry", "look again: it was put back by hand"),
            Choice::new("abort", "end the run here"),
        ];
        self.ask(at, Topic::Branch(foreign.clone()), text, options);
    }

    /// A policy answers in the person's place.
    pub(super) fn by_policy(
        &mut self,
        question: Option<QuestionId>,
        answer: &str,
        then: impl FnOnce(&mut Self),
    ) {
        if let Some(question) = question {
            self.record(Event::QuestionAnswered {
                question,
                answer: answer.to_owned(),
                by: "policy".to_owned(),
            });
        }
        then(self);
    }

    /// Lets the policy answer a waiting task's question, if there is one for its kind.
    pub(super) fn settle_waiting(&mut self, at: usize) {
        let Stage::Waiting(id) = self.run.task(at).stage else { return };
        let Some(question) = self.run.question(id).cloned() else { return };
        let settings = self.run.settings();
        // A worker that asks again and again would be answered, and paid, for ever.
        let asked_enough = self.run.task(at).answers.len() >= settings.attempts as usize;
        let answer = match (&question.topic, settings.on_decision, settings.timeout_action) {
            (Topic::Decision, OnDecision::First, _) if asked_enough => return,
            (Topic::Decision, OnDecision::First, _) => {
                question.options.first().map_or("defer".to_owned(), |option| option.key.clone())
            }
            (Topic::Decision | Topic::Action, OnDecision::Defer, _) => "defer".to_owned(),
            (Topic::Decision | Topic::Action, OnDecision::Abort, _) => "abort".to_owned(),
            (Topic::Timeout, _, TimeoutAction::Retry) => "retry".to_owned(),
            (Topic::Timeout, _, TimeoutAction::Skip) => "skip".to_owned(),
            _ => return,
        };
        self.give_answer(&question, &answer, "policy");
    }

    pub(super) fn answered(&mut self, id: QuestionId, answer: &str, by: &str) {
        let Some(question) = self.run.question(id).cloned() else {
            return self.refuse(format!("there is no open question {id}"));
        };
        let known = question.options.iter().any(|option| option.key == answer) || answer == "abort";
        // A worker's question may be answered in free words.
        if !known && question.topic != Topic::Decision {
            let keys: Vec<&str> =
                question.options.iter().map(|option| option.key.as_str()).collect();
            return self.refuse(format!("{id} takes one of: {}", keys.join(", ")));
        }
        self.give_answer(&question, answer, by);
    }

    fn give_answer(&mut self, question: &Question, answer: &str, by: &str) {
        // Ending the run answers nothing: the question waits for the next start.
        if answer == "abort" {
            return self.abort(format!("{by} ended the run at {}", question.id));
        }
        self.record(Event::QuestionAnswered {
            question: question.id,
            answer: answer.to_owned(),
            by: by.to_owned(),
        });
        let task = question.task.clone();
        let at = self.position(&task);
        let reason = || format!("{answer} was answered to {}", question.id);
        match (&question.topic, answer) {
            (Topic::Decision | Topic::Action, "defer" | "skip") | (Topic::Timeout, "skip") => {
                self.record(Event::TaskSkipped { task, reason: reason() });
            }
            (Topic::Failed, "skip") => {
                let reason = match &self.run.task(at).stage {
                    Stage::Failed { reason, .. } => reason.clone(),
                    _ => reason(),
                };
                self.record(Event::TaskSkipped { task, reason });
            }
            (Topic::Failed | Topic::Timeout, "retry") => self.record(Event::TaskRetried { task }),
            (Topic::Trust(_), "accept") => self.accept_held(at),
            (Topic::Trust(paths), "skip") => {
                self.reject(at, Rejection::Refused { paths: paths.clone() }, false);
                self.record(Event::TaskSkipped { task, reason: reason() });
            }
            (Topic::Trust(paths), _) => {
                self.reject(at, Rejection::Refused { paths: paths.clone() }, true);
            }
            (Topic::Branch(foreign), "restore") => {
                let foreign = foreign.clone();
                if let Some(attempt) = self.run.task(at).attempt().cloned() {
                    self.record(Event::BranchRestoreAllowed { attempt, foreign });
                }
                self.resume_merge(at);
            }
            (Topic::Branch(_), _) => self.resume_merge(at),
            _ => {}
        }
    }

    pub(super) fn skip(&mut self, task: &TaskId, reason: &str) {
        let Some(state) = self.run.state_of(task) else {
            return self.refuse(format!("there is no task {task}"));
        };
        match &state.stage {
            Stage::Idle | Stage::Failed { .. } | Stage::Waiting(_) => {
                self.withdraw_questions(task);
                self.record(Event::TaskSkipped { task: task.clone(), reason: reason.to_owned() });
            }
            Stage::Done { .. } => self.refuse(format!("{task} is done")),
            Stage::Skipped { .. } => self.refuse(format!("{task} is skipped already")),
            _ => self.refuse(format!("{task} is being worked on; halt the run first")),
        }
    }

    pub(super) fn retry(&mut self, task: &TaskId) {
        let Some(state) = self.run.state_of(task) else {
            return self.refuse(format!("there is no task {task}"));
        };
        match &state.stage {
            Stage::Failed { .. } | Stage::Skipped { .. } | Stage::Waiting(_) => {
                self.withdraw_questions(task);
                self.record(Event::TaskRetried { task: task.clone() });
            }
            Stage::Done { .. } => self.refuse(format!("{task} is done; nothing is merged twice")),
            _ => self.refuse(format!("{task} has not failed")),
        }
    }

    fn withdraw_questions(&mut self, task: &TaskId) {
        let open: Vec<_> = self.run.questions().filter(|q| q.task == *task).map(|q| q.id).collect();
        for question in open {
            let answer = "withdrawn".to_owned();
            self.record(Event::QuestionAnswered { question, answer, by: "command".to_owned() });
        }
    }
}
