//! Checks, which pass or fail by the scenario.

use afresh_core::Run;
use afresh_core::check::{CheckEnd, CheckOutcome, CheckPhase, CheckResult};
use afresh_core::effect::{CheckOn, CheckRequest, ProbeRequest};
use afresh_core::ids::TreeId;
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
        run: &Run,
    ) -> Input {
        let tree = match &request.on {
            CheckOn::Tree(tree) => tree.clone(),
            CheckOn::Commit(commit) => self.commits[commit].0.clone(),
        };
        let checked = if random.chance(scenario.trouble) {
            CheckOutcome::Impossible("no room".to_owned())
        } else if random.chance(scenario.halt) {
            CheckOutcome::Stopped
        } else {
            let mut results = Vec::new();
            for check in request.checks() {
                let fails = self.fails(request.phase, check, &tree, random, scenario, run);
                if !fails {
                    self.passed.insert((tree.clone(), check.command.clone()));
                }
                let end = CheckEnd::Exited(i32::from(fails));
                results.push(CheckResult { duration_ms: 1, ..CheckResult::new(check, end) });
            }
            CheckOutcome::Ran(results)
        };
        let (attempt, batch) = (request.attempt.clone(), request.batch);
        Input::Checked(CheckReport { attempt, batch, phase: request.phase, tree, checked })
    }

    /// In half of the worlds by what the tree holds, so that the same tree always gets the same answer; in the others
    /// by chance, as flaky checks do.
    fn fails(
        &self,
        phase: CheckPhase,
        check: &Check,
        tree: &TreeId,
        random: &mut SeededRandom,
        scenario: &Scenario,
        run: &Run,
    ) -> bool {
        if phase == CheckPhase::Red {
            return !random.chance(scenario.check_fails);
        }
        if scenario.checks_are_reliable {
            return self.contents.fails(tree, check, scenario, run.plan());
        }
        let is_merged = phase == CheckPhase::Merged;
        random.chance(if is_merged { scenario.broken_merge } else { scenario.check_fails })
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
