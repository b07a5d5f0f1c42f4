//! Contests between agents (BE-08): whose turn it is, and whose work lands.
//!
//! All agents of a contest are tried before the task counts as failed. Work that was chosen goes the way of all work:
//! review, merge, checks on the merged tree.

use super::Decider;
use crate::check::CheckResult;
use crate::event::Event;
use crate::ids::{AttemptId, TreeId};
use crate::plan::{ContestRule, TaskIndex};
use crate::run::ContestEntry;

impl Decider<'_> {
    /// The attempt's own tree passed: it lands next, or waits for the work of the other agents.
    pub(super) fn accept_checked(
        &mut self,
        at: TaskIndex,
        attempt: AttemptId,
        tree: TreeId,
        results: Vec<CheckResult>,
    ) {
        if self.collects_entries(at) {
            self.record(Event::ContestEntered { attempt, tree, results });
            self.settle_contest(at);
        } else {
            self.record(Event::ChecksPassed { attempt, tree, results });
            self.request_review(at);
        }
    }

    fn collects_entries(&self, at: TaskIndex) -> bool {
        let contest = self.run.plan().task(at).contest.as_ref();
        contest.is_some_and(|contest| contest.land == ContestRule::Cheapest)
            && self.run.task(at).contest.winner.is_none()
    }

    /// Whether another agent of the contest has not tried the task yet.
    pub(super) fn has_contest_turn(&self, at: TaskIndex) -> bool {
        let Some(contest) = &self.run.plan().task(at).contest else { return false };
        let state = &self.run.task(at).contest;
        state.winner.is_none() && (state.turns as usize) < contest.agents.len()
    }

    /// Once each agent has had its turn, the cheapest work goes on. Returns whether one was chosen.
    pub(super) fn settle_contest(&mut self, at: TaskIndex) -> bool {
        !self.has_contest_turn(at) && self.choose_entry(at)
    }

    /// Work that passed lands, even if some agents have not tried, once nothing is left to pay them with.
    pub(super) fn settle_contests_without_budget(&mut self) {
        let has_entries = |at: &TaskIndex| !self.run.task(*at).contest.entries.is_empty();
        let waiting: Vec<TaskIndex> = self.run.eligible().filter(has_entries).collect();
        for at in waiting {
            if self.run.budget_reached() || self.task_budget_reached(at).is_some() {
                self.choose_entry(at);
            }
        }
    }

    /// Chooses among the work that there is, even if some agents have not tried.
    fn choose_entry(&mut self, at: TaskIndex) -> bool {
        let state = self.run.task(at);
        let needs = self.run.landed_needs(at);
        let usable = state.contest.entries.iter().filter(|entry| entry.work.needs == needs);
        let Some(chosen) = usable.min_by_key(|entry| self.price_of(at, entry)) else {
            return false;
        };
        let attempt = chosen.work.attempt.clone();
        self.record(Event::ContestDecided { attempt });
        self.request_review(at);
        true
    }

    /// A known cost before an unknown one, then cost, then tokens; of equals the first.
    fn price_of(&self, at: TaskIndex, entry: &ContestEntry) -> (bool, u64, u64) {
        let usages = &self.run.task(at).records.usages;
        let usage = usages.get(&entry.work.attempt.number).copied().unwrap_or_default();
        let cost = usage.cost_micros;
        (cost.is_none(), cost.unwrap_or_default(), usage.tokens())
    }

    /// The agent whose turn it is cannot do the task: another one may. Without another one, the task has failed.
    pub(super) fn fail_turn(&mut self, at: TaskIndex, reason: String) {
        if !self.has_contest_turn(at) {
            return self.fail(at, reason);
        }
        let task = self.run.plan().task(at).id.clone();
        self.record(Event::ContestForfeited { task, reason: reason.clone() });
        if !self.settle_contest(at) && !self.has_contest_turn(at) {
            self.fail(at, reason);
        }
    }
}
