//! Makes sure that a run's branch exists and can move.

use std::time::Duration;

use afresh_core::Event;
use afresh_core::ids::CommitId;
use afresh_core::run::{DriveState, Run};
use afresh_core::time::Timestamp;
use afresh_git::ref_names::{branch_ref, run_tip_ref};
use afresh_git::{DEFAULT_LOCK_TIMEOUT, RefExpectation, RefUpdate};

use super::{LockedRepo, OpenError, OpenRun, UnreportedEvent};
use crate::driver::clock::wall_ms;
use crate::journal_records;

/// How long a lock on the run's own refs is waited for before a run starts.
const OPEN_LOCK_TIMEOUT: Duration = Duration::from_secs(15);

impl OpenRun {
    /// Makes sure that work can land; only unfinished work needs that.
    pub fn keep_branch(&mut self) -> Result<(), OpenError> {
        self.rewind_to_existing_commit()?;
        if self.run.drive_state(Timestamp::default()) == (DriveState::Finished { ok: true }) {
            return Ok(());
        }
        self.repo.keep_branch(&self.run)
    }

    /// Fails if another program moved the run's branch: nothing could land, which would be noticed only after the
    /// work of the first worker.
    pub fn check_branch_in_place(&self) -> Result<(), OpenError> {
        let run = &self.run;
        let is_finished =
            run.drive_state(Timestamp::default()) == (DriveState::Finished { ok: true });
        // While a move is pending, the driver itself finds out where the branch is, and asks.
        if is_finished || run.is_moving_branch() {
            return Ok(());
        }
        match self.repo.context.git.read_ref(&branch_ref(run.branch()))? {
            Some(foreign) if foreign != *run.tip() => {
                let (branch, tip) = (run.branch().to_owned(), run.tip().clone());
                Err(OpenError::BranchMoved { branch, foreign, tip })
            }
            _ => Ok(()),
        }
    }

    /// Landed work whose objects are gone is done again, on top of the newest commit that exists.
    fn rewind_to_existing_commit(&mut self) -> Result<(), OpenError> {
        let repository = &self.repo.context.git;
        if repository.is_whole(self.run.tip())? {
            return Ok(());
        }
        let mut to = self.run.base().clone();
        for commit in self.run.checked_commits().rev() {
            if repository.is_whole(commit)? {
                to = commit.clone();
                break;
            }
        }
        let (id, event) = (self.run.id().clone(), Event::Rewound { to: to.clone() });
        let wall_ms = wall_ms();
        let record =
            journal_records::to_record(&id, self.run.epoch(), self.last_at, wall_ms, &event);
        let seq = self.repo.journal.append(&[record])?;
        journal_records::apply(&mut self.run, seq, &event)?;
        self.unreported.push(UnreportedEvent { seq, wall_ms, event });
        self.repo.repairs.push(format!(
            "the objects of work that had landed on {} are gone; it is done again from {to}",
            self.run.branch()
        ));
        Ok(())
    }
}

impl LockedRepo {
    /// Creates the run's branch if it is missing; the user may have deleted it. Fails if the branch is checked
    /// out: moving it would make that checkout look as if the work had been undone.
    fn keep_branch(&self, run: &Run) -> Result<(), OpenError> {
        let repository = &self.context.git;
        let branch = branch_ref(run.branch());
        if let Some(worktree) = repository
            .worktrees()?
            .into_iter()
            .find(|tree| tree.branch.as_deref() == Some(branch.as_str()))
        {
            return Err(OpenError::CheckedOut {
                branch: run.branch().to_owned(),
                place: worktree.path,
            });
        }
        let tip: CommitId = run.tip().clone();
        let kept = RefUpdate {
            name: run_tip_ref(run.id().as_str()),
            new: Some(tip.clone()),
            old: RefExpectation::Missing,
        };
        let made = RefUpdate { name: branch, new: Some(tip), old: RefExpectation::Missing };
        // An existing ref stays as it is: landing compares before it moves anything.
        for update in [kept, made] {
            match repository.read_ref(&update.name)? {
                None => drop(repository.update_refs(&[update], DEFAULT_LOCK_TIMEOUT)?),
                // A lock that a killed git left would stop the first merge, after the work was done.
                Some(now) if repository.has_lock_file(&update.name) => {
                    let old = RefExpectation::Is(now.clone());
                    let same = RefUpdate { new: Some(now), old, ..update };
                    drop(repository.update_refs(&[same], OPEN_LOCK_TIMEOUT)?);
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
