//! Refs of ours whose objects are gone.
//!
//! A garbage collection that another version of afresh did not protect itself from, a damaged disk or
//! a hand in `.git/objects` leaves them. They break `git gc` for the user, so none is left behind.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::ids::CommitId;

use crate::git::command::{CommandError, lines};
use crate::git::repository::Repository;
use crate::refs::names::{OWN_REFS, RECEIPT_NOTES, RUN_BRANCHES};
use crate::refs::{DEFAULT_LOCK_TIMEOUT, RefError, RefExpectation, RefUpdate};

/// A ref of ours that reaches objects which do not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadRef {
    pub name: String,
    pub commit: CommitId,
}

impl Repository {
    /// The refs of ours that reach missing objects.
    pub fn find_dead_refs(&self) -> Result<Vec<DeadRef>, RefError> {
        let mut found = self.find_dead_notes()?;
        found.extend(self.find_dead_own_refs()?);
        Ok(found)
    }

    /// The notes, if their last commit is missing. All of them would be too many to look at, and others made them too.
    fn find_dead_notes(&self) -> Result<Vec<DeadRef>, RefError> {
        let Some(commit) = self.read_ref(RECEIPT_NOTES)? else { return Ok(Vec::new()) };
        // Without what is staged, which the user's git does not see.
        let call = self.git("check that the notes exist");
        // Any other end says nothing about the object: a disk that fails, or too few file handles.
        if call.args(["cat-file", "-e", commit.as_str()]).run()?.status.code() != Some(1) {
            return Ok(Vec::new());
        }
        Ok(vec![DeadRef { name: RECEIPT_NOTES.to_owned(), commit }])
    }

    fn find_dead_own_refs(&self) -> Result<Vec<DeadRef>, RefError> {
        let mut refs = self.list_refs(OWN_REFS)?;
        refs.extend(self.list_refs(RUN_BRANCHES)?);
        let tips: BTreeSet<CommitId> = refs.values().cloned().collect();
        if tips.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.existing_user_tips()?;
        if self.are_whole(tips.iter(), &known)? {
            return Ok(Vec::new());
        }
        let mut dead = BTreeMap::new();
        for tip in tips {
            let is_dead = !self.are_whole([&tip], &known)?;
            dead.insert(tip, is_dead);
        }
        let refs = refs.into_iter().filter(|(_, commit)| dead.get(commit) == Some(&true));
        Ok(refs.map(|(name, commit)| DeadRef { name, commit }).collect())
    }

    /// Brings back the objects of a dead ref that an earlier driver had staged; returns whether the
    /// ref is whole again.
    pub fn revive_from_staging(&self, dead: &DeadRef) -> Result<bool, RefError> {
        if !self.is_staged(dead.commit.as_str()) || self.publish(&dead.commit).is_err() {
            return Ok(false);
        }
        self.reader.restart();
        Ok(self.are_whole([&dead.commit], &self.existing_user_tips()?)?)
    }

    /// Deletes a dead ref, or lets it point to a commit that exists.
    pub fn replace_dead_ref(&self, dead: &DeadRef, new: Option<&CommitId>) -> Result<(), RefError> {
        let update = RefUpdate {
            name: dead.name.clone(),
            new: new.cloned(),
            old: RefExpectation::Is(dead.commit.clone()),
        };
        // A ref that has moved meanwhile is somebody else's concern.
        self.update_refs(&[update], DEFAULT_LOCK_TIMEOUT).map(drop)
    }

    /// Whether a commit and all objects that it adds to the user's branches exist.
    pub fn is_whole(&self, commit: &CommitId) -> Result<bool, RefError> {
        Ok(self.are_whole([commit], &self.existing_user_tips()?)?)
    }

    fn existing_user_tips(&self) -> Result<Vec<CommitId>, RefError> {
        let mut tips: Vec<CommitId> = self.user_branch_tips()?.into_values().collect();
        tips.sort();
        tips.dedup();
        let mut known = Vec::new();
        for tip in tips {
            if self.exists(&tip)? {
                known.push(tip);
            }
        }
        Ok(known)
    }

    fn are_whole<'a>(
        &self,
        tips: impl IntoIterator<Item = &'a CommitId>,
        known: &[CommitId],
    ) -> Result<bool, CommandError> {
        let tips = tips.into_iter().map(ToString::to_string);
        let list: Vec<String> = tips.chain(known.iter().map(|id| format!("^{id}"))).collect();
        // A partial clone misses objects by design.
        let depth = if self.is_partial_clone()? { "--no-walk" } else { "--objects" };
        let call = self.git("check that our refs are whole");
        let call = call.args(["rev-list", "--quiet", depth, "--stdin"]);
        let answer = call.stdin(lines(list.iter().map(String::as_str))).run()?;
        match answer.code() {
            Some(0) => Ok(true),
            Some(128) => Ok(false),
            _ => Err(answer.failure()),
        }
    }
}
