//! Questions to a person, and what follows from an answer.

use crate::ids::{QuestionId, TaskId};
use crate::question::{Answered, CLARIFY, Question, Topic};
use crate::run::Run;
use crate::run::task::{Hold, Stage};

impl Run {
    pub(super) fn asked(&mut self, question: &Question) {
        let at = self.at(&question.task);
        self.next_question = question.id.0 + 1;
        self.questions.insert(question.id, question.clone());
        match (&question.topic, self.tasks[at].stage.clone()) {
            (
                Topic::Decision | Topic::Action | Topic::Timeout | Topic::Orphan | Topic::Start,
                _,
            ) => {
                self.set(at, Stage::Waiting(question.id));
            }
            (Topic::Failed, Stage::Failed { reason, .. }) => {
                self.set(at, Stage::Failed { reason, question: Some(question.id) });
            }
            (Topic::Trust(_), Stage::Judging(work, _, harvest)) => {
                self.set(at, Stage::Held(work, harvest, Some(question.id)));
            }
            (Topic::Branch(_), Stage::Merging(work, ..)) => {
                self.hold_move(&work.attempt, Some(Hold::Asked(question.id)));
            }
            _ => {}
        }
    }

    pub(super) fn answered(&mut self, id: QuestionId, answer: &str) {
        let Some(question) = self.questions.remove(&id) else { return };
        let at = self.at(&question.task);
        let decides = matches!(question.topic, Topic::Decision | Topic::Action);
        if let (Some(words), false) = (answer.strip_prefix(CLARIFY), decides) {
            let given = Answered { text: question.text.clone(), answer: words.trim().to_owned() };
            self.tasks[at].answers.push(given);
        }
        match self.tasks[at].stage.clone() {
            Stage::Waiting(open) if open == id => {
                // Putting it off, or taking it back, is nothing that a worker could act upon.
                let put_off = matches!(answer, "defer" | "skip" | "withdrawn");
                if decides && (!put_off || question.is_for_who_asked(answer)) {
                    // A key alone would mean nothing to a worker that never saw the options.
                    let chosen = question.options.iter().find(|option| option.key == answer);
                    let answer = match chosen {
                        Some(option) if !option.description.is_empty() => {
                            format!("{answer}: {}", option.description)
                        }
                        _ => answer.to_owned(),
                    };
                    let given = Answered { text: question.text, answer };
                    self.tasks[at].answers.push(given);
                }
                self.tasks[at].waits_for.clear();
                self.tasks[at].allowed |= question.topic == Topic::Start && answer != "withdrawn";
                self.set(at, Stage::Idle);
            }
            Stage::Failed { reason, .. } => self.set(at, Stage::Failed { reason, question: None }),
            Stage::Held(work, harvest, _) => self.set(at, Stage::Held(work, harvest, None)),
            Stage::Merging(work, ..) => self.hold_move(&work.attempt, None),
            _ => {}
        }
    }

    pub(super) fn need_ignored(&mut self, task: &TaskId) {
        let at = self.at(task);
        if let Stage::Skipped { reason, .. } = self.tasks[at].stage.clone() {
            self.set(at, Stage::Skipped { reason, ignored: true });
        }
    }

    pub(super) fn retried(&mut self, task: &TaskId) {
        let at = self.at(task);
        let epoch = self.epoch;
        let state = &mut self.tasks[at];
        state.counted = 0;
        state.spawn_failures = 0;
        state.deaths = 0;
        (state.model_failures, state.model_waits) = (0, 0);
        state.not_before = None;
        state.retried_in = Some(epoch);
        state.retried_after = state.attempts;
        self.set(at, Stage::Idle);
    }
}
