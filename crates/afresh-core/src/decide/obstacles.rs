//! What stops every task stops the run once (EX-14): one question about a set-up, an agent or a machine that fails, in
//! place of one per task.

use super::Decider;
use crate::event::Event;
use crate::ids::QuestionId;
use crate::outcome::{DecisionOption, SpawnFailure};
use crate::plan::TaskIndex;
use crate::question::{ObstacleScope, QuestionTopic};
use crate::rejection::Rejection;
use crate::run::settings::OnFailure;
use crate::run::{FailedAct, TaskStage};

/// Failures in a row after which a person is asked (AG-05).
const MAX_REPEATED_FAILURES: u32 = 3;
/// How much output a question shows.
const MAX_OUTPUT_LINES: usize = 10;

impl Decider<'_> {
    /// Whether a failed start was taken up as an obstacle.
    pub(super) fn is_obstacle_to_start(&mut self, at: TaskIndex, failure: &SpawnFailure) -> bool {
        // The question that is open already is about this failure as well.
        if self.run.obstacle_to(at).is_some() {
            return true;
        }
        let scope = self.run.spawn_scope(at, failure);
        let repeated = self.run.repeated_failure(FailedAct::Start, &scope);
        let is_common = repeated.is_some_and(|known| known.count >= MAX_REPEATED_FAILURES)
            || self.run.has_hindered_probe(failure);
        if failure.lasting || !is_common || !self.asks_about_failures() {
            return false;
        }
        let mut text = format!("no worker can start: {}", failure.message);
        append_lines(&mut text, &failure.output);
        append_lines(&mut text, failure.hint.as_deref().unwrap_or_default());
        self.ask_about_obstacle(at, scope, text);
        true
    }

    /// Whether a rejected attempt failed as those of other tasks did, with an agent that has never worked.
    pub(super) fn is_obstacle_to_work(&mut self, at: TaskIndex) -> bool {
        let scope = self.run.agent_scope(at);
        let repeated = self.run.repeated_failure(FailedAct::Work, &scope);
        let is_common = repeated
            .is_some_and(|known| known.count >= MAX_REPEATED_FAILURES && known.tasks.len() > 1);
        if !is_common
            || !self.asks_about_failures()
            || !matches!(self.run.task(at).stage, TaskStage::Idle)
        {
            return false;
        }
        // The question that is open already is about this failure as well.
        if self.run.obstacle_to(at).is_some() {
            return true;
        }
        let last = self.run.task(at).last.rejection.as_ref();
        let mut text = format!(
            "agent {} fails at every task: {}",
            scope.agent.as_deref().unwrap_or_default(),
            last.map(Rejection::describe).unwrap_or_default()
        );
        append_lines(&mut text, &last.map(Rejection::printed).unwrap_or_default());
        self.ask_about_obstacle(at, scope, text);
        true
    }

    /// A policy that does not ask decides for each task.
    pub(super) fn asks_about_failures(&self) -> bool {
        matches!(self.run.settings().on_failure, OnFailure::Ask | OnFailure::Retry)
    }

    pub(super) fn ask_about_obstacle(
        &mut self,
        at: TaskIndex,
        scope: ObstacleScope,
        mut text: String,
    ) {
        let others =
            self.run.plan().indices().filter(|other| {
                *other != at && matches!(self.run.task(*other).stage, TaskStage::Idle)
            });
        if others.count() > 0 {
            text.push_str(
                "\nOther tasks would fail in the same way, so they wait for your answer.",
            );
        }
        let task = &self.run.plan().task(at).id;
        let options = vec![
            DecisionOption::new("retry", "try again: the cause is removed"),
            DecisionOption::new("skip", &format!("continue without {task}; the others try again")),
            DecisionOption::new("abort", "end the run here"),
        ];
        self.ask(at, QuestionTopic::Obstacle(scope), text, options);
    }

    /// Who starts a run again wants it to try again.
    pub(super) fn retry_obstacles(&mut self) {
        let is_obstacle = |topic: &QuestionTopic| matches!(topic, QuestionTopic::Obstacle(_));
        let open = self.run.questions().filter(|question| is_obstacle(&question.topic));
        let open: Vec<QuestionId> = open.map(|question| question.id).collect();
        for question in open {
            let (answer, by) = ("retry".to_owned(), "policy".to_owned());
            self.record(Event::QuestionAnswered { question, answer, by });
        }
    }
}

/// The end of an output; of a long one also its first error, which help texts may follow.
fn append_lines(text: &mut String, more: &str) {
    let lines: Vec<&str> = more.trim_end().lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.len().saturating_sub(MAX_OUTPUT_LINES);
    let error = lines[..last].iter().position(|line| line.to_lowercase().contains("error"));
    let Some(error) = error else {
        return lines[last..].iter().for_each(|line| push_line(text, line));
    };
    let head = (error + MAX_OUTPUT_LINES / 2).min(last);
    lines[error..head].iter().for_each(|line| push_line(text, line));
    let tail = (lines.len() - MAX_OUTPUT_LINES / 2).max(head);
    if tail > head {
        push_line(text, "[…]");
    }
    lines[tail..].iter().for_each(|line| push_line(text, line));
}

fn push_line(text: &mut String, line: &str) {
    text.push('\n');
    text.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-14: a program that prints its help after the error does not hide the error.
    #[test]
    fn the_first_error_of_a_long_output_is_shown() {
        let mut long: Vec<String> =
            vec!["installing".to_owned(), "npm error no lock file".to_owned()];
        long.extend((1..=30).map(|number| format!("npm help line {number}")));
        let mut text = "it failed".to_owned();
        append_lines(&mut text, &long.join("\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["it failed", "npm error no lock file"]);
        assert_eq!(lines.last(), Some(&"npm help line 30"));
        assert_eq!(lines.len(), 2 + MAX_OUTPUT_LINES, "{text}");
        let mut short = String::new();
        append_lines(&mut short, "one\n\nerror two\n");
        assert_eq!(short, "\none\nerror two");
    }
}
