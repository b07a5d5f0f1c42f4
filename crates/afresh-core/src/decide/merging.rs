//! One merge at a time: built without touching the branch, checked, and only then does the branch move (EX-05, R3,
//! R4).

use super::Decider;
use super::attempt::verdict::AttemptCounts;
use super::halting::HaltMode;
use crate::check::{CheckOutcome, CheckPhase, CheckResult, NoteProblem, Receipt};
use crate::effect::{CheckOn, CheckRequest, Effect};
use crate::event::Event;
use crate::harvest::{ChangeKind, Harvest};
use crate::ids::{AttemptId, CommitId};
use crate::input::{BranchMove, CheckReport, MergeBuild, MergedTree};
use crate::plan::TaskIndex;
use crate::rejection::Rejection;
use crate::run::{LandHold, MergeStage, TaskStage, TaskState};

impl Decider<'_> {
    /// Gives the merge slot to the next task in line.
    pub(super) fn start_next_merge(&mut self) {
        if self.run.merging().is_some() {
            return;
        }
        let Some(at) = self.run.next_in_merge_queue() else { return };
        let Some(attempt) = self.run.task(at).attempt().cloned() else { return };
        let onto = self.run.tip().clone();
        self.record(Event::MergeStarted { attempt, onto });
        self.resume_merge(at);
    }

    /// Requests the next step of the merge; used when it starts and after a restart.
    pub(super) fn resume_merge(&mut self, at: TaskIndex) {
        let TaskStage::Merging { work, harvest, merge: stage, .. } =
            self.run.task(at).stage.clone()
        else {
            return;
        };
        let attempt = work.attempt;
        match stage {
            MergeStage::Building { onto } => {
                self.request(Effect::BuildMerge {
                    attempt,
                    base: work.ground.base,
                    onto,
                    theirs: harvest.commit,
                });
            }
            MergeStage::Checking { merged, .. } => {
                self.request_merged_checks(at, attempt, merged);
            }
            MergeStage::Moving { hold: Some(LandHold::Asked(_)), .. } => {}
            MergeStage::Moving { merged, restore, .. } => {
                self.request(Effect::MoveBranch {
                    attempt,
                    from: merged.onto,
                    to: merged.commit,
                    restore,
                });
            }
        }
    }

    fn request_merged_checks(&mut self, at: TaskIndex, attempt: AttemptId, merged: MergedTree) {
        let checks = self.run.landing_checks(at);
        let changed_tests = match &self.run.task(at).stage {
            TaskStage::Merging { harvest, .. } => harvest.changed_tests(),
            _ => Vec::new(),
        };
        let on = CheckOn::Tree(merged.tree);
        let mutation = self.run.settings().mutation.clone().map(|rule| (rule, merged.onto));
        let request = CheckRequest::plain(Some(attempt), CheckPhase::Merged, on, checks);
        self.request_checks(CheckRequest { changed_tests, mutation, ..request });
    }

    pub(super) fn merge_built(&mut self, attempt: &AttemptId, build: &MergeBuild) {
        let Some(TaskStage::Merging {
            harvest, results, merge: MergeStage::Building { onto }, ..
        }) = self.stage_of(attempt)
        else {
            return;
        };
        let (harvest, results, onto) = (harvest.clone(), results.clone(), onto.clone());
        let at = self.index(&attempt.task);
        match build {
            // Built onto another commit: a late answer from before a restart.
            MergeBuild::Clean(merged) if merged.onto != onto => {}
            // Nothing landed meanwhile, so the tree that passed is the tree that lands.
            MergeBuild::Clean(merged)
                if merged.tree == harvest.tree && self.still_passed(at, &results) =>
            {
                self.land(at, merged, &results);
            }
            MergeBuild::Clean(merged) => {
                let (attempt, merged) = (attempt.clone(), merged.clone());
                self.record(Event::MergeBuilt { attempt: attempt.clone(), merged: merged.clone() });
                self.request_merged_checks(at, attempt, merged);
            }
            // A conflict does not count: the work was good, but another task landed first.
            MergeBuild::Conflict { paths, detail } => {
                self.reject(
                    at,
                    Rejection::Conflict { paths: paths.clone(), detail: detail.clone() },
                    AttemptCounts::No,
                );
            }
            MergeBuild::Impossible(why) => {
                self.reject(
                    at,
                    Rejection::Trouble { message: format!("could not be merged: {why}") },
                    AttemptCounts::Yes,
                );
            }
        }
    }

    /// Whether everything passed but the mutation test, which runs on the merged tree alone.
    fn has_weak_tests(&self, results: &[CheckResult]) -> bool {
        let Some(rule) = &self.run.settings().mutation else { return false };
        let mut failed = results.iter().filter(|result| !result.is_accepted()).peekable();
        failed.peek().is_some() && failed.all(|result| result.command == rule.command)
    }

    /// Whether the results of its own tree are still enough to land. What landed meanwhile may have fixed a failure
    /// that was excused.
    fn still_passed(&self, at: TaskIndex, results: &[CheckResult]) -> bool {
        let excused = self.run.excuse_failures(Some(at), results);
        excused.iter().all(CheckResult::is_accepted) && self.covers(at, results)
    }

    pub(super) fn merge_checked(&mut self, attempt: &AttemptId, report: &CheckReport) {
        let Some(TaskStage::Merging { merge: MergeStage::Checking { merged, .. }, .. }) =
            self.stage_of(attempt)
        else {
            return;
        };
        if merged.tree != report.tree {
            return;
        }
        let merged = merged.clone();
        let at = self.index(&attempt.task);
        match &report.checked {
            CheckOutcome::Stopped => self.checks_were_stopped(attempt.clone(), CheckPhase::Merged),
            CheckOutcome::Impossible(why) => self.checks_are_impossible(at, why),
            CheckOutcome::Ran(results) => {
                let results = self.run.excuse_failures(Some(at), results);
                if self.has_weak_tests(&results) {
                    let reason = Rejection::ChecksFailed { results };
                    return self.reject(at, reason, AttemptCounts::Yes);
                }
                if !results.iter().all(CheckResult::is_accepted) {
                    // It passed alone, so the combination fails: retry on top of the new tip.
                    let reason = Rejection::BrokenMerge { results };
                    return self.reject(at, reason, AttemptCounts::No);
                }
                // A round from before a restart says nothing about checks that were added later.
                if self.covers(at, &results) {
                    self.land(at, &merged, &results);
                }
            }
        }
    }

    /// The merged tree passed. The intent goes to the journal before the branch moves, so that a crash in between
    /// is completed, not repeated.
    fn land(&mut self, at: TaskIndex, merged: &MergedTree, results: &[CheckResult]) {
        let TaskStage::Merging { work, harvest, .. } = &self.run.task(at).stage else { return };
        let attempt = work.attempt.clone();
        let receipt = receipt(harvest, merged, results, self.run.task(at));
        self.record(Event::LandIntended { attempt, merged: merged.clone(), receipt });
        self.resume_merge(at);
    }

    pub(super) fn branch_moved(&mut self, attempt: &AttemptId, to: &CommitId, moved: &BranchMove) {
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
        match moved {
            BranchMove::Done => {
                self.record(Event::Merged { attempt: attempt.clone(), commit: to.clone() });
            }
            BranchMove::Foreign(commit) => self.ask_about_branch(at, commit),
            // Everything that it was made from is kept, so it is made again.
            BranchMove::CommitGone => {
                let onto = self.run.tip().clone();
                self.record(Event::MergeStarted { attempt: attempt.clone(), onto });
                self.resume_merge(at);
            }
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
    pub(super) fn note_warned(&mut self, attempt: &AttemptId, problem: &NoteProblem) {
        if self.run.state_of(&attempt.task).is_some() {
            let (attempt, problem) = (attempt.clone(), problem.clone());
            self.record(Event::NoteWarned { attempt, problem });
        }
    }
}

fn receipt(
    harvest: &Harvest,
    merged: &MergedTree,
    results: &[CheckResult],
    state: &TaskState,
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
        tree: merged.tree.clone(),
        checks: results.to_vec(),
        created: paths(ChangeKind::Created),
        modified: paths(ChangeKind::Modified),
        deleted: paths(ChangeKind::Deleted),
        differences: state.last.differences.clone(),
        criteria: claim.criteria,
        deviations: declared.chain(claim.deviations).collect(),
        notes: claim.notes,
        unexecuted_tests: unexecuted_by_all(results),
        review: state.last.review.clone(),
    }
}

/// Test files that no check executed.
fn unexecuted_by_all(results: &[CheckResult]) -> Vec<String> {
    let Some((first, rest)) = results.split_first() else { return Vec::new() };
    let by_rest = |path: &&String| rest.iter().all(|result| result.unexecuted.contains(path));
    first.unexecuted.iter().filter(by_rest).cloned().collect()
}
