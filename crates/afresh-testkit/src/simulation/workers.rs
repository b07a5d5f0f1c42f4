//! What workers do: use tokens, finish steps, and end in one way or another.

use afresh_core::ids::AttemptId;
use afresh_core::input::{AttemptEnd, Input};
use afresh_core::outcome::{Blocked, Choice, Claim, Decision, Ending, Failure, Outcome, Partial};
use afresh_core::usage::Usage;

use super::random::Random;
use super::scenario::Scenario;

/// Everything that one worker will report, in order, and what it uses in all.
pub(super) fn draw_life(
    attempt: &AttemptId,
    steps: u32,
    random: &mut Random,
    scenario: &Scenario,
) -> (Vec<Input>, Usage) {
    let mut inputs = vec![Input::Spawned(attempt.clone())];
    let mut usage = Usage::default();
    for _ in 0..random.below(3) {
        usage.input += random.below(400);
        usage.cost_micros = Some(usage.cost_micros.unwrap_or(0) + random.below(400));
        inputs.push(Input::UsageSeen(attempt.clone(), usage));
    }
    // Mostly in order; a worker that resumes begins with what is done already.
    for step in 1..=steps {
        if random.chance(700) {
            let deviations = vec![];
            inputs.push(Input::StepClaimed { attempt: attempt.clone(), step, deviations });
        }
    }
    let (ending, outcome) = draw_end(random, scenario);
    let end = AttemptEnd::new(ending, outcome, usage, 1);
    inputs.push(Input::AttemptEnded(attempt.clone(), Box::new(end)));
    (inputs, usage)
}

fn draw_end(random: &mut Random, scenario: &Scenario) -> (Ending, Outcome) {
    if random.chance(scenario.dies) {
        let ending = *random.pick(&[Ending::Exited(1), Ending::Exited(255), Ending::Signaled(9)]);
        return (ending, Outcome::Silent);
    }
    if random.chance(scenario.times_out) {
        return (*random.pick(&[Ending::TimedOut, Ending::WentSilent]), Outcome::Silent);
    }
    if random.chance(scenario.asks) {
        let decision = Decision {
            question: "which?".to_owned(),
            options: vec![Choice::new("a", "this"), Choice::new("b", "that")],
            ..Decision::default()
        };
        let by = vec![format!("T{}", random.below(14))];
        let outcome = match random.below(5) {
            0 => Outcome::NeedsDecision(decision),
            1 => Outcome::NeedsAction(afresh_core::outcome::Action::default()),
            2 => {
                Outcome::Partial(Partial { reason: "out of room".to_owned(), ..Partial::default() })
            }
            3 => Outcome::Blocked(Blocked { by, ..Blocked::default() }),
            _ => Outcome::Failed(Failure { error: "too hard".to_owned(), ..Failure::default() }),
        };
        return (Ending::Exited(0), outcome);
    }
    (Ending::Exited(0), Outcome::Done(Claim::default()))
}
