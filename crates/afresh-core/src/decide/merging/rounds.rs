//! The checks of a batch on the tree that would land, and their results.

use crate::check::{CheckOutcome, CheckPhase, CheckResult};
use crate::decide::Decider;
use crate::decide::attempt::verdict::AttemptCounts;
use crate::effect::{CheckOn, CheckRequest, RoundGoal};
use crate::event::Event;
use crate::ids::AttemptId;
use crate::input::{CheckReport, MergeBuild, MergedTree};
use crate::plan::{Check, TaskIndex};
use crate::rejection::Rejection;
use crate::run::TaskStage;
use crate::run::merge_queue::{Batch, BatchId, BatchStage, CulpritSearch, PostponeReason};

use super::{Company, merged_tree};

impl Decider<'_> {
    pub(in crate::decide) fn batch_built(
        &mut self,
        id: BatchId,
        builds: &[(AttemptId, MergeBuild)],
    ) {
        let Some(batch) = self.run.merge_queue().batch(id) else { return };
        if batch.stage != BatchStage::Building {
            return;
        }
        // Nothing landed meanwhile, so the tree that passed is the tree that lands.
        if let ([at], [(attempt, MergeBuild::Clean(merged))]) = (&batch.members[..], builds)
            && self.run.task(*at).attempt() == Some(attempt)
            && let Some(results) = self.known_results(*at, merged)
        {
            let at = *at;
            return self.land_alone(at, merged, &results);
        }
        let members: Vec<TaskIndex> = batch.members.clone();
        let is_at_head = members.len() == 1 && batch.onto == *self.run.tip();
        let mut onto = batch.onto.clone();
        let mut unbuilt = Vec::new();
        for at in members {
            let build =
                builds.iter().find(|(attempt, _)| self.run.task(at).attempt() == Some(attempt));
            match build {
                Some((attempt, MergeBuild::Clean(merged))) if merged.onto == onto => {
                    onto = merged.commit.clone();
                    let (attempt, merged) = (attempt.clone(), merged.clone());
                    self.record(Event::MergeBuilt { attempt, merged });
                }
                Some((_, MergeBuild::Clean(_))) | None => {
                    return self.postpone_from(id, PostponeReason::CommitsGone);
                }
                Some((attempt, build)) if is_at_head => return self.reject_unbuilt(attempt, build),
                Some(_) => unbuilt.push(at),
            }
        }
        // What is ahead of it may not land, so nothing follows yet.
        self.postpone(&unbuilt, PostponeReason::InTheWay, Company::None);
        self.request_round(id);
    }

    fn reject_unbuilt(&mut self, attempt: &AttemptId, build: &MergeBuild) {
        let at = self.index(&attempt.task);
        match build {
            MergeBuild::Clean(_) => {}
            // A conflict does not count: the work was good, but another task landed first.
            MergeBuild::Conflict { paths, detail } => {
                let (paths, detail) = (paths.clone(), detail.clone());
                self.reject(at, Rejection::Conflict { paths, detail }, AttemptCounts::No);
            }
            MergeBuild::Impossible(why) => {
                let message = format!("could not be merged: {why}");
                self.reject(at, Rejection::Trouble { message }, AttemptCounts::Yes);
            }
        }
    }

    /// The results of the attempt's own tree, if that is the tree that lands next and they are enough.
    fn known_results(&self, at: TaskIndex, merged: &MergedTree) -> Option<Vec<CheckResult>> {
        let TaskStage::Merging { harvest, results, .. } = &self.run.task(at).stage else {
            return None;
        };
        let is_same = merged.tree == harvest.tree && merged.onto == *self.run.tip();
        // What landed meanwhile may have fixed a failure that was excused.
        let excused = self.run.excuse_failures(&[at], results);
        let holds = excused.iter().all(CheckResult::is_accepted) && self.covers(at, results);
        (is_same && holds).then(|| results.clone())
    }

    /// All checks on the last tree of a batch.
    pub(super) fn request_round(&mut self, id: BatchId) {
        let Some(batch) = self.run.merge_queue().batch(id).cloned() else { return };
        let groups = self.ordered_groups(self.run.landing_groups(&batch.members));
        let alone = batch.members.len() == 1;
        let goal = if alone { RoundGoal::FirstFailure } else { RoundGoal::EveryGroup };
        self.request_on_prefix(&batch, batch.members.len(), groups, goal);
    }

    /// What failed, on the tree of the first members of a batch.
    pub(super) fn request_prefix(&mut self, batch: &Batch, length: usize, groups: Vec<Vec<Check>>) {
        self.request_on_prefix(batch, length, groups, RoundGoal::FirstFailure);
    }

    fn request_on_prefix(
        &mut self,
        batch: &Batch,
        length: usize,
        groups: Vec<Vec<Check>>,
        goal: RoundGoal,
    ) {
        let members = &batch.members[..length];
        let Some(last) = members.last() else { return };
        let Some(merged) = merged_tree(self.run, *last).cloned() else { return };
        // It has to wait until the halt is over (R7).
        if self.run.halt().is_some_and(|halt| halt.now) {
            return self.postpone_from(batch.id, PostponeReason::Stopped);
        }
        let changed = members.iter().flat_map(|at| match &self.run.task(*at).stage {
            TaskStage::Merging { harvest, .. } => harvest.changed_tests(),
            _ => Vec::new(),
        });
        let changed_tests = changed.collect();
        let attempt = self.run.task(*last).attempt().cloned();
        let mutation = self.run.settings().mutation.clone().map(|rule| (rule, batch.onto.clone()));
        let on = CheckOn::Tree(merged.tree);
        let request = CheckRequest::plain(attempt, CheckPhase::Merged, on, Vec::new());
        let request = CheckRequest {
            batch: Some(batch.id),
            groups,
            goal,
            changed_tests,
            mutation,
            ..request
        };
        self.request_checks(request, members);
    }

    /// What failed in the last batch that failed comes first, so that it fails soon if it fails again.
    fn ordered_groups(&self, mut groups: Vec<Vec<Check>>) -> Vec<Vec<Check>> {
        let queue = self.run.merge_queue();
        groups.sort_by_key(|group| !group.iter().any(|it| queue.failed_recently(&it.command)));
        groups
    }

    pub(in crate::decide) fn batch_checked(&mut self, id: BatchId, report: &CheckReport) {
        let Some(batch) = self.run.merge_queue().batch(id).cloned() else { return };
        let on_tree = |at: &TaskIndex| {
            merged_tree(self.run, *at).is_some_and(|merged| merged.tree == report.tree)
        };
        match &batch.stage {
            BatchStage::Checking if batch.members.last().is_some_and(on_tree) => {
                self.round_checked(&batch, &report.checked);
            }
            BatchStage::Searching(search) => {
                let is_last =
                    |at: &TaskIndex| self.run.task(*at).attempt() == report.attempt.as_ref();
                let length = batch.members.iter().position(is_last).map_or(0, |at| at + 1);
                if search.running.contains(&length) && on_tree(&batch.members[length - 1]) {
                    self.prefix_checked(&batch, search, length, &report.checked);
                }
            }
            _ => {}
        }
    }

    fn round_checked(&mut self, batch: &Batch, outcome: &CheckOutcome) {
        match outcome {
            CheckOutcome::Stopped => self.postpone_from(batch.id, PostponeReason::Stopped),
            CheckOutcome::Impossible(why) => self.round_is_impossible(batch, why),
            CheckOutcome::Ran(results) => {
                let results = self.run.excuse_failures(&batch.members, results);
                if !results.iter().all(CheckResult::is_accepted) {
                    self.record(Event::BatchFailed { batch: batch.id, results });
                    return self.postpone_after(batch.id, PostponeReason::PremiseFailed);
                }
                self.record(Event::BatchPassed { batch: batch.id, results });
            }
        }
    }

    fn round_is_impossible(&mut self, batch: &Batch, why: &str) {
        self.postpone_after(batch.id, PostponeReason::PremiseFailed);
        match &batch.members[..] {
            [at] if batch.onto == *self.run.tip() => self.checks_are_impossible(*at, why),
            // Perhaps the set-up fails because of one of them, or of what is ahead of them.
            members => self.postpone(members, PostponeReason::Unchecked, Company::None),
        }
    }

    fn prefix_checked(
        &mut self,
        batch: &Batch,
        search: &CulpritSearch,
        length: usize,
        outcome: &CheckOutcome,
    ) {
        let results = match outcome {
            CheckOutcome::Stopped => {
                return self.postpone_from(batch.id, PostponeReason::Stopped);
            }
            CheckOutcome::Impossible(_) => {
                return self.postpone(&batch.members, PostponeReason::Unchecked, Company::None);
            }
            CheckOutcome::Ran(results) => results,
        };
        let results = self.run.excuse_failures(&batch.members[..length], results);
        let passed = results.iter().all(CheckResult::is_accepted);
        debug_assert!(length < search.bad.max(batch.members.len()));
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.record(Event::PrefixChecked { batch: batch.id, length, passed });
    }
}
