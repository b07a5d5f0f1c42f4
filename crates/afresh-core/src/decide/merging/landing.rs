//! The first batch of the chain: it lands once it has passed. The intent goes to the journal before the branch moves,
//! so that a crash in between is completed, not repeated (R3).

use std::collections::BTreeSet;

use crate::check::{CheckResult, NoteProblem, Receipt};
use crate::decide::Decider;
use crate::decide::halting::HaltMode;
use crate::effect::Effect;
use crate::event::Event;
use crate::harvest::{ChangeKind, Harvest};
use crate::ids::{AttemptId, CommitId};
use crate::input::{BranchMove, MergedTree};
use crate::plan::TaskIndex;
use crate::run::merge_queue::{Batch, BatchStage, PostponeReason};
use crate::run::{MergeStage, TaskStage, TaskState};

use super::merged_tree;

impl Decider<'_> {
    /// What is next to land has passed or failed: that counts now, because everything before it has landed.
    pub(super) fn settle_first_batch(&mut self) {
        let Some(first) = self.run.merge_queue().chain().first().cloned() else { return };
        match &first.stage {
            BatchStage::Passed(results) => self.land_batch(&first, results),
            BatchStage::Failed(results) => self.take_apart(first.id, results),
            BatchStage::Building
            | BatchStage::Checking
            | BatchStage::Searching(_)
            | BatchStage::Landing => {}
        }
    }

    fn land_batch(&mut self, batch: &Batch, results: &[CheckResult]) {
        // What has landed since the checks ran may have fixed a failure that was excused.
        let results = self.run.excuse_failures(&batch.members, results);
        if !results.iter().all(CheckResult::is_accepted) {
            self.record(Event::BatchFailed { batch: batch.id, results: results.clone() });
            self.postpone_after(batch.id, PostponeReason::PremiseFailed);
            return self.take_apart(batch.id, &results);
        }
        // A guard may have landed meanwhile, and then it has to pass, too.
        if !batch.members.iter().all(|at| self.covers(*at, &results)) {
            return self.postpone_from(batch.id, PostponeReason::Outdated);
        }
        let trees: Vec<MergedTree> =
            batch.members.iter().filter_map(|at| merged_tree(self.run, *at).cloned()).collect();
        let Some(covering) = trees.last().cloned() else { return };
        for (at, merged) in batch.members.iter().zip(trees) {
            self.record_intent(*at, merged, &covering, &results);
        }
        self.request_move();
    }

    /// A single merge whose tree has passed already.
    pub(super) fn land_alone(
        &mut self,
        at: TaskIndex,
        merged: &MergedTree,
        results: &[CheckResult],
    ) {
        self.record_intent(at, merged.clone(), merged, results);
        self.request_move();
    }

    fn record_intent(
        &mut self,
        at: TaskIndex,
        merged: MergedTree,
        covering: &MergedTree,
        results: &[CheckResult],
    ) {
        let TaskStage::Merging { work, harvest, .. } = &self.run.task(at).stage else { return };
        let attempt = work.attempt.clone();
        let mut needed: BTreeSet<String> =
            self.run.landing_checks(at).into_iter().map(|check| check.command).collect();
        needed.extend(self.run.settings().mutation.iter().map(|rule| rule.command.clone()));
        let results: Vec<CheckResult> =
            results.iter().filter(|it| needed.contains(&it.command)).cloned().collect();
        let mut receipt = receipt(harvest, &results, self.run.task(at), covering);
        receipt.covered_by = (merged.commit != covering.commit).then(|| covering.commit.clone());
        self.record(Event::LandIntended { attempt, merged, receipt });
    }

    /// Requests the move of the branch over the first batch, unless something holds it.
    pub(in crate::decide) fn request_move(&mut self) {
        let Some(first) = self.run.merge_queue().chain().first() else { return };
        let mut attempts = Vec::new();
        let mut last = None;
        for at in &first.members {
            let TaskStage::Merging {
                work,
                merge: MergeStage::Moving { merged, restore, hold: None, .. },
                ..
            } = &self.run.task(*at).stage
            else {
                return;
            };
            attempts.push(work.attempt.clone());
            last = Some((merged.commit.clone(), restore.clone()));
        }
        if let Some((to, restore)) = last {
            let from = first.onto.clone();
            self.request(Effect::MoveBranch { attempts, from, to, restore });
        }
    }

    pub(in crate::decide) fn branch_moved(
        &mut self,
        attempt: &AttemptId,
        to: &CommitId,
        moved: &BranchMove,
    ) {
        let Some(TaskStage::Merging {
            merge: MergeStage::Moving { merged, hold: None, .. }, ..
        }) = self.stage_of(attempt)
        else {
            return;
        };
        if merged.commit != *to {
            return;
        }
        let at = self.index(&attempt.task);
        let Some(batch) = self.run.merge_queue().batch_of(at).cloned() else { return };
        match moved {
            BranchMove::Done => {
                for at in batch.members {
                    let Some(merged) = merged_tree(self.run, at).cloned() else { continue };
                    let Some(attempt) = self.run.task(at).attempt().cloned() else { continue };
                    self.record(Event::Merged { attempt, commit: merged.commit });
                }
            }
            BranchMove::Foreign(commit) => self.ask_about_branch(at, commit),
            // Everything that they were made from is kept, so they are made again.
            BranchMove::CommitGone => self.postpone_from(batch.id, PostponeReason::CommitsGone),
            // Nothing is lost: the intent stays, and is carried out when the run resumes.
            BranchMove::Trouble(why) => {
                self.record(Event::LandDelayed { attempt: attempt.clone(), why: why.clone() });
                self.halt(
                    HaltMode::Graceful,
                    &format!("the branch could not be moved: {why}"),
                    "afresh",
                );
            }
        }
    }

    /// The merge does not depend on its note, so nothing follows but the record.
    pub(in crate::decide) fn note_warned(&mut self, attempt: &AttemptId, problem: &NoteProblem) {
        if self.run.state_of(&attempt.task).is_some() {
            let (attempt, problem) = (attempt.clone(), problem.clone());
            self.record(Event::NoteWarned { attempt, problem });
        }
    }

    /// Whether everything passed but the mutation test, which runs on the merged tree alone.
    pub(super) fn has_weak_tests(&self, results: &[CheckResult]) -> bool {
        let Some(rule) = &self.run.settings().mutation else { return false };
        let mut failed = results.iter().filter(|result| !result.is_accepted()).peekable();
        failed.peek().is_some() && failed.all(|result| result.command == rule.command)
    }
}

