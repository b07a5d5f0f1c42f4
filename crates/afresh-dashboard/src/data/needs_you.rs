//! What waits for a person, most urgent first (HU-06).

use std::cmp::Reverse;
use std::collections::BTreeSet;

use afresh_core::Run;
use afresh_core::ids::TaskId;
use afresh_core::outcome::DecisionOption;
use afresh_core::plan::{Plan, TaskIndex};
use afresh_core::question::{CLARIFY, Question, QuestionTopic, SAY};
use afresh_core::status::{QuestionStatus, RunState, run_state};
use schemars::JsonSchema;
use serde::Serialize;

use crate::history::RunHistory;

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct NeedsYou {
    /// The question's id; none if it is not a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The kind of question, or `halted`, `budget`, `final-checks`.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    pub title: String,
    pub text: String,
    pub options: Vec<DecisionOption>,
    /// What stands before an answer in words of the person's own; none if only the listed answers are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_ms: Option<i64>,
    /// How many tasks cannot go ahead before it is answered.
    pub blocks: usize,
    /// The command that answers it.
    pub command: String,
    /// The command that shows what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<String>,
}

impl NeedsYou {
    pub fn list(run: &Run, history: &RunHistory) -> Vec<Self> {
        let mut list: Vec<Self> =
            run.questions().map(|question| from_question(run, history, question)).collect();
        list.sort_by(|one, other| {
            (other.blocks.cmp(&one.blocks)).then_with(|| one.asked_ms.cmp(&other.asked_ms))
        });
        let whole = from_state(run, history);
        whole.into_iter().chain(list).collect()
    }
}

/// Sorts questions as every view shows them: what blocks the most tasks first, then the oldest.
pub fn sort_questions(run: &Run, questions: &mut [QuestionStatus]) {
    questions.sort_by_cached_key(|one| {
        let blocks = run.question(one.number).map_or(0, |question| count_waiting(run, question));
        (Reverse(blocks), one.number)
    });
}

/// How many tasks cannot go ahead before a question is answered.
fn count_waiting(run: &Run, question: &Question) -> usize {
    let is_about_all = matches!(question.topic, QuestionTopic::Base);
    match run.plan().index_of(&question.task) {
        Some(at) if !is_about_all => count_blocked(run, at),
        _ => unfinished(run),
    }
}

fn from_question(run: &Run, history: &RunHistory, question: &Question) -> NeedsYou {
    let plan = run.plan();
    let at = plan.index_of(&question.task);
    let title = at.map_or_else(String::new, |at| plan.task(at).title.clone());
    let look = matches!(
        question.topic,
        QuestionTopic::Failed
            | QuestionTopic::Timeout
            | QuestionTopic::Orphan
            | QuestionTopic::Obstacle(_)
            | QuestionTopic::Review
            | QuestionTopic::Trust(_)
    );
    NeedsYou {
        question: Some(question.id.to_string()),
        kind: question.topic.kind(),
        task: Some(question.task.clone()),
        title,
        text: question.text.clone(),
        options: question.options.clone(),
        words: match &question.topic {
            QuestionTopic::Decision => Some(SAY),
            _ => question.offers("clarify").then_some(CLARIFY),
        },
        asked_ms: history.asked_at(question.id),
        blocks: count_waiting(run, question),
        command: format!("afresh decide {} ANSWER", question.id),
        look: look.then(|| format!("afresh logs {}", question.task)),
    }
}

/// What stops the run as a whole.
fn from_state(run: &Run, history: &RunHistory) -> Option<NeedsYou> {
    let whole = |kind, title: &str, text: String, command: String| NeedsYou {
        question: None,
        kind,
        task: None,
        title: title.to_owned(),
        text,
        options: Vec::new(),
        words: None,
        asked_ms: None,
        blocks: unfinished(run),
        command,
        look: None,
    };
    let resume = format!("afresh resume {}", run.id());
    if let Some(halt) = run.halt().filter(|_| !run.is_ended_for_good()) {
        let text = format!("{} (by {})", halt.reason, halt.by);
        let asked_ms = history.halted_at();
        return Some(NeedsYou { asked_ms, ..whole("halted", "the run is halted", text, resume) });
    }
    if run_state(run) != RunState::Failed || run.is_ended_for_good() {
        return None;
    }
    let spent = run.settings().budget.describe((&run.usage()).into());
    if !spent.is_empty() && unfinished(run) > 0 {
        let command = format!("afresh run --budget-usd N, then {resume}");
        return Some(whole("budget", "the budget is used up", spent, command));
    }
    let failures = run.final_failures();
    let first = failures.first()?.clone();
    let title = "the final checks failed";
    Some(whole("final-checks", title, first, "afresh report".to_owned()))
}

fn unfinished(run: &Run) -> usize {
    run.tasks().filter(|(_, state)| !state.is_finished()).count()
}

/// The task and everything that depends on it, as far as it is not finished.
fn count_blocked(run: &Run, from: TaskIndex) -> usize {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    let plan: &Plan = run.plan();
    while let Some(at) = open.pop() {
        for dependent in plan.dependents(at) {
            if seen.insert(*dependent) {
                open.push(*dependent);
            }
        }
    }
    seen.into_iter().filter(|at| !run.task(*at).is_finished()).count()
}
