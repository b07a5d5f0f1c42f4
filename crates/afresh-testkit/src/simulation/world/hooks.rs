//! Hooks around an action, some of which fail (BE-11).

use afresh_core::check::CheckPhase;
use afresh_core::hook::{HookFailure, HookPoint};
use afresh_core::ids::AttemptId;
use afresh_core::input::{BranchMove, Input};
use afresh_core::{Effect, Run};

use super::SimulatedWorld;
use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;

/// In one world of so many the user has hooks.
const WORLDS: u64 = 4;
/// How many of a thousand fail.
const FAILING: u64 = 60;

impl SimulatedWorld {
    /// The hook that fails before this effect, which is then not performed. A start must be right all the same.
    pub(super) fn hold_back(
        &mut self,
        effect: &Effect,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Option<HookFailure>, String> {
        let failure = self.fail_hook_before(effect, scenario, run);
        if let (Some(_), Effect::Start { attempt, slot, ground, resumes, .. }) = (&failure, effect)
        {
            self.check_resumption(attempt, *slot, resumes.as_ref())?;
            self.check_start(attempt, *slot, ground, run)?;
        }
        Ok(failure)
    }

    fn fail_hook_before(
        &mut self,
        effect: &Effect,
        scenario: &Scenario,
        run: &Run,
    ) -> Option<HookFailure> {
        let (point, attempt) = match effect {
            Effect::Start { attempt, .. } | Effect::Prepare { attempt, .. } => {
                (HookPoint::BeforeAttempt, attempt)
            }
            Effect::Check(request) if request.phase == CheckPhase::Alone => {
                (HookPoint::BeforeCheck, request.attempt.as_ref()?)
            }
            _ => return None,
        };
        let is_skipped = !run.runs_hook(point, &attempt.task);
        if is_skipped { None } else { self.fail_hook(point, Some(attempt), scenario) }
    }

    /// The hook before the merge of one member of a batch.
    pub(super) fn fail_hook_before_merge(
        &mut self,
        attempt: &AttemptId,
        scenario: &Scenario,
        run: &Run,
    ) -> Option<HookFailure> {
        let is_run = run.runs_hook(HookPoint::BeforeMerge, &attempt.task);
        let failure =
            is_run.then(|| self.fail_hook(HookPoint::BeforeMerge, Some(attempt), scenario));
        failure.flatten()
    }

    /// Puts the failure of a hook before the report of the action that it came after.
    pub(super) fn fail_hooks_after(&mut self, inputs: &mut Vec<Input>, scenario: &Scenario) {
        let reports = std::mem::take(inputs);
        for report in reports {
            let hook = match &report {
                Input::AttemptEnded(attempt, _) => Some((HookPoint::AfterAttempt, Some(attempt))),
                Input::Checked(report) => match report.phase {
                    CheckPhase::Alone | CheckPhase::Merged | CheckPhase::Final => {
                        Some((HookPoint::AfterCheck, report.attempt.as_ref()))
                    }
                    _ => None,
                },
                Input::BranchMoved(attempt, _, BranchMove::Done) => {
                    Some((HookPoint::AfterMerge, Some(attempt)))
                }
                _ => None,
            };
            let failure =
                hook.and_then(|(point, attempt)| self.fail_hook(point, attempt, scenario));
            inputs.extend(failure.map(Input::HookFailed));
            inputs.push(report);
        }
    }

    /// Drawn apart, so that seeds without hooks play as if there were none.
    fn fail_hook(
        &mut self,
        point: HookPoint,
        attempt: Option<&AttemptId>,
        scenario: &Scenario,
    ) -> Option<HookFailure> {
        if !self.seed.is_multiple_of(WORLDS) || scenario.is_kind() {
            return None;
        }
        self.hooks += 1;
        let mut random = SeededRandom::new(self.seed ^ self.hooks.wrapping_mul(104_729));
        random.chance(FAILING).then(|| HookFailure {
            point,
            attempt: attempt.cloned(),
            command: "guard".to_owned(),
            why: "exit code 1".to_owned(),
        })
    }
}
