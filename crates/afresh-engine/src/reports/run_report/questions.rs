//! What was asked of people, and what they decided.

use std::collections::BTreeMap;

use afresh_core::ids::{QuestionId, TaskId};
use afresh_core::outcome::DecisionOption;
use afresh_core::{Event, Run};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct QuestionReport {
    pub id: String,
    pub task: TaskId,
    pub kind: &'static str,
    pub text: String,
    pub options: Vec<DecisionOption>,
    pub asked_at: String,
    pub answer: Option<String>,
    /// Who answered: a person, or the policy that was set.
    pub by: Option<String>,
    pub answered_at: Option<String>,
    /// Whether it still waits. A question that has no answer and does not wait was settled by another event.
    pub open: bool,
}

/// The questions, updated with each event.
#[derive(Debug)]
pub(super) struct QuestionHistory {
    seen: BTreeMap<QuestionId, QuestionReport>,
    moment: fn(i64) -> String,
}

impl QuestionHistory {
    pub(super) fn new(moment: fn(i64) -> String) -> Self {
        Self { seen: BTreeMap::new(), moment }
    }

    pub(super) fn note_event(&mut self, event: &Event, wall_ms: i64) {
        match event {
            Event::QuestionAsked { question } => {
                let told = QuestionReport {
                    id: question.id.to_string(),
                    task: question.task.clone(),
                    kind: question.topic.kind(),
                    text: question.text.clone(),
                    options: question.options.clone(),
                    asked_at: (self.moment)(wall_ms),
                    answer: None,
                    by: None,
                    answered_at: None,
                    open: false,
                };
                self.seen.insert(question.id, told);
            }
            Event::QuestionAnswered { question, answer, by } => {
                if let Some(told) = self.seen.get_mut(question) {
                    told.answer = Some(answer.clone());
                    told.by = Some(by.clone());
                    told.answered_at = Some((self.moment)(wall_ms));
                }
            }
            _ => {}
        }
    }

    pub(super) fn settled(mut self, run: &Run) -> Vec<QuestionReport> {
        for question in run.questions() {
            if let Some(told) = self.seen.get_mut(&question.id) {
                told.open = true;
            }
        }
        self.seen.into_values().collect()
    }
}
