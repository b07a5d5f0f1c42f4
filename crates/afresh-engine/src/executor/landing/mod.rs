//! Builds a merge without touching the branch, then moves the branch to it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `moving` | moving the branch |
//! | `progress_files` | progress in the plan's own files, as part of the merge |
//! | `receipt_note` | the note that goes with it |
//! | [`rewind`] | moving it back |

mod moving;
mod progress_files;
mod receipt_note;
pub(crate) mod rewind;

pub(crate) use moving::MoveJob;

use std::fs;

use afresh_core::hook::HookPoint;
use afresh_core::ids::{AttemptId, CommitId, TreeId};
use afresh_core::input::{MergeBuild, MergedTree};
use afresh_core::run::TaskStage;
use afresh_core::run::settings::History;
use afresh_core::{Input, Run};
use afresh_git::Repository;
use afresh_git::ref_names::branch_ref;
use afresh_git::{CommitSignature, MergeOutcome, MergeRequest, NewCommit, RefError};
use afresh_secrets::redact;

use crate::driver::clock::wall_seconds;
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;
use crate::executor::hooks::{HookEvent, HookResult, run_stoppable_hooks};
use progress_files::{ProgressJob, WrittenProgress};

pub(crate) struct MergeJob {
    attempt: AttemptId,
    base: CommitId,
    onto: CommitId,
    theirs: Option<CommitId>,
    /// The tree of `theirs`.
    tree: Option<TreeId>,
    history: History,
    message: String,
    /// What to write into the plan's own files.
    progress: Option<ProgressJob>,
    hook: Option<HookEvent>,
}

impl MergeJob {
    pub(crate) fn new(
        run: &Run,
        attempt: AttemptId,
        base: CommitId,
        onto: CommitId,
        theirs: Option<CommitId>,
    ) -> Self {
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
        Self { attempt, base, onto, theirs, tree, history, message, progress, hook }
    }

    pub(crate) fn carry_out(&self, shared: &ExecutorContext) -> Input {
        match self.hook.as_ref().map(|event| run_stoppable_hooks(shared, event)) {
            Some(HookResult::Failed(failure)) => return Input::HookFailed(failure),
            Some(HookResult::Stopped | HookResult::Passed) | None => {}
        }
        // A garbage collection may have removed objects that no ref reached; they are made again.
        let build = self.build(shared).or_else(|_| self.build(shared));
        let build = build.unwrap_or_else(MergeBuild::Impossible);
        Input::MergeBuilt(self.attempt.clone(), build)
    }

    fn build(&self, shared: &ExecutorContext) -> Result<MergeBuild, String> {
        let repository = shared.pool.repository();
        let tree = match (&self.theirs, &self.tree) {
            (Some(theirs), Some(theirs_tree)) => {
                let merge =
                    MergeRequest { base: &self.base, onto: &self.onto, theirs, theirs_tree };
                match shared.pool.merge(&merge).map_err(|error| describe(&error))? {
                    MergeOutcome::Clean { tree } => tree,
                    MergeOutcome::Conflict { paths, text } => {
                        return Ok(MergeBuild::Conflict { paths, detail: text });
                    }
                }
            }
            // Nothing changed, and no change was expected.
            _ => repository.commit_tree(&self.onto).map_err(|error| describe(&error))?,
        };
        let WrittenProgress { tree, problem } = self.write_progress(repository, tree)?;
        let mut parents = vec![self.onto.clone()];
        parents.extend(self.second_parent(repository)?);
        let message = redact(&self.message, &shared.config.workers.secrets());
        let signature = CommitSignature {
            identity: shared.pool.identity().clone(),
            at_seconds: wall_seconds(),
        };
        let new =
            NewCommit { tree: &tree, parents: &parents, message: &message, signature: &signature };
        let commit = repository.commit(&new).map_err(|error| describe(&error))?;
        // Checks may take long, and no ref reaches the commit until it lands.
        repository.publish(&commit).map_err(|error| describe(&error))?;
        let onto = self.onto.clone();
        Ok(MergeBuild::Clean(MergedTree { onto, commit, tree, unwritten: problem }))
    }

    /// The merged tree with the task marked as finished in the plan's own files: it is what is checked and lands.
    fn write_progress(
        &self,
        repository: &Repository,
        tree: TreeId,
    ) -> Result<WrittenProgress, String> {
        let Some(progress) = &self.progress else {
            return Ok(WrittenProgress { tree, problem: None });
        };
        // The time of the work: built again after a crash, the tree is the same.
        let work = self.theirs.as_ref().unwrap_or(&self.onto);
        let finished_at = repository.committed_at(work).map_err(|error| describe(&error))?;
        progress.write(repository, tree, finished_at)
    }
}

impl MergeJob {
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

/// The error with what the user can do about it: it becomes the reason of a halt.
pub(crate) fn describe_ref_error(error: &RefError) -> String {
    match error.hint() {
        Some(hint) => format!("{}; {hint}", describe(error)),
        None => describe(error),
    }
}

/// The user's worktree that has the branch checked out: moving the branch would make that checkout look as if
/// the work had been undone.
pub(crate) fn checked_out_in(repository: &Repository, branch: &str) -> Option<String> {
    let common = repository.common_dir();
    let wanted = format!("ref: {}", branch_ref(branch));
    let linked = fs::read_dir(common.join("worktrees"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    std::iter::once(common.to_owned()).chain(linked).find_map(|directory| {
        let head = fs::read_to_string(directory.join("HEAD")).ok()?;
        (head.trim() == wanted).then(|| directory.display().to_string())
    })
}
