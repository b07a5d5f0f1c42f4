//! Attempts that were interrupted from outside are continued where they were (AG-08).

use afresh_core::plan::TaskIndex;
use std::time::Duration;

use afresh_core::harvest::{ChangeKind, Harvest};
use afresh_core::input::{AgentIdentity, AttemptEnd};
use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::outcome::{Outcome, WorkerFailure};
use afresh_core::process::ProcessEnd;
use afresh_core::run::settings::{Settings, TimeoutAction};
use afresh_core::usage::{ContextFill, Usage};
use afresh_core::{Effect, Input};

use crate::support::{Story, StoryStep, attempt_id, changed, tree};

impl Story {
    /// The worker has started, and its program can continue the conversation later.
    fn talks(&mut self, attempt: &str) -> StoryStep {
        self.spawned(attempt);
        let identity = AgentIdentity {
            session: Some(format!("s{attempt}")),
            agent: Some("claude".to_owned()),
            ..AgentIdentity::default()
        };
        self.feed(&Input::Identified(attempt_id(attempt), identity))
    }

    /// It ends like this, after it changed its file.
    fn cut_off(&mut self, attempt: &str, ending: ProcessEnd) -> StoryStep {
        self.ends_with(attempt, ending, Outcome::Silent);
        self.harvested(attempt, &["a"])
    }

    /// Its model fails after it changed these files.
    fn limited(&mut self, attempt: &str, paths: &[&str]) -> StoryStep {
        let error = ModelError::new(ModelErrorClass::Quota, "later")
            .waiting(Some(Duration::from_secs(3600)));
        let end = AttemptEnd {
            error: Some(error),
            ..AttemptEnd::new(ProcessEnd::Exited(1), Outcome::Silent, Usage::default(), 1)
        };
        self.feed(&Input::AttemptEnded(attempt_id(attempt), Box::new(end)));
        self.harvested(attempt, paths)
    }

    /// The program that was to continue ends at once; its workspace is unchanged.
    fn refuses(&mut self, attempt: &str, as_left_by: &str) -> StoryStep {
        let error = ModelError::new(ModelErrorClass::Unknown, "No conversation found");
        let end = AttemptEnd {
            error: Some(error),
            ..AttemptEnd::new(ProcessEnd::Exited(1), Outcome::Silent, Usage::default(), 1)
        };
        self.feed(&Input::AttemptEnded(attempt_id(attempt), Box::new(end)));
        let changes = vec![changed("a", ChangeKind::Modified)];
        let harvest = Harvest {
            tree: tree(as_left_by),
            commit: None,
            changes,
            notes: vec![],
            leaks: vec![],
            missing: vec![],
        };
        self.feed(&Input::Harvested(attempt_id(attempt), Ok(harvest)))
    }

    /// The driver is killed, and the next one opens the run.
    fn killed_and_opened(&mut self, attempt: &str) -> StoryStep {
        self.open();
        self.harvested(attempt, &["a"])
    }
}

/// Which attempts start, with the attempt that each continues.
fn starts(step: &StoryStep) -> Vec<(String, Option<u32>)> {
    let start = |effect: &Effect| match effect {
        Effect::Start { attempt, resumes, .. } => {
            Some((attempt.to_string(), resumes.as_ref().map(|resumption| resumption.of)))
        }
        _ => None,
    };
    step.0.effects.iter().filter_map(start).collect()
}

fn resumed(attempt: &str, of: u32) -> Vec<(String, Option<u32>)> {
    vec![(attempt.to_owned(), Some(of))]
}

fn fresh(attempt: &str) -> Vec<(String, Option<u32>)> {
    vec![(attempt.to_owned(), None)]
}

/// AG-08: after kill -9 of afresh the conversation continues in the same workspace, with the same files.
#[test]
fn an_attempt_lost_with_its_driver_is_resumed() {
    let mut story = Story::of_plan("A: a");
    story.talks("A.1");
    let step = story.killed_and_opened("A.1");
    insta::assert_snapshot!(step.text());
    assert_eq!(story.run.task(TaskIndex::new(0)).retries.counted, 0);
}

/// AG-08: a halt that stops workers interrupts them, and resuming continues their conversations.
#[test]
fn a_halted_attempt_is_resumed() {
    let mut story = Story::of_plan("A: a");
    story.talks("A.1");
    story.halt(true);
    story.cut_off("A.1", ProcessEnd::Stopped);
    assert_eq!(starts(&story.clear()), resumed("A.2", 1));
}

