//! Hooks before an action, some of which fail (BE-11).

use afresh_core::check::CheckPhase;
use afresh_core::hook::{HookFailure, HookPoint};
use afresh_core::{Effect, Run};

use super::SimulatedWorld;
use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;

/// In one world of so many the user has hooks.
const WORLDS: u64 = 4;
/// How many of a thousand fail.
const FAILING: u64 = 40;

impl SimulatedWorld {
    /// The hook that fails before this effect. Drawn apart, so that other seeds stay as they were.
    pub(super) fn fail_hook(
        &mut self,
        effect: &Effect,
        scenario: &Scenario,
        run: &Run,
    ) -> Option<HookFailure> {
        if !self.seed.is_multiple_of(WORLDS) || scenario.is_kind() {
            return None;
        }
        let (point, attempt) = match effect {
            Effect::Start { attempt, .. } => (HookPoint::BeforeAttempt, attempt),
            Effect::BuildMerge { attempt, .. } => (HookPoint::BeforeMerge, attempt),
            Effect::Check(request) if request.phase == CheckPhase::Alone => {
                (HookPoint::BeforeCheck, request.attempt.as_ref()?)
            }
            _ => return None,
        };
        self.hooks += 1;
        let mut random = SeededRandom::new(self.seed ^ self.hooks.wrapping_mul(104_729));
        let fails = run.runs_hook(point, &attempt.task) && random.chance(FAILING);
        fails.then(|| HookFailure {
            point,
            attempt: Some(attempt.clone()),
            command: "guard".to_owned(),
            why: "exit code 1".to_owned(),
        })
    }
}
