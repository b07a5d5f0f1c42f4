//! Questions to a person, and their answers.

use crate::hook::HookPoint;
use crate::ids::{QuestionId, TaskId};
use crate::question::{AnsweredQuestion, CLARIFY, Question, QuestionTopic};
use crate::run::task::{ContestState, LandHold, ReviewActivity, TaskStage};
use crate::run::{IllegalEvent, Run};

impl Run {
    pub(super) fn asked(&mut self, question: &Question) -> Result<(), IllegalEvent> {
        let at = self.index(&question.task)?;
        self.next_question = question.id.0 + 1;
        self.questions.insert(question.id, question.clone());
        match (&question.topic, self.tasks[at].stage.clone()) {
            (
                QuestionTopic::Decision
                | QuestionTopic::Action
                | QuestionTopic::Timeout
                | QuestionTopic::Orphan
                | QuestionTopic::Start
                | QuestionTopic::Obstacle(_)
                | QuestionTopic::Base
                | QuestionTopic::Hook(HookPoint::BeforeAttempt),
                _,
            ) => {
                self.set(at, TaskStage::Waiting(question.id));
            }
            (QuestionTopic::Failed, TaskStage::Failed { reason, .. }) => {
                self.set(at, TaskStage::Failed { reason, question: Some(question.id) });
            }
            (QuestionTopic::Trust(_), TaskStage::Judging { work, harvest, .. }) => {
                let question = Some(question.id);
                self.set(at, TaskStage::Held { work, harvest, passed: None, question });
            }
            (QuestionTopic::Hook(_), TaskStage::Held { work, harvest, passed, .. }) => {
                let question = Some(question.id);
                self.set(at, TaskStage::Held { work, harvest, passed, question });
            }
            (QuestionTopic::Review, TaskStage::Reviewing { work, .. }) => {
                self.set_review(&work.attempt, ReviewActivity::Asked(question.id))?;
            }
            (QuestionTopic::Branch(_), TaskStage::Merging { work, .. }) => {
                self.hold_move(&work.attempt, Some(LandHold::Asked(question.id)))?;
            }
            _ => return Err(self.wrong_stage(at)),
        }
        Ok(())
    }

    pub(super) fn answered(&mut self, id: QuestionId, answer: &str) -> Result<(), IllegalEvent> {
        let Some(question) = self.questions.remove(&id) else {
            return Err(IllegalEvent::UnknownQuestion(id));
        };
        let at = self.index(&question.task)?;
        let decides = matches!(question.topic, QuestionTopic::Decision | QuestionTopic::Action);
        if let (Some(words), false) = (answer.strip_prefix(CLARIFY), decides) {
            let given =
                AnsweredQuestion { text: question.text.clone(), answer: words.trim().to_owned() };
            self.tasks[at].people.answers.push(given);
        }
        if let (QuestionTopic::Hook(point), "skip-hook") = (&question.topic, answer) {
            self.tasks[at].people.skipped_hooks.insert(*point);
        }
        let is_base = question.topic == QuestionTopic::Base;
        let obstacle = match &question.topic {
            QuestionTopic::Obstacle(scope) => Some(scope.clone()),
            _ => None,
        };
        match self.tasks[at].stage.clone() {
            TaskStage::Waiting(open) if open == id => {
                // A deferred or withdrawn question has no answer that a worker could use.
                let put_off = matches!(answer, "defer" | "skip" | "withdrawn");
                if decides && (!put_off || question.is_for_who_asked(answer)) {
                    // The next worker never saw the options, so a key alone would mean nothing.
                    let chosen = question.options.iter().find(|option| option.key == answer);
                    let answer = match chosen {
                        Some(option) if !option.description.is_empty() => {
                            format!("{answer}: {}", option.description)
                        }
                        _ => answer.to_owned(),
                    };
                    let given = AnsweredQuestion { text: question.text, answer };
                    self.tasks[at].people.answers.push(given);
                }
                self.tasks[at].people.waits_for.clear();
                self.tasks[at].people.allowed |=
                    question.topic == QuestionTopic::Start && answer != "withdrawn";
                self.set(at, TaskStage::Idle);
            }
            TaskStage::Failed { reason, .. } => {
                self.set(at, TaskStage::Failed { reason, question: None });
            }
            TaskStage::Held { .. } => self.held_answered(at, answer),
            TaskStage::Reviewing { work, .. } => {
                self.tasks[at].retries.reviews_rejected = 0;
                self.set_review(&work.attempt, ReviewActivity::Waiting)?;
            }
            TaskStage::Merging { work, .. } => self.hold_move(&work.attempt, None)?,
            _ => {}
        }
        if let Some(scope) = obstacle {
            self.obstacle_removed(&scope);
        }
        if is_base && answer == "continue" {
            self.base_accepted();
        }
        Ok(())
    }

    pub(super) fn need_ignored(&mut self, task: &TaskId) -> Result<(), IllegalEvent> {
        let at = self.index(task)?;
        let TaskStage::Skipped { reason, .. } = self.tasks[at].stage.clone() else {
            return Err(self.wrong_stage(at));
        };
        self.set(at, TaskStage::Skipped { reason, ignored: true });
        Ok(())
    }

    pub(super) fn retried(&mut self, task: &TaskId) -> Result<(), IllegalEvent> {
        let at = self.index(task)?;
        let epoch = self.epoch;
        let state = &mut self.tasks[at];
        state.contest = ContestState::default();
        state.retries.counted = 0;
        state.retries.spawn_failures = 0;
        state.retries.deaths = 0;
        (state.retries.failure, state.retries.same_failures) = (None, 0);
        state.retries.reviews_rejected = 0;
        (state.model_health.failures, state.model_health.waits) = (0, 0);
        state.retries.not_before = None;
        state.retries.retried_in = Some(epoch);
        state.retries.retried_after = state.retries.last_number;
        self.set(at, TaskStage::Idle);
        Ok(())
    }
}
