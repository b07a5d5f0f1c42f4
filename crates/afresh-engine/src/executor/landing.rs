//! Builds a merge without touching the branch, then moves the branch to it.

use std::fs;

use afresh_core::ids::{AttemptId, CommitId, TreeId};
use afresh_core::input::{BranchMove, MergeBuild, MergedTree};
use afresh_core::run::TaskStage;
use afresh_core::settings::History;
use afresh_core::{Input, Run};
use afresh_git::ref_names::{branch_ref, run_tip_ref, salvage_ref, step_ref};
use afresh_git::{
    CommitSignature, DEFAULT_LOCK_TIMEOUT, MergeOutcome, MergeRequest, NewCommit, RefError,
    RefExpectation, RefOutcome, RefUpdate,
};

use crate::driver::clock::wall_seconds;
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;
use crate::executor::harvest::one_line;

pub(crate) struct MergeJob {
    attempt: AttemptId,
    base: CommitId,
    onto: CommitId,
    theirs: Option<CommitId>,
    /// The tree of `theirs`.
    tree: Option<TreeId>,
    linear: bool,
    title: String,
}

impl MergeJob {
    pub(crate) fn new(
        run: &Run,
        attempt: AttemptId,
        base: CommitId,
        onto: CommitId,
        theirs: Option<CommitId>,
        linear: bool,
    ) -> Self {
        let at = run.plan().index_of(&attempt.task).expect("effects name tasks of this plan");
        let tree = match &run.task(at).stage {
            TaskStage::Merging { harvest, .. } => Some(harvest.tree.clone()),
            _ => None,
        };
        let title = one_line(&run.plan().task(at).title);
        Self { attempt, base, onto, theirs, tree, linear, title }
    }

    pub(crate) fn carry_out(&self, shared: &ExecutorContext) -> Input {
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
        let mut parents = vec![self.onto.clone()];
        parents.extend(self.theirs.clone().filter(|_| !self.linear));
        let message = format!(
            "feat({task}): {title}\n\nAfresh-Run: {run}\nAfresh-Task: {task}\nAfresh-Attempt: {number}\n",
            task = self.attempt.task,
            title = self.title,
            run = shared.run,
            number = self.attempt.number,
        );
        let signature = CommitSignature {
            identity: shared.pool.identity().clone(),
            at_seconds: wall_seconds(),
        };
        let new =
            NewCommit { tree: &tree, parents: &parents, message: &message, signature: &signature };
        let commit = repository.commit(&new).map_err(|error| describe(&error))?;
        // Checks may take long, and no ref reaches the commit until it lands.
        repository.publish(&commit).map_err(|error| describe(&error))?;
        Ok(MergeBuild::Clean(MergedTree { onto: self.onto.clone(), commit, tree }))
    }
}

pub(crate) struct MoveJob {
    pub(crate) branch: String,
    pub(crate) attempt: AttemptId,
    pub(crate) from: CommitId,
    pub(crate) to: CommitId,
    pub(crate) restore: Option<CommitId>,
    /// Refs whose commits the branch reaches once it has moved: they are no longer needed.
    pub(crate) reached: Vec<(String, CommitId)>,
}

/// The refs that keep the commits behind the merge's second parent: the attempt's own, and the steps that it
/// continued from. A linear history reaches none of them.
pub(crate) fn reached(run: &Run, attempt: &AttemptId) -> Vec<(String, CommitId)> {
    let Some(state) = run.state_of(&attempt.task) else { return Vec::new() };
    let TaskStage::Merging { harvest, .. } = &state.stage else { return Vec::new() };
    let (Some(own), History::Merge) = (harvest.commit.clone(), run.settings().history) else {
        return Vec::new();
    };
    let id = run.id().as_str();
    let mut refs = vec![(salvage_ref(id, &attempt.to_string()), own)];
    let mut last = None;
    for step in &state.steps.finished {
        // A step that changed nothing has the commit of the step before, and no ref of its own.
        if let Some(commit) = step.commit.as_ref().filter(|commit| last != Some(*commit)) {
            let name = step_ref(id, &step.attempt.to_string(), step.step as usize);
            refs.push((name, commit.clone()));
        }
        last = step.commit.as_ref();
    }
    refs
}

