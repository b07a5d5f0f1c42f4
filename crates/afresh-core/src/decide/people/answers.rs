//! The person in the loop: what an answer does, a person's or a policy's.

use crate::decide::Decider;
use crate::decide::attempt::verdict::AttemptCounts;
use crate::event::Event;
use crate::ids::{QuestionId, TaskId};
use crate::plan::TaskIndex;
use crate::question::{APPROVED, Question, QuestionTopic, REJECTED};
use crate::rejection::Rejection;
use crate::run::TaskStage;
use crate::run::settings::{OnDecision, OnOrphan, Settings, TimeoutAction};

impl Decider<'_> {
    /// A policy answers in place of a person.
    pub(in crate::decide) fn answer_by_policy(
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

    /// Lets the policy answer a waiting task's question, if there is a policy for its kind.
    pub(in crate::decide) fn apply_question_policy(&mut self, at: TaskIndex) {
        let TaskStage::Waiting(id) = self.run.task(at).stage else { return };
        let Some(question) = self.run.question(id).cloned() else { return };
        let settings = self.run.settings();
        // A worker that keeps asking would be answered, and paid for, forever.
        let asked_enough = self.run.task(at).people.answers.len() >= settings.attempts as usize;
        let answer = match (&question.topic, settings.on_decision, settings.timeout_action) {
            (QuestionTopic::Decision, OnDecision::First, _) if asked_enough => return,
            (QuestionTopic::Decision, OnDecision::First, _) => {
                question.options.first().map_or("defer".to_owned(), |option| option.key.clone())
            }
            (QuestionTopic::Decision | QuestionTopic::Action, OnDecision::Defer, _) => {
                "defer".to_owned()
            }
            (QuestionTopic::Decision | QuestionTopic::Action, OnDecision::Abort, _) => {
                return self.abort_at(&question, "policy");
            }
            // The user wanted to be asked before every task, and no longer does.
            (QuestionTopic::Start, ..) if !settings.interactive => "start".to_owned(),
            (QuestionTopic::Orphan, ..) => match settings.on_orphan {
                OnOrphan::Ask => return,
                policy => policy.word().to_owned(),
            },
            (QuestionTopic::Timeout, _, TimeoutAction::Retry) => "retry".to_owned(),
            (QuestionTopic::Timeout, _, TimeoutAction::Skip) => "skip".to_owned(),
            _ => return,
        };
        self.give_answer(&question, &answer, "policy");
    }

    pub(in crate::decide) fn answered(&mut self, id: QuestionId, answer: &str, by: &str) {
        let Some(question) = self.run.question(id).cloned() else {
            return self.refuse(format!("there is no open question {id}"));
        };
        match question.interpret(answer) {
            Ok(answer) => self.give_answer(&question, &answer, by),
            Err(refusal) => self.refuse(refusal.to_string()),
        }
    }

    fn give_answer(&mut self, question: &Question, answer: &str, by: &str) {
        let is_theirs = question.is_for_who_asked(answer);
        if answer == "abort" && !is_theirs {
            return self.abort_at(question, by);
        }
        let reason = self.skip_reason(question, answer);
        self.record(Event::QuestionAnswered {
            question: question.id,
            answer: answer.to_owned(),
            by: by.to_owned(),
        });
        let task = question.task.clone();
        let at = self.index(&task);
        match (&question.topic, answer) {
            (QuestionTopic::Decision, other)
                if self.is_verification(at) && !matches!(other, APPROVED | "defer") =>
            {
                let first = question.text.lines().next().unwrap_or_default();
                let why = if other == REJECTED { String::new() } else { format!(": {other}") };
                let reason = format!("rejected by {by}: {first}{why}");
                self.record(Event::TaskSkipped { task, reason });
            }
            _ if is_theirs => {}
            (QuestionTopic::Decision | QuestionTopic::Action, "defer" | "skip")
            | (QuestionTopic::Start | QuestionTopic::Obstacle(_), "skip") => {
                self.record(Event::TaskSkipped { task, reason });
            }
            (QuestionTopic::Base, answer) => self.base_answered(answer, by),
            (QuestionTopic::Start, "all") => {
                let settings = Settings { interactive: false, ..self.run.settings().clone() };
                self.record(Event::SettingsChanged { settings: Box::new(settings) });
            }
            (QuestionTopic::Failed | QuestionTopic::Timeout | QuestionTopic::Orphan, _) => {
                self.apply_failure_answer(at, answer, reason);
            }
            (QuestionTopic::Hook(_), answer) => self.hook_answered(at, answer, reason),
            (QuestionTopic::Trust(_), "accept") => self.accept_held(at),
            (QuestionTopic::Trust(paths), "skip") => {
                self.reject(at, Rejection::Refused { paths: paths.clone() }, AttemptCounts::No);
                self.record(Event::TaskSkipped { task, reason });
            }
            (QuestionTopic::Trust(paths), _) => {
                self.reject(at, Rejection::Refused { paths: paths.clone() }, AttemptCounts::Yes);
            }
            (QuestionTopic::Review, answer) => self.review_answered(question, answer, by),
            (QuestionTopic::Branch(foreign), "restore") => {
                let foreign = foreign.clone();
                if let Some(attempt) = self.run.task(at).attempt().cloned() {
                    self.record(Event::BranchRestoreAllowed { attempt, foreign });
                }
                self.request_move();
            }
            (QuestionTopic::Branch(_), _) => self.request_move(),
            _ => {}
        }
    }

    /// Ending the run does not answer the question: it waits for the next start.
    fn abort_at(&mut self, question: &Question, by: &str) {
        self.abort(format!("run stopped by {by} at {}", question.id));
    }

    /// Why a task will be skipped, if the answer means that.
    fn skip_reason(&self, question: &Question, answer: &str) -> String {
        let first = question.text.lines().next().unwrap_or_default();
        match (&question.topic, self.run.state_of(&question.task).map(|state| &state.stage)) {
            (_, Some(TaskStage::Failed { reason, .. })) => reason.clone(),
            (QuestionTopic::Decision | QuestionTopic::Action, _) => format!("deferred: {first}"),
            (
                QuestionTopic::Timeout
                | QuestionTopic::Orphan
                | QuestionTopic::Obstacle(_)
                | QuestionTopic::Hook(_),
                _,
            ) => first.to_owned(),
            _ => format!("{answer} was answered to {}", question.id),
        }
    }

    /// A person's answer about a task whose attempts failed.
    fn apply_failure_answer(&mut self, at: TaskIndex, answer: &str, reason: String) {
        let task = self.run.plan().task(at).id.clone();
        match answer {
            "skip" => self.record(Event::TaskSkipped { task, reason }),
            "ignore" => {
                self.record(Event::TaskSkipped { task: task.clone(), reason });
                self.record(Event::NeedIgnored { task });
            }
            "cascade" => {
                let waiting = self.transitive_dependents(at);
                self.record(Event::TaskSkipped { task: task.clone(), reason });
                for other in waiting {
                    self.skip_with(other, &task);
                }
            }
            _ => self.record(Event::TaskRetried { task }),
        }
    }

    /// Skips the tasks that cannot be done without `cause`.
    fn skip_with(&mut self, at: TaskIndex, cause: &TaskId) {
        let task = self.run.plan().task(at).id.clone();
        if let TaskStage::Idle | TaskStage::Failed { .. } | TaskStage::Waiting(_) =
            self.run.task(at).stage
        {
            self.withdraw_questions(&task);
            let reason = format!("{cause}, which it needs, was skipped");
            self.record(Event::TaskSkipped { task, reason });
        }
    }
}