/// AG-08: the same if the program is killed by a signal or by its supervisor, or if a shell reports a signal.
#[test]
fn a_killed_program_is_resumed() {
    for ending in [ProcessEnd::Signaled(9), ProcessEnd::SupervisorLost, ProcessEnd::Exited(143)] {
        let mut story = Story::of_plan("A: a");
        story.talks("A.1");
        story.cut_off("A.1", ending);
        assert_eq!(starts(&story.wait(2)), resumed("A.2", 1), "{ending:?}");
        assert_eq!(
            story.run.task(TaskIndex::new(0)).retries.counted,
            1,
            "a program that dies may do so for ever"
        );
    }
}

/// AG-08, BE-04: after a usage limit ends, the work that was done is continued; if none was done, there is nothing
/// to continue.
#[test]
fn work_before_a_usage_limit_continues_after_it() {
    let mut story = Story::of_plan("A: a");
    story.talks("A.1");
    assert_eq!(starts(&story.limited("A.1", &["a"])), []);
    assert_eq!(starts(&story.wait(2 * 3600)), resumed("A.2", 1));
    let mut story = Story::of_plan("A: a");
    story.talks("A.1");
    story.limited("A.1", &[]);
    assert_eq!(starts(&story.wait(2 * 3600)), fresh("A.2"));
}

/// AG-08: an attempt that timed out, gave up, failed or was rejected is followed by a fresh worker.
#[test]
fn timeouts_and_rejected_work_get_a_fresh_worker() {
    let gave_up =
        Outcome::Failed(WorkerFailure { error: "too hard".to_owned(), ..WorkerFailure::default() });
    let ends = [
        (ProcessEnd::TimedOut, Outcome::Silent),
        (ProcessEnd::WentSilent, Outcome::Silent),
        (ProcessEnd::Exited(1), Outcome::Silent),
        (ProcessEnd::Exited(0), gave_up),
    ];
    for (ending, outcome) in ends {
        let settings = Settings { timeout_action: TimeoutAction::Retry, ..Settings::default() };
        let mut story = Story::with("A: a", settings);
        story.talks("A.1");
        story.ends_with("A.1", ending, outcome);
        let mut steps = starts(&story.harvested("A.1", &["a"]));
        steps.extend(starts(&story.wait(2)));
        assert_eq!(steps, fresh("A.2"), "{ending:?}");
        assert_eq!(story.run.task(TaskIndex::new(0)).session.interrupted, None);
    }
}

/// AG-08: a conversation is continued twice; after another interruption a fresh worker starts, and its own
/// conversation may be continued again.
#[test]
fn after_two_resumes_a_fresh_worker_comes() {
    let mut story = Story::of_plan("A: a");
    story.talks("A.1");
    assert_eq!(starts(&story.killed_and_opened("A.1")), resumed("A.2", 1));
    // It is interrupted before it reports its conversation, so the conversation is the same.
    story.spawned("A.2");
    assert_eq!(starts(&story.killed_and_opened("A.2")), resumed("A.3", 2));
    story.talks("A.3");
    assert_eq!(starts(&story.killed_and_opened("A.3")), fresh("A.4"));
    let left = story
        .run
        .task(TaskIndex::new(0))
        .session
        .interrupted
        .clone()
        .expect("the fresh attempt gets a note");
    assert_eq!((left.attempt, left.harvest.tree), (attempt_id("A.3"), tree("A.3")));
    story.talks("A.4");
    assert_eq!(starts(&story.killed_and_opened("A.4")), resumed("A.5", 4));
}

/// AG-08: a program that cannot continue costs nothing: a fresh worker starts at once, and is given what is left.
#[test]
fn a_conversation_that_is_gone_is_followed_by_a_fresh_worker() {
    let mut story = Story::of_plan("A: a");
    story.talks("A.1");
    story.killed_and_opened("A.1");
    story.spawned("A.2");
    let step = story.refuses("A.2", "A.1");
    insta::assert_snapshot!(step.text());
    assert_eq!(story.run.task(TaskIndex::new(0)).retries.counted, 0);
    let left =
        story.run.task(TaskIndex::new(0)).session.interrupted.clone().expect("it gets a note");
    assert_eq!((left.attempt, left.conversation), (attempt_id("A.1"), None));
}

/// AG-08: the same if the work cannot be restored, or the agent has changed.
#[test]
fn work_that_cannot_be_put_back_is_followed_by_a_fresh_worker() {
    let mut story = Story::of_plan("A: a");
    story.talks("A.1");
    story.killed_and_opened("A.1");
    let why = "the tree is gone".to_owned();
    let step = story.feed(&Input::CannotResume(attempt_id("A.2"), why.clone()));
    assert_eq!(starts(&step), fresh("A.3"));
    assert_eq!(story.run.task(TaskIndex::new(0)).retries.counted, 0);
    story.feed(&Input::CannotResume(attempt_id("A.2"), why.clone())).changes_nothing();
    story.feed(&Input::CannotResume(attempt_id("A.3"), why)).changes_nothing();
}

