//! Builds the merges of a batch on each other, without touching the branch.

use afresh_core::commit::CHECKED_TREE;
use afresh_core::effect::MergeMember;
use afresh_core::hook::HookPoint;
use afresh_core::ids::{AttemptId, CommitId, TreeId};
use afresh_core::input::{MergeBuild, MergedTree};
use afresh_core::run::TaskStage;
use afresh_core::run::merge_queue::BatchId;
use afresh_core::run::settings::History;
use afresh_core::{Input, Run};
use afresh_git::{CommitSignature, MergeOutcome, MergeRequest, NewCommit, Repository};
use afresh_secrets::redact;

use super::progress_files::{ProgressJob, WrittenProgress};
use crate::driver::clock::wall_seconds;
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;
use crate::executor::hooks::{HookEvent, HookResult, run_stoppable_hooks};

/// Builds the merges of a batch on each other.
pub(crate) struct BatchJob {
    batch: BatchId,
    onto: CommitId,
    members: Vec<MemberJob>,
}

/// One of them.
struct MemberJob {
    attempt: AttemptId,
    base: CommitId,
    theirs: Option<CommitId>,
    /// The tree of `theirs`.
    tree: Option<TreeId>,
    history: History,
    message: String,
    /// What to write into the plan's own files.
    progress: Option<ProgressJob>,
    hook: Option<HookEvent>,
}

/// What follows if one of them cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnTrouble {
    GiveUp,
    LeaveOut,
}

/// A merge whose commit may have to be made again, because it is not yet known what is checked for it.
struct DraftMerge {
    attempt: AttemptId,
    commit: CommitId,
    tree: TreeId,
    /// The work, where it stays behind the merge.
    second_parent: Option<CommitId>,
    message: String,
    at_seconds: u64,
    unwritten: Option<String>,
}

impl BatchJob {
    pub(crate) fn new(
        run: &Run,
        batch: BatchId,
        onto: CommitId,
        members: Vec<MergeMember>,
    ) -> Self {
        let members =
            members.into_iter().map(|member| MemberJob::new(run, member, &onto)).collect();
        Self { batch, onto, members }
    }

    /// Work that a hook holds back is left out, and reported before the others.
    pub(crate) fn carry_out(&self, shared: &ExecutorContext, answer: &(dyn Fn(Input) + Sync)) {
        let mut released = Vec::new();
        for member in &self.members {
            match member.hook.as_ref().map(|event| run_stoppable_hooks(shared, event)) {
                Some(HookResult::Failed(failure)) => answer(Input::HookFailed(failure)),
                Some(HookResult::Stopped | HookResult::Passed) | None => released.push(member),
            }
        }
        // A garbage collection may have removed objects that no ref reached; they are made again.
        let build = |trouble| self.build(shared, &released, trouble);
        let builds = build(OnTrouble::GiveUp).or_else(|_| build(OnTrouble::LeaveOut));
        let builds = builds.unwrap_or_else(|why| {
            let failed =
                |member: &&MemberJob| (member.attempt.clone(), MergeBuild::Impossible(why.clone()));
            released.iter().map(failed).collect()
        });
        answer(Input::BatchBuilt(self.batch, builds));
    }

    fn build(
        &self,
        shared: &ExecutorContext,
        members: &[&MemberJob],
        trouble: OnTrouble,
    ) -> Result<Vec<(AttemptId, MergeBuild)>, String> {
        let mut builds = Vec::new();
        let mut drafts: Vec<DraftMerge> = Vec::new();
        for member in members {
            match member.build(shared, &self.onto, &drafts) {
                Ok(Ok(draft)) => drafts.push(draft),
                Ok(Err(conflict)) => builds.push((member.attempt.clone(), conflict)),
                Err(why) if trouble == OnTrouble::GiveUp => return Err(why),
                Err(why) => builds.push((member.attempt.clone(), MergeBuild::Impossible(why))),
            }
        }
        builds.extend(self.finish(shared, drafts)?);
        Ok(builds)
    }

    /// The commits of several merges name the tree that is checked for all of them: that of the last one.
    fn finish(
        &self,
        shared: &ExecutorContext,
        drafts: Vec<DraftMerge>,
    ) -> Result<Vec<(AttemptId, MergeBuild)>, String> {
        let repository = shared.pool.repository();
        let Some(checked) = drafts.last().map(|draft| draft.tree.clone()) else {
            return Ok(Vec::new());
        };
        let is_alone = drafts.len() == 1;
        let last = drafts.len() - 1;
        let mut onto = self.onto.clone();
        let mut builds = Vec::new();
        for (number, draft) in drafts.into_iter().enumerate() {
            let covered_by = (number < last && draft.tree != checked).then_some(&checked);
            let commit = if is_alone {
                draft.commit.clone()
            } else {
                draft.commit_onto(shared, &onto, covered_by)?
            };
            let DraftMerge { attempt, tree, unwritten, .. } = draft;
            let merged = MergedTree { onto, commit: commit.clone(), tree, unwritten };
            builds.push((attempt, MergeBuild::Clean(merged)));
            onto = commit;
        }
        // Checks may take long, and no ref reaches the commits until they land.
        repository.publish(&onto).map_err(|error| describe(&error))?;
        Ok(builds)
    }
}

