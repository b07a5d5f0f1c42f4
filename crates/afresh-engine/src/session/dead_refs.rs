//! Repairs refs of ours whose objects are gone, so that the user's `git gc` works again.
//!
//! What an earlier driver staged, or what a workspace still holds, is saved again under the same
//! ref; else what can still be read of it. A ref whose work exists nowhere is deleted. The user is told.
//! The caller holds the repository's lock.

use afresh_git::ref_names::{
    RECEIPT_NOTES, run_branch_ref, run_of_branch_ref, run_of_tip_ref, run_tip_ref,
    split_salvage_ref,
};
use afresh_git::{DeadRef, Remains, Repository, WorkspacePool};

use crate::session::{OpenError, RepoContext};

/// Repairs every dead ref; returns what was done, in sentences.
pub(crate) fn repair(context: &RepoContext) -> Result<Vec<String>, OpenError> {
    let repository = &context.git;
    let mut sentences = Vec::new();
    for dead in repository.find_dead_refs()? {
        sentences.push(repair_ref(context, &dead)?);
    }
    repository.empty_staging().map_err(afresh_git::PoolError::from)?;
    Ok(sentences)
}

fn repair_ref(context: &RepoContext, dead: &DeadRef) -> Result<String, OpenError> {
    let repository = &context.git;
    let DeadRef { name, commit } = dead;
    if repository.revive_from_staging(dead)? {
        return Ok(format!("the objects of {name} were missing, and were restored"));
    }
    if let Some(twin) = find_twin(repository, dead)? {
        repository.replace_dead_ref(dead, Some(&twin))?;
        return Ok(format!("{name} pointed to the missing commit {commit}; it is {twin} again"));
    }
    let is_salvage = split_salvage_ref(name).is_some();
    // In one step, so that what is left of saved work is reachable at any moment.
    let remains = if is_salvage { repository.save_remains(dead)? } else { None };
    if remains.is_none() {
        repository.replace_dead_ref(dead, None)?;
    }
    if is_salvage
        && let Some(pool) = WorkspacePool::find(repository.clone(), &context.layout.cache)?
        && pool.save_again(name)?
    {
        return Ok(format!(
            "the objects of {name} were missing; it was saved again from its workspace"
        ));
    }
    Ok(match remains {
        Some(Remains { commit: rest, lost }) => format!(
            "{name} pointed to the commit {commit}, and another program has removed some of its objects; \
             what is left of it is saved as {rest} ({lost} files or directories are lost)"
        ),
        None if name == RECEIPT_NOTES => format!(
            "{name} pointed to the commit {commit}, which another program has removed; the ref was deleted, and receipts \
             of earlier runs are gone unless you fetch them: `git fetch origin {name}:{name}`"
        ),
        None => format!(
            "{name} pointed to the commit {commit}, whose objects another program has removed; the ref was deleted"
        ),
    })
}

/// The branch and the tip ref of a run point to the same commit, unless one of them is dead.
fn find_twin(
    repository: &Repository,
    dead: &DeadRef,
) -> Result<Option<afresh_core::ids::CommitId>, OpenError> {
    let twin = match (run_of_branch_ref(&dead.name), run_of_tip_ref(&dead.name)) {
        (Some(run), _) => run_tip_ref(run),
        (_, Some(run)) => run_branch_ref(run),
        _ => return Ok(None),
    };
    let Some(commit) = repository.read_ref(&twin)? else { return Ok(None) };
    Ok(repository.is_whole(&commit)?.then_some(commit))
}
