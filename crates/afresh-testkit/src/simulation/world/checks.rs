//! Checks, which pass or fail by the scenario.

use afresh_core::check::{CheckEnd, CheckOutcome, CheckPhase, CheckResult};
use afresh_core::effect::{CheckOn, CheckRequest};
use afresh_core::input::{CheckReport, Input};

use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;

use super::SimulatedWorld;

impl SimulatedWorld {
    pub(super) fn check(
        &mut self,
        request: &CheckRequest,
        random: &mut SeededRandom,
        scenario: &Scenario,
    ) -> Input {
        let tree = match &request.on {
            CheckOn::Tree(tree) => tree.clone(),
            CheckOn::Commit(commit) => self.commits[commit].0.clone(),
        };
        let odds = if request.phase == CheckPhase::Merged {
            scenario.broken_merge
        } else {
            scenario.check_fails
        };
        let checked = if random.chance(scenario.trouble) {
            CheckOutcome::Impossible("no room".to_owned())
        } else if random.chance(scenario.halt) {
            CheckOutcome::Stopped
        } else {
            let mut results = Vec::new();
            for check in &request.checks {
                let fails = if request.phase == CheckPhase::Red {
                    !random.chance(odds)
                } else {
                    random.chance(odds)
                };
                if !fails {
                    self.passed.insert((tree.clone(), check.command.clone()));
                }
                let end = CheckEnd::Exited(i32::from(fails));
                results.push(CheckResult { duration_ms: 1, ..CheckResult::new(check, end) });
            }
            CheckOutcome::Ran(results)
        };
        Input::Checked(CheckReport {
            attempt: request.attempt.clone(),
            phase: request.phase,
            tree,
            checked,
        })
    }
}
