//! Checks, which pass or fail by the scenario.

use afresh_core::check::{CheckEnd, CheckOutcome, CheckPhase, CheckResult};
use afresh_core::effect::{CheckOn, CheckRequest, ProbeRequest};
use afresh_core::input::{CheckReport, Input, ProbeOutcome, ProbeReport};
use afresh_core::plan::Check;
use afresh_core::probe::{CheckClass, ProbedCheck};

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

    /// The base: checks of tasks mostly fail, those of every merge mostly pass.
    pub(super) fn probe(
        &mut self,
        request: &ProbeRequest,
        random: &mut SeededRandom,
        scenario: &Scenario,
    ) -> Input {
        let commit = request.commit.clone();
        if random.chance(scenario.halt) {
            return Input::Probed(ProbeReport { commit, outcome: ProbeOutcome::Stopped });
        }
        let tree = self.commits[&commit].0.clone();
        let probed = |check: &Check, class: CheckClass| {
            let fails = !matches!(class, CheckClass::Vacuous);
            let end = CheckEnd::Exited(i32::from(fails));
            let (tree, result) = (tree.clone(), CheckResult::new(check, end));
            ProbedCheck { class, detail: String::new(), cause: None, tree, result }
        };
        let mut checks = Vec::new();
        for check in &request.always {
            let class = if random.chance(scenario.red_base) {
                *random.pick(&[CheckClass::Red, CheckClass::Unrunnable, CheckClass::Pending])
            } else {
                CheckClass::Vacuous
            };
            checks.push(probed(check, class));
        }
        for check in &request.own {
            let class = if random.chance(scenario.check_fails) {
                CheckClass::Vacuous
            } else {
                CheckClass::Red
            };
            checks.push(probed(check, class));
        }
        Input::Probed(ProbeReport { commit, outcome: ProbeOutcome::Measured(checks) })
    }
}
