//! The person in the loop: what is asked.

use crate::decide::Decider;
use crate::decide::attempt::verdict::{AttemptCounts, MAX_SAME_FAILURES};
use crate::event::Event;
use crate::ids::CommitId;
use crate::outcome::{ActionRequest, DecisionOption, DecisionRequest};
use crate::plan::{Checkpoint, CheckpointKind, TaskIndex};
use crate::question::{APPROVED, Question, QuestionTopic, REJECTED};
use crate::rejection::Rejection;
use crate::run::TaskStage;

/// How much output a question shows.
const MAX_PRINTED_LINES: usize = 12;

impl Decider<'_> {
    pub(in crate::decide) fn ask(
        &mut self,
        at: TaskIndex,
        topic: QuestionTopic,
        text: String,
        options: Vec<DecisionOption>,
    ) {
        let task = self.run.plan().task(at).id.clone();
        let id = self.run.next_question();
        self.record(Event::QuestionAsked { question: Question { id, task, topic, text, options } });
    }

    pub(in crate::decide) fn ask_decision(&mut self, at: TaskIndex, decision: &DecisionRequest) {
        self.reject(at, Rejection::Asked, AttemptCounts::No);
        let mut text = decision.question.clone();
        for part in [&decision.blocked_at, &decision.context] {
            if !part.is_empty() {
                text = format!("{text}\n{part}");
            }
        }
        let mut options = decision.options.clone();
        if !options.iter().any(|option| option.key == "defer") {
            options.push(DecisionOption::new("defer", "skip the task and note the question"));
        }
        self.ask(at, QuestionTopic::Decision, text, options);
        self.apply_question_policy(at);
    }

    pub(in crate::decide) fn ask_action(&mut self, at: TaskIndex, action: &ActionRequest) {
        self.reject(at, Rejection::Asked, AttemptCounts::No);
        self.ask_for_action(at, action);
    }

    pub(in crate::decide) fn ask_for_action(&mut self, at: TaskIndex, action: &ActionRequest) {
        let mut text = action.needed.clone();
        for (number, instruction) in action.instructions.iter().enumerate() {
            text = format!("{text}\n{}. {instruction}", number + 1);
        }
        if !action.verification.is_empty() {
            text = format!("{text}\nIt is done when: {}", action.verification);
        }
        let options = vec![
            DecisionOption::new("done", "it is done; a fresh worker verifies it and continues"),
            DecisionOption::new("defer", "skip the task"),
        ];
        self.ask(at, QuestionTopic::Action, text, options);
        self.apply_question_policy(at);
    }

    /// A checkpoint at which the plan waits for a person; once it is answered, nothing is left to do. Returns whether
    /// that is so.
    pub(in crate::decide) fn reach_checkpoint(
        &mut self,
        at: TaskIndex,
        checkpoint: &Checkpoint,
    ) -> bool {
        if self.settle_checkpoint(at) {
            return true;
        }
        let mut options = checkpoint.options.clone();
        let topic = match checkpoint.kind {
            CheckpointKind::Action => {
                options = vec![DecisionOption::new("done", "it is done; continue")];
                QuestionTopic::Action
            }
            CheckpointKind::Verify if options.is_empty() => {
                options = vec![
                    DecisionOption::new(APPROVED, "approve and continue"),
                    DecisionOption::new(
                        REJECTED,
                        "it is not right: what waits for it stays blocked; `say: YOUR WORDS` rejects it with a reason",
                    ),
                ];
                QuestionTopic::Decision
            }
            CheckpointKind::Verify | CheckpointKind::Decision => QuestionTopic::Decision,
        };
        options.push(DecisionOption::new("defer", "not now: what waits for it stays blocked"));
        self.ask(at, topic, checkpoint.text.clone(), options);
        // A policy may answer at once.
        self.apply_question_policy(at);
        self.settle_checkpoint(at)
    }

    fn settle_checkpoint(&mut self, at: TaskIndex) -> bool {
        let state = self.run.task(at);
        let (TaskStage::Idle, Some(given)) = (&state.stage, state.people.answers.last()) else {
            return false;
        };
        if self.is_verification(at) && !given.answer.starts_with(APPROVED) {
            return false;
        }
        let (task, how) = (self.run.plan().task(at).id.clone(), given.answer.clone());
        self.record(Event::TaskSettled { task, how });
        true
    }

    /// Whether the task is a checkpoint at which a person approves what was done. Only the word for that approves it.
    pub(in crate::decide) fn is_verification(&self, at: TaskIndex) -> bool {
        let checkpoint = self.run.plan().task(at).checkpoint.as_ref();
        checkpoint.is_some_and(|it| it.kind == CheckpointKind::Verify && it.options.is_empty())
    }

    /// A person who wants to be asked is asked about one task at a time (EX-09).
    pub(in crate::decide) fn ask_before_start(&mut self, at: TaskIndex) {
        if self.run.questions().any(|question| question.topic == QuestionTopic::Start) {
            return;
        }
        let task = self.run.plan().task(at);
        let text = format!("start {}: {}?", task.id, task.title);
        let options = vec![
            DecisionOption::new("start", "start it"),
            DecisionOption::new("all", "start it, and all others without asking"),
            DecisionOption::new("skip", "continue without it; its dependents stay blocked"),
        ];
        self.ask(at, QuestionTopic::Start, text, options);
    }

    /// A task whose attempts failed: asks what happens to it and to its dependents (HU-03).
    pub(in crate::decide) fn ask_about_failure(
        &mut self,
        at: TaskIndex,
        topic: QuestionTopic,
        reason: &str,
    ) {
        let text = self.describe_failure(at, &topic, reason);
        let next = self.run.task(at).steps_done() + 1;
        let again = match next {
            1 => "try again with fresh workers".to_owned(),
            step => format!("try again with fresh workers, from step {step}"),
        };
        let (direct, all) = (self.unfinished_dependents(at), self.transitive_dependents(at));
        let mut options = vec![DecisionOption::new("retry", &again)];
        if direct.is_empty() {
            options.push(DecisionOption::new("skip", "continue without it"));
        } else {
            let count = direct.len();
            let (direct, all) = (self.name_tasks(&direct), self.name_tasks(&all));
            let stay = if count == 1 { "stays" } else { "stay" };
            let blocked = format!("continue without it; {direct} {stay} blocked");
            let ignored = format!("continue without it, and unblock {direct}");
            options.push(DecisionOption::new("skip", &blocked));
            options.push(DecisionOption::new("ignore", &ignored));
            options.push(DecisionOption::new(
                "cascade",
                &format!("skip it and everything that depends on it: {all}"),
            ));
        }
        let clarify = "retry with a note for the worker: `clarify: YOUR WORDS`";
        options.push(DecisionOption::new("clarify", clarify));
        options.push(DecisionOption::new("abort", "end the run here"));
        self.ask(at, topic, text, options);
    }

    /// What a person needs to decide: the reason, and the end of the output (HU-05).
    fn describe_failure(&self, at: TaskIndex, topic: &QuestionTopic, reason: &str) -> String {
        let state = self.run.task(at);
        let id = &self.run.plan().task(at).id;
        let mut text = match (topic, state.retries.counted) {
            (QuestionTopic::Orphan, _) => format!("task {id} {reason}"),
            (_, 0) => format!("task {id} failed: {reason}"),
            (_, 1) => format!("task {id} failed after 1 attempt: {reason}"),
            (_, count) => format!("task {id} failed after {count} attempts: {reason}"),
        };
        let (counted, same) = (state.retries.counted, state.retries.same_failures);
        if counted < self.run.settings().attempts && same >= MAX_SAME_FAILURES {
            text = format!(
                "{text}\nThe last {same} attempts failed in the same way, so there was no other one."
            );
        }
        if state.retries.timeouts >= 2 {
            text.push_str("\nIt ran out of time twice: consider splitting it.");
        }
        let printed = state.last.rejection.as_ref().map(Rejection::printed).unwrap_or_default();
        let lines: Vec<&str> = printed.trim_end().lines().collect();
        for line in &lines[lines.len().saturating_sub(MAX_PRINTED_LINES)..] {
            text.push('\n');
            text.push_str(line);
        }
        text
    }

    fn unfinished_dependents(&self, at: TaskIndex) -> Vec<TaskIndex> {
        let all = self.run.plan().dependents(at).iter().copied();
        all.filter(|other| !self.run.task(*other).is_finished()).collect()
    }

    /// All direct and indirect dependents of a task, in the plan's order.
    pub(in crate::decide) fn transitive_dependents(&self, at: TaskIndex) -> Vec<TaskIndex> {
        let mut found = std::collections::BTreeSet::new();
        let mut open = vec![at];
        while let Some(next) = open.pop() {
            for other in self.unfinished_dependents(next) {
                if found.insert(other) {
                    open.push(other);
                }
            }
        }
        found.into_iter().collect()
    }

    fn name_tasks(&self, tasks: &[TaskIndex]) -> String {
        let names: Vec<&str> =
            tasks.iter().take(5).map(|at| self.run.plan().task(*at).id.as_str()).collect();
        match tasks.len() - names.len() {
            0 => names.join(", "),
            more => format!("{} and {more} more", names.join(", ")),
        }
    }

    pub(in crate::decide) fn ask_about_trust(&mut self, at: TaskIndex, paths: Vec<String>) {
        let id = &self.run.plan().task(at).id;
        let text = format!(
            "task {id} changed files that tell agents, hooks or other tools what to do: {}",
            paths.join(", ")
        );
        let options = vec![
            DecisionOption::new("accept", "take the change; checks are next"),
            DecisionOption::new("reject", "a fresh worker tries again without it"),
            DecisionOption::new("skip", "continue without the task"),
        ];
        self.ask(at, QuestionTopic::Trust(paths), text, options);
    }

    pub(in crate::decide) fn ask_about_branch(&mut self, at: TaskIndex, foreign: &CommitId) {
        let branch = self.run.branch();
        let text = format!(
            "{branch} was moved to {foreign}, not by afresh; nothing can land until it is moved back"
        );
        let options = vec![
            DecisionOption::new(
                "restore",
                "move it back; the other commit is kept under refs/afresh/salvage",
            ),
            DecisionOption::new("retry", "check again: it was moved back by hand"),
            DecisionOption::new("abort", "end the run here"),
        ];
        self.ask(at, QuestionTopic::Branch(foreign.clone()), text, options);
    }
}
