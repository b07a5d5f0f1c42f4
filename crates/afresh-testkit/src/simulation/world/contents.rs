//! Whose work a tree holds, and which checks fail on it because of that.
//!
//! Some work fails a check by itself; some pairs of work pass alone, and fail together. Both are drawn from the seed, so
//! the same tree always gets the same answer.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::ids::{AttemptId, TaskId, TreeId};
use afresh_core::plan::{Check, Plan};

use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;

/// A pair of attempts clashes less often than a merge breaks: there are many pairs.
const PAIRS_PER_MERGE: u64 = 5;

#[derive(Debug)]
pub(super) struct TreeContents {
    seed: u64,
    trees: BTreeMap<TreeId, BTreeSet<AttemptId>>,
    /// Whatever was on the branch at some time.
    landed: BTreeSet<AttemptId>,
}

impl TreeContents {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, trees: BTreeMap::new(), landed: BTreeSet::new() }
    }

    /// A worker left this tree, which began as its base.
    pub(super) fn note_work(&mut self, tree: &TreeId, base: Option<&TreeId>, attempt: &AttemptId) {
        let below = base.and_then(|base| self.trees.get(base)).cloned().unwrap_or_default();
        self.add(tree, below, attempt);
    }

    /// A merge of an attempt's work with this tree.
    pub(super) fn note_merge(&mut self, tree: &TreeId, below: &TreeId, attempt: &AttemptId) {
        let below = self.trees.get(below).cloned().unwrap_or_default();
        self.add(tree, below, attempt);
    }

    fn add(&mut self, tree: &TreeId, mut below: BTreeSet<AttemptId>, attempt: &AttemptId) {
        // A task that is done again replaces what it did before.
        below.retain(|other| other.task != attempt.task);
        below.insert(attempt.clone());
        self.trees.insert(tree.clone(), below);
    }

    pub(super) fn note_landed(&mut self, tree: &TreeId) {
        self.landed.extend(self.trees.get(tree).into_iter().flatten().cloned());
    }

    pub(super) fn fails(
        &self,
        tree: &TreeId,
        check: &Check,
        scenario: &Scenario,
        plan: &Plan,
    ) -> bool {
        let Some(contents) = self.trees.get(tree) else { return false };
        let owns = |task: &TaskId| {
            let at = plan.index_of(task);
            at.is_some_and(|at| plan.task(at).all_checks().any(|it| it.command == check.command))
        };
        let is_shared = !contents.iter().any(|attempt| owns(&attempt.task));
        contents.iter().any(|attempt| {
            let concerns = is_shared || owns(&attempt.task);
            concerns
                && (self.is_broken(attempt, scenario) && !is_shared
                    || contents.iter().any(|other| self.clash(attempt, other, scenario)))
        })
    }

    /// Whether this work can make a check fail, by itself or beside what has ever landed.
    pub(super) fn can_fail(&self, attempt: &AttemptId, scenario: &Scenario) -> bool {
        self.is_broken(attempt, scenario)
            || self.landed.iter().any(|other| self.clash(attempt, other, scenario))
    }

    fn is_broken(&self, attempt: &AttemptId, scenario: &Scenario) -> bool {
        self.draw(&[attempt]).chance(scenario.check_fails)
    }

    fn clash(&self, one: &AttemptId, other: &AttemptId, scenario: &Scenario) -> bool {
        let pair = if one < other { [one, other] } else { [other, one] };
        one.task != other.task && self.draw(&pair).chance(scenario.broken_merge / PAIRS_PER_MERGE)
    }

    fn draw(&self, attempts: &[&AttemptId]) -> SeededRandom {
        let text: Vec<String> = attempts.iter().map(ToString::to_string).collect();
        let hash = text.join(" ").bytes().fold(self.seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        SeededRandom::new(hash)
    }
}
