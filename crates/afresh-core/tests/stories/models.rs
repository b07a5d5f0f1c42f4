//! Model failures and full contexts.

use afresh_core::plan::TaskIndex;
use std::time::Duration;

use afresh_core::input::AttemptEnd;
use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::outcome::{CompletionClaim, Outcome};
use afresh_core::plan::ModelTier;
use afresh_core::process::ProcessEnd;
use afresh_core::rejection::Rejection;
use afresh_core::run::TaskStage;
use afresh_core::run::settings::Settings;
use afresh_core::usage::{ContextFill, Usage};
use afresh_core::{Effect, Event, Input};

use crate::support::{Story, StoryStep, attempt_id, tokens_used};

impl Story {
    /// The attempt ends because of its model, without any changes.
    pub(crate) fn model_fails(&mut self, attempt: &str, error: ModelError) -> StoryStep {
        let (outcome, usage) = (Outcome::Silent, tokens_used(10));
        let end = AttemptEnd {
            error: Some(error),
            ..AttemptEnd::new(ProcessEnd::Exited(1), outcome, usage, 1)
        };
        self.feed(&Input::AttemptEnded(attempt_id(attempt), Box::new(end)));
        self.harvested(attempt, &[])
    }

    fn sees_context(&mut self, attempt: &str, used: u64) -> StoryStep {
        self.feed(&Input::ContextSeen(attempt_id(attempt), ContextFill { used, window: 100 }))
    }

    fn state(&self, task: &str) -> &afresh_core::run::TaskState {
        self.run.state_of(&attempt_id(&format!("{task}.1")).task).expect("a task")
    }
}

fn overloaded() -> ModelError {
    ModelError::new(ModelErrorClass::Overloaded, "529")
}

fn tiers(step: &StoryStep) -> Vec<ModelTier> {
    let starts = step.0.effects.iter().filter_map(|effect| match effect {
        Effect::Start { tier, .. } => Some(*tier),
        _ => None,
    });
    starts.collect()
}

/// AG-05: 2 s, 5 s, then the next smaller model. This differs from a task that is too hard: none of it counts as
/// an attempt.
#[test]
fn a_failing_model_is_retried_and_then_the_next_smaller_one_is_used() {
    let mut story = Story::of_plan("A: a");
    assert_eq!(story.run.tier_of(TaskIndex::new(0)), ModelTier::Standard);
    let waits = [2, 5, 0];
    for (number, wait) in (1..).zip(waits) {
        let attempt = format!("A.{number}");
        story.spawned(&attempt);
        let step = story.model_fails(&attempt, overloaded());
        if wait == 0 {
            assert_eq!(tiers(&step), [ModelTier::Small], "at once, with the smaller model");
        } else {
            assert_eq!(step.started(), [] as [&str; 0]);
            assert_eq!(story.wait(wait - 1).started(), [] as [&str; 0]);
            assert_eq!(tiers(&story.wait(1)), [ModelTier::Standard]);
        }
    }
    assert_eq!(story.state("A").retries.counted, 0);
    assert_eq!(
        story.state("A").last.feedback,
        None,
        "there is nothing for the next worker to learn"
    );
}

/// AG-05: a task that fails keeps its model.
#[test]
fn a_task_that_is_too_hard_keeps_its_model() {
    let mut story = Story::of_plan("A: a");
    for number in 1..=2 {
        let attempt = format!("A.{number}");
        story.spawned(&attempt);
        story.model_fails(&attempt, overloaded());
        story.wait(5);
    }
    story.spawned("A.3");
    story.dies("A.3");
    assert_eq!(tiers(&story.wait(5)), [ModelTier::Standard]);
    assert_eq!((story.state("A").model_health.failures, story.state("A").retries.counted), (0, 1));
}

/// F19: if every model is overloaded for a long time, a task pauses longer each time, and finally a person is
/// asked; nothing counts as an attempt.
#[test]
fn in_a_storm_the_pauses_grow_and_then_a_person_is_asked() {
    let mut story = Story::of_plan("A: a");
    let mut seconds = 0;
    let mut starts = 0;
    while !matches!(story.state("A").stage, TaskStage::Waiting(_)) {
        if let Some(attempt) = story.state("A").attempt().map(ToString::to_string) {
            starts += 1;
            story.spawned(&attempt);
            story.model_fails(&attempt, overloaded());
        } else {
            story.wait(1);
            seconds += 1;
        }
        assert!(seconds < 24 * 3600, "it would wait for ever");
    }
    assert!(seconds > 600, "ten minutes are outlasted: {seconds}");
    assert!(starts < 20, "and nobody hammers at the door: {starts}");
    assert_eq!(story.state("A").retries.counted, 0);
    let asked = &story.run.questions().next().expect("a question").text;
    assert!(asked.contains("overloaded") && asked.contains("wait and retry"), "{asked}");
}

