//! Moves the branch back to an earlier commit; a ref keeps the old position.

use afresh_core::Input;
use afresh_core::ids::{CommitId, RunId};
use afresh_core::input::BranchMove;
use afresh_git::ref_names::{branch_ref, run_tip_ref, salvage_ref};
use afresh_git::{DEFAULT_LOCK_TIMEOUT, RefExpectation, RefOutcome, RefUpdate, Repository};

use crate::executor::landing::{checked_out_in, describe_ref_error};

pub(crate) struct RewindJob {
    pub(crate) branch: String,
    pub(crate) from: CommitId,
    pub(crate) to: CommitId,
}

impl RewindJob {
    pub(crate) fn carry_out(&self, run: &RunId, repository: &Repository) -> Input {
        let expected = RefExpectation::Is(self.from.clone());
        let moved = self.try_move(run, repository, expected).unwrap_or_else(BranchMove::Trouble);
        Input::MovedBack(self.to.clone(), moved)
    }

    fn try_move(
        &self,
        run: &RunId,
        repository: &Repository,
        expected: RefExpectation,
    ) -> Result<BranchMove, String> {
        if let Some(place) = checked_out_in(repository, &self.branch) {
            let branch = &self.branch;
            return Err(format!("{branch} is checked out in {place}; switch to another one there"));
        }
        let run_name = run.as_str();
        let kept = format!("rewound-{}", &self.from.as_str()[..12]);
        let update = |name: String, new: &CommitId, old: RefExpectation| RefUpdate {
            name,
            new: Some(new.clone()),
            old,
        };
        let was_deleted = expected == RefExpectation::Missing;
        // One transaction: the old commits are kept before the branch leaves them.
        let updates = [
            update(branch_ref(&self.branch), &self.to, expected),
            update(salvage_ref(run_name, &kept), &self.from, RefExpectation::Any),
            update(run_tip_ref(run_name), &self.to, RefExpectation::Any),
        ];
        let outcome = repository.update_refs(&updates, DEFAULT_LOCK_TIMEOUT);
        match outcome.map_err(|error| describe_ref_error(&error))? {
            RefOutcome::Done => Ok(BranchMove::Done),
            // An earlier driver was killed between the move and its record: it is done.
            RefOutcome::Mismatch { now: Some(now), .. } if now == self.to => Ok(BranchMove::Done),
            RefOutcome::Mismatch { now: Some(now), .. } => Ok(BranchMove::Foreign(now)),
            RefOutcome::Mismatch { now: None, name } if was_deleted => {
                Err(format!("{name} comes and goes"))
            }
            // The user deleted the branch; its commits are kept.
            RefOutcome::Mismatch { now: None, .. } => {
                self.try_move(run, repository, RefExpectation::Missing)
            }
        }
    }
}