impl DraftMerge {
    fn commit_onto(
        &self,
        shared: &ExecutorContext,
        onto: &CommitId,
        covered_by: Option<&TreeId>,
    ) -> Result<CommitId, String> {
        let mut parents = vec![onto.clone()];
        parents.extend(self.second_parent.clone());
        let trailer = covered_by.map(|tree| format!("{CHECKED_TREE}: {tree}\n"));
        let message = format!("{}{}", self.message, trailer.unwrap_or_default());
        let signature = CommitSignature {
            identity: shared.pool.identity().clone(),
            at_seconds: self.at_seconds,
        };
        let new = NewCommit {
            tree: &self.tree,
            parents: &parents,
            message: &message,
            signature: &signature,
        };
        shared.pool.repository().commit(&new).map_err(|error| describe(&error))
    }
}

impl MemberJob {
    fn new(run: &Run, member: MergeMember, onto: &CommitId) -> Self {
        let MergeMember { attempt, base, theirs } = member;
        let at = run.plan().index_of(&attempt.task).expect("effects name tasks of this plan");
        let tree = match &run.task(at).stage {
            TaskStage::Merging { harvest, .. } => Some(harvest.tree.clone()),
            _ => None,
        };
        let message = run.commit_message(&attempt);
        let history = run.settings().history;
        let progress = ProgressJob::find(run, &attempt);
        let hook = HookEvent::before(run, HookPoint::BeforeMerge, &attempt);
        let hook = hook.map(|event| event.with("onto", onto.as_str().into()));
        Self { attempt, base, theirs, tree, history, message, progress, hook }
    }

    /// The merge with what is below it, with the task marked as finished in the plan's own files: that tree is checked
    /// and lands. The inner error is what the core is told instead.
    fn build(
        &self,
        shared: &ExecutorContext,
        onto: &CommitId,
        below: &[DraftMerge],
    ) -> Result<Result<DraftMerge, MergeBuild>, String> {
        let repository = shared.pool.repository();
        let onto = below.last().map_or(onto, |draft| &draft.commit);
        let tree = match (&self.theirs, &self.tree) {
            (Some(theirs), Some(theirs_tree)) => {
                let merge = MergeRequest { base: &self.base, onto, theirs, theirs_tree };
                match shared.pool.merge(&merge).map_err(|error| describe(&error))? {
                    MergeOutcome::Clean { tree } => tree,
                    MergeOutcome::Conflict { paths, text } => {
                        return Ok(Err(MergeBuild::Conflict { paths, detail: text }));
                    }
                }
            }
            // Nothing changed, and no change was expected.
            _ => repository.commit_tree(onto).map_err(|error| describe(&error))?,
        };
        let WrittenProgress { tree, problem } = match &self.progress {
            Some(progress) => {
                let below: Vec<&AttemptId> = below.iter().map(|draft| &draft.attempt).collect();
                // The time of the work: built again after a crash, the tree is the same.
                let work = self.theirs.as_ref().unwrap_or(onto);
                let finished_at =
                    repository.committed_at(work).map_err(|error| describe(&error))?;
                progress.write(repository, tree, finished_at, &below)?
            }
            None => WrittenProgress { tree, problem: None },
        };
        let mut draft = DraftMerge {
            attempt: self.attempt.clone(),
            commit: onto.clone(),
            tree,
            second_parent: self.second_parent(repository)?,
            message: redact(&self.message, &shared.config.workers.secrets()),
            at_seconds: wall_seconds(),
            unwritten: problem,
        };
        draft.commit = draft.commit_onto(shared, onto, None)?;
        Ok(Ok(draft))
    }

    /// Several steps stay behind the merge; a single commit lands by itself, without a merge around it (EX-16).
    fn second_parent(&self, repository: &Repository) -> Result<Option<CommitId>, String> {
        let Some(theirs) = self.theirs.as_ref().filter(|_| self.history == History::Merge) else {
            return Ok(None);
        };
        let parents = repository.parents(theirs).map_err(|error| describe(&error))?;
        let is_single = parents == [self.base.clone()];
        Ok((!is_single).then(|| theirs.clone()))
    }
}