fn receipt(
    harvest: &Harvest,
    results: &[CheckResult],
    state: &TaskState,
    covering: &MergedTree,
) -> Receipt {
    let claim = state.claim().cloned().unwrap_or_default();
    let declared = state.declared_in_steps().cloned();
    let paths = |kind: ChangeKind| {
        harvest
            .changes
            .iter()
            .filter(|change| change.kind == kind)
            .map(|change| change.path.clone())
            .collect()
    };
    Receipt {
        tree: covering.tree.clone(),
        covered_by: None,
        checks: results.to_vec(),
        created: paths(ChangeKind::Created),
        modified: paths(ChangeKind::Modified),
        deleted: paths(ChangeKind::Deleted),
        differences: state.last.differences.clone(),
        criteria: claim.criteria,
        deviations: declared.chain(claim.deviations).collect(),
        notes: claim.notes,
        unexecuted_tests: unexecuted_by_all(harvest, results),
        review: state.last.review.clone(),
    }
}

/// Test files of this work that no check executed.
fn unexecuted_by_all(harvest: &Harvest, results: &[CheckResult]) -> Vec<String> {
    let Some((first, rest)) = results.split_first() else { return Vec::new() };
    let changed = harvest.changed_tests();
    let by_rest = |path: &&String| rest.iter().all(|result| result.unexecuted.contains(path));
    let of_work = first.unexecuted.iter().filter(|path| changed.contains(path));
    of_work.filter(by_rest).cloned().collect()
}
