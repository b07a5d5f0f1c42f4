//! Whose work makes a batch fail (IN-03).
//!
//! A failed check that belongs to one member points to it. For the others, the failed checks run on the trees of
//! prefixes, side by side, until one member is left with which they begin to fail. Suspects are tried alone, after the
//! others: only then it shows whether it is their work, or what has landed meanwhile.

use std::collections::BTreeSet;

use crate::check::{CheckPhase, CheckResult};
use crate::decide::Decider;
use crate::decide::attempt::verdict::AttemptCounts;
use crate::effect::{CheckOn, CheckRequest};
use crate::event::Event;
use crate::plan::{Check, TaskIndex};
use crate::rejection::Rejection;
use crate::run::TaskStage;
use crate::run::merge_queue::{Batch, BatchId, BatchStage, PostponeReason};

use super::{Company, merged_tree};

impl Decider<'_> {
    /// A batch failed on top of what has landed.
    pub(super) fn take_apart(&mut self, id: BatchId, results: &[CheckResult]) {
        let Some(batch) = self.run.merge_queue().batch(id).cloned() else { return };
        if let [at] = batch.members[..] {
            return self.judge_single(at, results);
        }
        let suspects = self.owners_of_failures(&batch.members, results);
        if !suspects.is_empty() {
            return self.set_apart(&batch, &suspects);
        }
        // Checks of members that come later cannot pass before.
        let good = self.first_meaningful_prefix(&batch.members, results);
        self.choose_prefixes(&batch, good, batch.members.len());
    }

    /// The next step of a search whose checks have all ended.
    pub(super) fn continue_search(&mut self) {
        let Some(batch) = self.run.merge_queue().chain().first().cloned() else { return };
        let BatchStage::Searching(search) = &batch.stage else { return };
        if !search.running.is_empty() {
            return;
        }
        if search.bad - search.good > 1 {
            return self.choose_prefixes(&batch, search.good, search.bad);
        }
        self.set_apart(&batch, &[batch.members[search.bad - 1]]);
    }

    fn choose_prefixes(&mut self, batch: &Batch, good: usize, bad: usize) {
        let slots = usize::from(self.run.settings().merge.slots.max(1));
        let gap = bad.saturating_sub(good);
        let cuts = slots.min(gap.saturating_sub(1));
        let lengths: BTreeSet<usize> =
            (1..=cuts).map(|cut| good + (gap * cut / (cuts + 1)).max(1)).collect();
        if lengths.is_empty() {
            return self.set_apart(batch, &[batch.members[bad - 1]]);
        }
        let short = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        self.record(Event::PrefixesChosen {
            batch: batch.id,
            good: short(good),
            lengths: lengths.iter().map(|length| short(*length)).collect(),
        });
        let Some(batch) = self.run.merge_queue().batch(batch.id).cloned() else { return };
        let BatchStage::Searching(search) = &batch.stage else { return };
        for length in lengths {
            let groups = self.failed_groups(&batch.members[..length], &search.results);
            self.request_prefix(&batch, length, groups);
        }
    }

    /// Suspects are tried alone, the others again at once.
    fn set_apart(&mut self, batch: &Batch, suspects: &[TaskIndex]) {
        let others: Vec<TaskIndex> =
            batch.members.iter().filter(|at| !suspects.contains(at)).copied().collect();
        self.postpone(&others, PostponeReason::InBadCompany, Company::Any);
        self.postpone(suspects, PostponeReason::Suspected, Company::None);
    }

    /// Members with a failed check that is theirs alone.
    fn owners_of_failures(&self, members: &[TaskIndex], results: &[CheckResult]) -> Vec<TaskIndex> {
        let failed = results.iter().filter(|result| !result.is_accepted());
        let mut owners = BTreeSet::new();
        for result in failed {
            if self.settings_run_always(&result.command) {
                continue;
            }
            let mut own = members.iter().filter(|at| self.owns(**at, &result.command));
            if let (Some(at), None) = (own.next(), own.next()) {
                owners.insert(*at);
            }
        }
        members.iter().filter(|at| owners.contains(at)).copied().collect()
    }

    fn owns(&self, at: TaskIndex, command: &str) -> bool {
        self.run.plan().task(at).all_checks().any(|check| check.command == command)
    }

    fn settings_run_always(&self, command: &str) -> bool {
        self.run.settings().always.iter().any(|always| always == command)
    }

    /// How many members come before the first one with which a failed check says anything.
    fn first_meaningful_prefix(&self, members: &[TaskIndex], results: &[CheckResult]) -> usize {
        let failed = results.iter().filter(|result| !result.is_accepted());
        let first = failed.map(|result| {
            if self.settings_run_always(&result.command) {
                return 0;
            }
            members.iter().position(|at| self.owns(*at, &result.command)).unwrap_or(0)
        });
        first.min().unwrap_or(0)
    }

    /// The groups with a failed check that says something about these members; a failed check may need what the checks
    /// before it have built.
    fn failed_groups(&self, members: &[TaskIndex], results: &[CheckResult]) -> Vec<Vec<Check>> {
        let failed = |check: &Check| {
            results.iter().any(|it| it.command == check.command && !it.is_accepted())
        };
        let groups = self.run.landing_groups(members).into_iter();
        let up_to_failed = |group: Vec<Check>| -> Vec<Check> {
            let end = group.iter().rposition(failed).map_or(0, |at| at + 1);
            group.into_iter().take(end).collect()
        };
        groups.map(up_to_failed).filter(|group| !group.is_empty()).collect()
    }

    /// It failed with nothing else beside it: its own fault, or that of what landed meanwhile.
    fn judge_single(&mut self, at: TaskIndex, results: &[CheckResult]) {
        let TaskStage::Merging { work, harvest, results: own, .. } = &self.run.task(at).stage
        else {
            return;
        };
        let results = results.to_vec();
        let is_own_tree = merged_tree(self.run, at).is_some_and(|it| it.tree == harvest.tree);
        if is_own_tree || self.has_weak_tests(&results) {
            return self.reject(at, Rejection::ChecksFailed { results }, AttemptCounts::Yes);
        }
        let attempt = work.attempt.clone();
        let passed_alone = |failed: &CheckResult| own.iter().any(|it| it.command == failed.command);
        let says_something = self.run.own_checks(at);
        let undecided = results.iter().filter(|result| !result.is_accepted()).any(|failed| {
            says_something.iter().any(|check| check.command == failed.command)
                && !passed_alone(failed)
        });
        if undecided && self.run.halt().is_some_and(|halt| halt.now) {
            return self.postpone(&[at], PostponeReason::Stopped, Company::None);
        }
        if undecided {
            self.record(Event::MergeFailed { attempt, results });
            return self.check_again(at);
        }
        self.reject_broken(at, results);
    }

    /// What failed on the merged tree runs on its own tree.
    pub(in crate::decide) fn request_blame_round(&mut self, at: TaskIndex, broken: &[CheckResult]) {
        let TaskStage::Checking { work, harvest, .. } = &self.run.task(at).stage else { return };
        let failed = |check: &Check| {
            broken.iter().any(|it| it.command == check.command && !it.is_accepted())
        };
        let on = CheckOn::Tree(harvest.tree.clone());
        let attempt = Some(work.attempt.clone());
        let groups = self.run.own_groups(at).into_iter();
        // A failed check may need what the checks before it have built.
        let groups = groups.filter(|group| group.iter().any(&failed)).collect();
        let request = CheckRequest::plain(attempt, CheckPhase::Alone, on, Vec::new());
        self.request_checks(CheckRequest { groups, ..request }, &[at]);
    }

    /// It passes alone: a fresh worker continues on top of what it breaks with.
    pub(in crate::decide) fn reject_broken(&mut self, at: TaskIndex, results: Vec<CheckResult>) {
        let with = self.landed_beside(at);
        self.reject(at, Rejection::BrokenMerge { results, with }, AttemptCounts::No);
    }

    /// What landed since the attempt started.
    fn landed_beside(&self, at: TaskIndex) -> Vec<crate::ids::TaskId> {
        let Some(work) = self.run.task(at).stage.work() else { return Vec::new() };
        self.run.landed_since(&work.ground.base).map(|landed| landed.task.clone()).collect()
    }
}
