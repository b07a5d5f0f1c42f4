//! What workers do: use tokens, finish steps, and end in one way or another.

use afresh_core::process::{LimitExceeded, LimitedResource};
use std::time::Duration;

use afresh_core::ids::AttemptId;
use afresh_core::input::{AgentIdentity, AttemptEnd, Input};
use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::outcome::{
    BlockedOutcome, CompletionClaim, DecisionOption, DecisionRequest, Outcome, PartialOutcome,
    WorkerFailure,
};
use afresh_core::process::ProcessEnd;
use afresh_core::usage::{ContextFill, Usage};

use super::random::SeededRandom;
use super::scenario::{OUTAGE, Scenario};

/// Everything that one worker will report, in order, and its total usage.
pub(super) fn draw_life(
    attempt: &AttemptId,
    steps: u32,
    random: &mut SeededRandom,
    scenario: &Scenario,
) -> (Vec<Input>, Usage) {
    let mut inputs = vec![Input::Spawned(attempt.clone())];
    if random.chance(500) {
        inputs.push(Input::Identified(attempt.clone(), draw_identity(random)));
    }
    let mut usage = Usage::default();
    for _ in 0..random.below(3) {
        usage.input += random.below(400);
        usage.cost_micros = Some(usage.cost_micros.unwrap_or(0) + random.below(400));
        inputs.push(Input::UsageSeen(attempt.clone(), usage));
    }
    let mut contexts = draw_contexts(random, scenario).into_iter();
    // Mostly in order; a worker that resumes begins with steps that are already done.
    for step in 1..=steps {
        inputs.extend(contexts.next().map(|fill| Input::ContextSeen(attempt.clone(), fill)));
        if random.chance(700) {
            let deviations = vec![];
            inputs.push(Input::StepClaimed { attempt: attempt.clone(), step, deviations });
        }
    }
    inputs.extend(contexts.map(|fill| Input::ContextSeen(attempt.clone(), fill)));
    let (ending, outcome) = draw_end(random, scenario);
    let mut end = AttemptEnd::new(ending, outcome, usage, 1);
    if random.chance(scenario.model_fails) {
        end = AttemptEnd { error: Some(draw_error(random, scenario)), ..end };
        // Most programs exit after a model error; some have to be stopped.
        end.ending =
            *random.pick(&[ProcessEnd::Exited(1), ProcessEnd::Exited(1), ProcessEnd::Stopped]);
        end.outcome = Outcome::Silent;
    }
    inputs.push(Input::AttemptEnded(attempt.clone(), Box::new(end)));
    (inputs, usage)
}

fn draw_identity(random: &mut SeededRandom) -> AgentIdentity {
    let session = random.chance(800).then(|| format!("session {}", random.below(1_000)));
    let agent = random.chance(800).then(|| "program".to_owned());
    AgentIdentity { session, model: random.chance(800).then(|| "model".to_owned()), agent }
}

/// How full the worker's context is over time; a few workers read too much.
fn draw_contexts(random: &mut SeededRandom, scenario: &Scenario) -> Vec<ContextFill> {
    let most = if random.chance(scenario.context_fills) { 130 } else { 60 };
    let reports = random.below(4);
    let mut used = 0;
    let grow = |_| {
        used = (used + random.below(most)).min(most);
        ContextFill { used, window: 100 }
    };
    (0..reports).map(grow).collect()
}

fn draw_error(random: &mut SeededRandom, scenario: &Scenario) -> ModelError {
    let classes = [
        ModelErrorClass::RateLimit,
        ModelErrorClass::Quota,
        ModelErrorClass::Overloaded,
        ModelErrorClass::ServerError,
        ModelErrorClass::Network,
        ModelErrorClass::Auth,
        ModelErrorClass::ModelNotFound,
        ModelErrorClass::ContextFull,
        ModelErrorClass::BadRequest,
        ModelErrorClass::ProgramLimit,
        ModelErrorClass::Unknown,
    ];
    // Mostly transient ones; an outage has no others.
    let passing = scenario.model_fails == OUTAGE || random.chance(700);
    let known = if passing { 5 } else { classes.len() };
    let class = classes[random.index(known)];
    let wait = random.chance(300).then(|| Duration::from_millis(random.below(120_000)));
    ModelError::new(class, "no").waiting(wait)
}

fn draw_end(random: &mut SeededRandom, scenario: &Scenario) -> (ProcessEnd, Outcome) {
    if random.chance(scenario.dies) {
        let ending = *random.pick(&[
            ProcessEnd::Exited(1),
            ProcessEnd::Exited(255),
            ProcessEnd::Signaled(9),
        ]);
        return (ending, Outcome::Silent);
    }
    if random.chance(scenario.times_out) {
        let excess = LimitExceeded { of: LimitedResource::Memory, limit: 1 << 30 };
        let endings = [ProcessEnd::TimedOut, ProcessEnd::WentSilent, ProcessEnd::OverLimit(excess)];
        return (*random.pick(&endings), Outcome::Silent);
    }
    if random.chance(scenario.asks) {
        let decision = DecisionRequest {
            question: "which?".to_owned(),
            options: vec![DecisionOption::new("a", "this"), DecisionOption::new("b", "that")],
            ..DecisionRequest::default()
        };
        let by = vec![format!("T{}", random.below(14))];
        let outcome = match random.below(5) {
            0 => Outcome::NeedsDecision(decision),
            1 => Outcome::NeedsAction(afresh_core::outcome::ActionRequest::default()),
            2 => Outcome::Partial(PartialOutcome {
                reason: "out of room".to_owned(),
                ..PartialOutcome::default()
            }),
            3 => Outcome::Blocked(BlockedOutcome { by, ..BlockedOutcome::default() }),
            _ => Outcome::Failed(WorkerFailure {
                error: "too hard".to_owned(),
                ..WorkerFailure::default()
            }),
        };
        return (ProcessEnd::Exited(0), outcome);
    }
    (ProcessEnd::Exited(0), Outcome::Done(CompletionClaim::default()))
}