impl MoveJob {
    pub(crate) fn carry_out(&self, shared: &ExecutorContext) -> Input {
        let from = RefExpectation::Is(self.from.clone());
        let moved = self.try_move(shared, &from, &self.reached);
        let moved = moved.unwrap_or_else(BranchMove::Trouble);
        Input::BranchMoved(self.attempt.clone(), self.to.clone(), moved)
    }

    fn try_move(
        &self,
        shared: &ExecutorContext,
        expected: &RefExpectation,
        reached: &[(String, CommitId)],
    ) -> Result<BranchMove, String> {
        if let Some(place) = checked_out_in(shared, &self.branch) {
            return Err(format!(
                "{} is checked out in {place}; switch to another branch there",
                self.branch
            ));
        }
        let repository = shared.pool.repository();
        let updates = self.updates(shared, expected.clone(), reached);
        let outcome = match repository.update_refs(&updates, DEFAULT_LOCK_TIMEOUT) {
            Ok(outcome) => outcome,
            // No ref points to the commit until the branch does: `git gc` may have removed it.
            Err(_) if matches!(repository.exists(&self.to), Ok(false)) => {
                return Ok(BranchMove::CommitGone);
            }
            Err(error) => return Err(describe_ref_error(&error)),
        };
        match outcome {
            RefOutcome::Done => Ok(BranchMove::Done),
            // The ref holds other work than what lands, or is gone: remove the others, and leave this one.
            RefOutcome::Mismatch { name, .. } if reached.iter().any(|(kept, _)| *kept == name) => {
                let others: Vec<_> =
                    reached.iter().filter(|(kept, _)| *kept != name).cloned().collect();
                self.try_move(shared, expected, &others)
            }
            // An earlier driver was killed between the move and its record: it is done.
            RefOutcome::Mismatch { now: Some(now), .. } if now == self.to => Ok(BranchMove::Done),
            // The user deleted the branch; its commits are kept, so it can be restored.
            RefOutcome::Mismatch { now: None, .. } if *expected != RefExpectation::Missing => {
                self.try_move(shared, &RefExpectation::Missing, reached)
            }
            RefOutcome::Mismatch { now: Some(now), .. }
                if self.restore.as_ref() == Some(&now)
                    && *expected != RefExpectation::Is(now.clone()) =>
            {
                save_outsider(shared, &now)?;
                self.try_move(shared, &RefExpectation::Is(now), reached)
            }
            RefOutcome::Mismatch { now: Some(now), .. } => Ok(BranchMove::Foreign(now)),
            RefOutcome::Mismatch { now: None, name } => Err(format!("{name} comes and goes")),
        }
    }

    fn updates(
        &self,
        shared: &ExecutorContext,
        expected: RefExpectation,
        reached: &[(String, CommitId)],
    ) -> Vec<RefUpdate> {
        let run = shared.run.as_str();
        let mut updates = vec![
            RefUpdate { name: branch_ref(&self.branch), new: Some(self.to.clone()), old: expected },
            RefUpdate {
                name: run_tip_ref(run),
                new: Some(self.to.clone()),
                old: RefExpectation::Any,
            },
        ];
        updates.extend(reached.iter().map(|(name, commit)| RefUpdate {
            name: name.clone(),
            new: None,
            old: RefExpectation::Is(commit.clone()),
        }));
        updates
    }
}

/// The error with what the user can do about it: it becomes the reason of a halt.
pub(crate) fn describe_ref_error(error: &RefError) -> String {
    match error.hint() {
        Some(hint) => format!("{}; {hint}", describe(error)),
        None => describe(error),
    }
}

/// A commit that another program put on the branch is saved: it is a person's work.
fn save_outsider(shared: &ExecutorContext, commit: &CommitId) -> Result<(), String> {
    let name = salvage_ref(shared.run.as_str(), &format!("outsider-{}", &commit.as_str()[..12]));
    let update = RefUpdate { name, new: Some(commit.clone()), old: RefExpectation::Any };
    let outcome = shared.pool.repository().update_refs(&[update], DEFAULT_LOCK_TIMEOUT);
    outcome.map(drop).map_err(|error| describe_ref_error(&error))
}

/// The user's worktree that has the branch checked out: moving the branch would make that checkout look as if
/// the work had been undone.
pub(crate) fn checked_out_in(shared: &ExecutorContext, branch: &str) -> Option<String> {
    let common = shared.pool.repository().common_dir();
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