/// AG-08: some programs find a conversation only in its directory, so other tasks do not use its workspace while
/// it waits; if the workspace is taken, a fresh worker starts.
#[test]
fn the_workspace_of_a_conversation_is_kept_for_it() {
    let mut story = Story::with("A: a\nB: b", Settings { parallel: 1, ..Settings::default() });
    story.talks("A.1");
    story.limited("A.1", &["a"]);
    story.wait(2 * 3600);
    let held: Vec<u16> =
        story.run.tasks().filter_map(|(_, state)| Some(state.stage.work()?.slot.0)).collect();
    assert_eq!(held, [1], "A has its own again");
    let mut story =
        Story::with("A: a\nB! small: b", Settings { parallel: 1, ..Settings::default() });
    story.talks("A.1");
    let step = story.limited("A.1", &["a"]);
    assert_eq!(step.started(), ["B.1"]);
    assert!(step.text().contains("start B.1 in 2"), "{}", step.text());
}

/// AG-08: work that landed meanwhile does not matter: the attempt keeps its base, and is merged as any other.
#[test]
fn a_resumed_attempt_keeps_its_base() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.talks("A.1");
    story.limited("A.1", &["a"]);
    story.lands("B.1");
    let step = story.wait(2 * 3600);
    assert_eq!(step.effects(), ["→ go on with sA.1 as A.2 in 1 from base and A.1"]);
    story.passes_alone("A.2");
}

/// AG-08, AG-07: a conversation that is half full is not continued, nor is one with another model.
#[test]
fn a_conversation_that_fills_up_is_not_resumed() {
    let mut story = Story::of_plan("A: a");
    story.talks("A.1");
    let fill = ContextFill { used: 50, window: 100 };
    story.feed(&Input::ContextSeen(attempt_id("A.1"), fill));
    assert_eq!(starts(&story.killed_and_opened("A.1")), fresh("A.2"));
}

/// AG-07: at the soft limit the worker is warned, once; the next worker is warned again.
#[test]
fn at_the_soft_limit_a_worker_is_warned_once() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    let mut fills = |attempt: &str, used: u64| {
        let fill = ContextFill { used, window: 100 };
        story.feed(&Input::ContextSeen(attempt_id(attempt), fill)).lines()
    };
    assert_eq!(fills("A.1", 49), ["context A.1 49 %"]);
    assert_eq!(
        fills("A.1", 51),
        ["context A.1 51 %", "context-warned A.1 51 %", "→ warn A.1: 51 %"]
    );
    assert_eq!(fills("A.1", 55), ["context A.1 55 %"]);
    let worker = &story.status().tasks[0].workers[0];
    assert!(worker.warned);
    story.dies("A.1");
    story.wait(2);
    let fill = ContextFill { used: 60, window: 100 };
    let step = story.feed(&Input::ContextSeen(attempt_id("A.2"), fill));
    assert_eq!(step.effects(), ["→ warn A.2: 60 %"]);
}

/// AG-07: a worker that reaches both limits at once is stopped without a warning.
#[test]
fn at_the_hard_limit_no_worker_is_warned() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    let fill = ContextFill { used: 80, window: 100 };
    let step = story.feed(&Input::ContextSeen(attempt_id("A.1"), fill));
    assert_eq!(step.effects(), ["→ stop A.1 within 5s"]);
}

/// AG-08, BE-11: an attempt that was to continue a conversation, and that a hook held back, leaves it to the next one,
/// also if another task used the workspace meanwhile. It was no try to continue.
#[test]
fn a_hook_that_holds_an_attempt_back_leaves_its_conversation() {
    let settings = Settings { parallel: 1, ..Settings::default() };
    let mut story = Story::with("A: a\nB: b", settings);
    story.talks("A.1");
    story.open();
    assert_eq!(starts(&story.harvested("A.1", &["a"])), resumed("A.2", 1));
    assert_eq!(starts(&story.held_back("A.2")), fresh("B.1"));
    story.lands("B.1");
    assert_eq!(starts(&story.answer(1, "retry")), resumed("A.3", 1));
    story.held_back("A.3");
    assert_eq!(starts(&story.answer(2, "retry")), resumed("A.4", 1));
    story.held_back("A.4");
    assert_eq!(starts(&story.answer(3, "skip-hook")), resumed("A.5", 1));
}
