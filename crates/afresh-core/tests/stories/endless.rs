//! What must not continue forever.

use afresh_core::Input;
use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::input::{BranchMove, CheckReport};
use afresh_core::outcome::{DecisionOption, DecisionRequest, Outcome};
use afresh_core::process::ProcessEnd;
use afresh_core::run::settings::{OnDecision, Settings};

use crate::support::{Story, check_result, tree};

/// AG-05, B38: a worker that kills its own supervisor counts, and the next one waits.
#[test]
fn a_lost_supervisor_counts_and_backs_off() {
    let mut story = Story::with("A: a", Settings { attempts: 2, ..Settings::default() });
    story.spawned("A.1");
    story.ends_with("A.1", ProcessEnd::SupervisorLost, Outcome::Silent);
    let step = story.harvested("A.1", &[]);
    assert!(step.text().contains("rejected A.1 (counts)"), "{step:?}");
    assert!(step.started().is_empty(), "it must wait first: {step:?}");
    assert_eq!(story.wait(10).started(), ["A.2"]);
    story.spawned("A.2");
    story.ends_with("A.2", ProcessEnd::SupervisorLost, Outcome::Silent);
    story.harvested("A.2", &[]);
    assert_eq!(story.error_of("A"), "failed:lost: the worker's supervisor was killed");
}

/// A policy answers a worker that always asks as often as there are attempts; then a person is asked.
#[test]
fn a_policy_does_not_answer_forever() {
    let ask = || {
        Outcome::NeedsDecision(DecisionRequest {
            question: "which one?".to_owned(),
            options: vec![DecisionOption::new("a", "this")],
            ..DecisionRequest::default()
        })
    };
    let settings = Settings { attempts: 2, on_decision: OnDecision::First, ..Settings::default() };
    let mut story = Story::with("A: a", settings);
    for (attempt, next) in [("A.1", vec!["A.2"]), ("A.2", vec!["A.3"]), ("A.3", vec![])] {
        story.spawned(attempt);
        story.ends_with(attempt, ProcessEnd::Exited(0), ask());
        assert_eq!(story.harvested(attempt, &[]).started(), next);
    }
    assert_eq!(story.status().questions.len(), 1);
}

/// R3, R12: the commit that was to land is gone, because no ref pointed to it and git removed it; it is made
/// again, and lands once.
#[test]
fn a_merge_commit_that_was_cleaned_up_is_made_again() {
    let mut story = Story::of_plan("A: a");
    story.passes_alone("A.1");
    story.built("A.1");
    let again = story.moved("A.1", BranchMove::CommitGone);
    assert!(again.effects().iter().any(|effect| effect.contains("A.1")), "{again:?}");
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    assert_eq!(story.states(), "A done");
}

/// ST-04: an ended run cannot be halted, so that a later `run` does not find a halt.
#[test]
fn a_run_that_has_ended_is_not_halted() {
    let mut story = Story::of_plan("A: a");
    story.lands("A.1");
    let (tree, results) = (tree("A.1"), vec![check_result("test A", 0)]);
    let checked = CheckOutcome::Ran(results);
    story.feed(&Input::Checked(CheckReport {
        batch: None,
        attempt: None,
        phase: CheckPhase::Final,
        tree,
        checked,
    }));
    let step = story.halt(false);
    assert_eq!(step.refusal(), "the run has ended already");
    step.changes_nothing();
}