/// BE-04: a limit with an end time blocks only the workers that would reach it too.
#[test]
fn a_limit_with_an_end_time_is_waited_for_while_others_continue() {
    let mut story =
        Story::with("A: a\nB: b\nC: c", Settings { parallel: 1, ..Settings::default() });
    story.spawned("A.1");
    let limited = ModelError::new(ModelErrorClass::RateLimit, "429")
        .waiting(Some(Duration::from_secs(3 * 3600)));
    let step = story.model_fails("A.1", limited);
    assert_eq!(step.started(), [] as [&str; 0], "{}", step.text());
    assert_eq!(story.wait(3 * 3600 - 1).started(), [] as [&str; 0]);
    // Slightly longer than requested, by at most a tenth.
    assert_eq!(tiers(&story.wait(1 + 3 * 360)), [ModelTier::Standard]);
    assert_eq!(story.state("A").retries.counted, 0);
}

/// BE-04: another model size has its own limit.
#[test]
fn another_model_continues_meanwhile() {
    let mut story = Story::of_plan("A: a\nB! small: b\nC: c");
    for attempt in ["A.1", "B.1", "C.1"] {
        story.spawned(attempt);
    }
    let limited =
        ModelError::new(ModelErrorClass::Quota, "later").waiting(Some(Duration::from_secs(600)));
    assert_eq!(story.model_fails("A.1", limited).started(), [] as [&str; 0]);
    story.dies("B.1");
    story.dies("C.1");
    let started = story.wait(5).started();
    assert_eq!(started, ["B.2"], "C has the same model as A");
}

/// AG-06: a refused key is not retried; the person gets a hint.
#[test]
fn a_refused_key_is_asked_about_at_once() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.model_fails("A.1", ModelError::new(ModelErrorClass::Auth, "401"));
    let question = &story.run.questions().next().expect("a question").text;
    assert!(question.contains("afresh doctor"), "{question}");
    assert_eq!(story.state("A").retries.last_number, 1);
}

/// RE-03 and rule 1 of adapters: an answer that was given before the model failed counts.
#[test]
fn an_answer_that_was_given_before_the_model_failed_counts() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    let end = AttemptEnd {
        error: Some(overloaded()),
        ..AttemptEnd::new(
            ProcessEnd::Exited(0),
            Outcome::Done(CompletionClaim::default()),
            Usage::default(),
            1,
        )
    };
    story.feed(&Input::AttemptEnded(attempt_id("A.1"), Box::new(end)));
    let step = story.harvested("A.1", &["a"]);
    assert!(step.text().contains("→ check Alone"), "{}", step.text());
}

/// AG-07: at the hard limit a worker is stopped once, and a fresh one continues.
#[test]
fn a_full_context_ends_the_worker_and_a_fresh_one_continues() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    assert_eq!(story.sees_context("A.1", 40).text(), "context A.1 40 %");
    story.sees_context("A.1", 40).changes_nothing();
    let text = story.sees_context("A.1", 71).text();
    assert!(text.contains("context-reached A.1 71 %") && text.contains("→ stop A.1"), "{text}");
    assert!(!story.sees_context("A.1", 80).text().contains("stop"), "once is enough");
    story.ends_with("A.1", ProcessEnd::Stopped, Outcome::Silent);
    let step = story.harvested("A.1", &["a"]);
    assert_eq!(step.started(), ["A.2"]);
    let rejected = step.0.events.iter().find_map(|event| match event {
        Event::AttemptRejected { reason, counts, .. } => Some((reason.clone(), *counts)),
        _ => None,
    });
    let fill = ContextFill { used: 71, window: 100 };
    assert_eq!(rejected, Some((Rejection::ContextFull { fill }, true)));
    assert_eq!(story.state("A").session.context_reached, None, "the next one starts empty");
}

/// R2: a context report of an old attempt stops no worker.
#[test]
fn a_late_report_of_a_full_context_changes_nothing() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.dies("A.1");
    story.wait(2);
    story.spawned("A.2");
    story.sees_context("A.1", 99).changes_nothing();
}

/// BE-04, AG-05: a used-up quota is not tried for ever: a person is asked within minutes.
#[test]
fn a_used_up_quota_is_asked_about_soon() {
    let mut story = Story::of_plan("A: a");
    let mut seconds = 0;
    while story.status().questions.is_empty() {
        if let Some(attempt) = story.state("A").attempt().map(ToString::to_string) {
            story.spawned(&attempt);
            story.model_fails(&attempt, ModelError::new(ModelErrorClass::Quota, "used up"));
        } else {
            story.wait(1);
            seconds += 1;
        }
        assert!(seconds < 900, "it would wait for long");
    }
    assert_eq!(story.state("A").retries.counted, 0);
}

/// AG-06: a program that does not start is tried once, and its failure is not called one of a model; a worker that
/// repeats itself has used up an attempt.
#[test]
fn failures_of_the_program_are_not_called_failures_of_a_model() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    let missing = ModelError::new(ModelErrorClass::NotStarted, "no such file");
    let step = story.model_fails("A.1", missing);
    assert_eq!(step.started(), [] as [&str; 0], "a second one would fail in the same way");
    let question = story.status().questions[0].text.clone();
    assert!(question.contains("failed:start: "), "{question}");
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.model_fails("A.1", ModelError::new(ModelErrorClass::Looping, "echo again"));
    assert_eq!(story.state("A").retries.counted, 1);
}
