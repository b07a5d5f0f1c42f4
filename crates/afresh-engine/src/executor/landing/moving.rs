//! Moves the branch over merges that have passed, together with the notes that have their receipts.

use std::collections::BTreeSet;

use afresh_core::hook::HookPoint;
use afresh_core::ids::{AttemptId, CommitId};
use afresh_core::input::BranchMove;
use afresh_core::run::TaskStage;
use afresh_core::run::settings::History;
use afresh_core::{Input, Run};
use afresh_git::ref_names::{RECEIPT_NOTES, branch_ref, run_tip_ref, salvage_ref, step_ref};
use afresh_git::{
    DEFAULT_LOCK_TIMEOUT, RefError, RefExpectation, RefOutcome, RefUpdate, Repository,
};

use super::receipt_note::{LandingNotes, LandingReceipt};
use super::{checked_out_in, describe_ref_error};
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;
use crate::executor::hooks::{HookEvent, failure_after};

pub(crate) struct MoveJob {
    branch: String,
    from: CommitId,
    to: CommitId,
    restore: Option<CommitId>,
    /// In the order of their commits.
    landings: Vec<LandingMember>,
}

/// One task of the batch that lands.
struct LandingMember {
    attempt: AttemptId,
    commit: CommitId,
    onto: CommitId,
    work: Option<LandingWork>,
    receipt: LandingReceipt,
    hook: HookEvent,
}

impl LandingMember {
    fn find(run: &Run, attempt: &AttemptId) -> Option<Self> {
        let receipt = LandingReceipt::find(run, attempt)?;
        let (commit, onto) = (receipt.merged().commit.clone(), receipt.merged().onto.clone());
        let hook = HookEvent::new(run, HookPoint::AfterMerge, Some(attempt));
        let hook = hook.with("commit", commit.as_str().into()).with("onto", onto.as_str().into());
        let work = LandingWork::find(run, attempt);
        Some(Self { attempt: attempt.clone(), commit, onto, work, receipt, hook })
    }

    /// EX-07: one commit on top of the one before, and behind a merge those of every finished step.
    fn check_commits(&self, repository: &Repository) -> Result<(), String> {
        // A commit that is gone is built again.
        let Ok(parents) = repository.parents(&self.commit) else { return Ok(()) };
        if parents.first() != Some(&self.onto) {
            return Err(format!("{} does not follow {}", self.commit, self.onto));
        }
        let (Some(work), [_, theirs]) = (&self.work, &parents[..]) else { return Ok(()) };
        let mut expected: BTreeSet<&CommitId> =
            work.refs.iter().map(|(_, commit)| commit).collect();
        let mut next = Some(theirs.clone());
        while let Some(commit) = next.filter(|commit| *commit != work.base && !expected.is_empty())
        {
            expected.remove(&commit);
            let parents = repository.parents(&commit).map_err(|error| describe(&error))?;
            next = parents.into_iter().next();
        }
        match expected.first() {
            None => Ok(()),
            Some(missing) => Err(format!("{} lacks the commit {missing} of a step", self.commit)),
        }
    }

    /// The refs that are no longer needed once the branch has moved: it reaches their commits, or has their content.
    fn find_reached(&self, repository: &Repository) -> Vec<(String, CommitId)> {
        let Some(work) = &self.work else { return Vec::new() };
        match repository.parents(&self.commit) {
            Ok(parents) if parents.contains(&work.commit) => work.refs.clone(),
            // A single commit landed as another one. Where both sides changed a file, its own version is only here.
            Ok(_) => {
                let is_whole = repository.has_same_changes(&work.base, &work.commit, &self.commit);
                let refs = work.refs.iter().filter(|(_, commit)| *commit == work.commit);
                refs.filter(|_| matches!(is_whole, Ok(true))).cloned().collect()
            }
            // A ref too many is harmless.
            Err(_) => Vec::new(),
        }
    }
}

impl MoveJob {
    pub(crate) fn new(
        run: &Run,
        attempts: &[AttemptId],
        from: CommitId,
        to: CommitId,
        restore: Option<CommitId>,
    ) -> Self {
        let landings =
            attempts.iter().filter_map(|attempt| LandingMember::find(run, attempt)).collect();
        Self { branch: run.branch().to_owned(), from, to, restore, landings }
    }

    pub(crate) fn carry_out(&self, shared: &ExecutorContext, answer: &(dyn Fn(Input) + Sync)) {
        let repository = shared.pool.repository();
        let reached = self.landings.iter().flat_map(|landing| landing.find_reached(repository));
        let mut transaction = MoveTransaction {
            job: self,
            shared,
            expected: RefExpectation::Is(self.from.clone()),
            reached: reached.collect(),
            notes: self.prepare_notes(shared),
        };
        let moved = match self.check_chain(repository) {
            Ok(()) => transaction.run().unwrap_or_else(BranchMove::Trouble),
            Err(missing) => BranchMove::Trouble(missing),
        };
        // Before the answer: with the last merge the run may end.
        for (attempt, problem) in transaction.notes.finish(moved == BranchMove::Done) {
            answer(Input::NoteWarned(attempt, problem));
        }
        if moved == BranchMove::Done {
            for landing in &self.landings {
                let failure = failure_after(shared, &landing.hook);
                failure.map(Input::HookFailed).into_iter().for_each(answer);
            }
        }
        if let Some(last) = self.landings.last() {
            answer(Input::BranchMoved(last.attempt.clone(), self.to.clone(), moved));
        }
    }

    /// EX-07: exactly the commits of the batch follow the branch.
    fn check_chain(&self, repository: &Repository) -> Result<(), String> {
        let mut tip = &self.from;
        for landing in &self.landings {
            if landing.onto != *tip {
                return Err(format!("{} does not follow {tip}", landing.commit));
            }
            landing.check_commits(repository)?;
            tip = &landing.commit;
        }
        if *tip == self.to { Ok(()) } else { Err(format!("{} does not lead to {tip}", self.to)) }
    }

    fn prepare_notes<'a>(&'a self, shared: &'a ExecutorContext) -> LandingNotes<'a> {
        let receipts = self.landings.iter().map(|landing| (&landing.attempt, &landing.receipt));
        LandingNotes::prepare(shared, receipts)
    }
}

/// The work that lands, and the refs that keep it.
#[derive(Debug)]
struct LandingWork {
    base: CommitId,
    commit: CommitId,
    /// The attempt's own, and those of the steps that it continued from.
    refs: Vec<(String, CommitId)>,
}

impl LandingWork {
    /// None where the history is linear: its refs are kept until the user cleans up.
    fn find(run: &Run, attempt: &AttemptId) -> Option<Self> {
        let state = run.state_of(&attempt.task)?;
        let TaskStage::Merging { work, harvest, .. } = &state.stage else { return None };
        let (Some(commit), History::Merge) = (harvest.commit.clone(), run.settings().history)
        else {
            return None;
        };
        let id = run.id().as_str();
        let mut refs = vec![(salvage_ref(id, &attempt.to_string()), commit.clone())];
        let mut last = None;
        for step in &state.steps.finished {
            // A step that changed nothing has the commit of the step before, and no ref of its own.
            if let Some(commit) = step.commit.as_ref().filter(|commit| last != Some(*commit)) {
                let name = step_ref(id, &step.attempt.to_string(), step.step as usize);
                refs.push((name, commit.clone()));
            }
            last = step.commit.as_ref();
        }
        Some(Self { base: work.ground.base.clone(), commit, refs })
    }
}

/// Branch, kept tip, notes and refs that are no longer needed: all move, or none. What stands in the way without being
/// the branch is left out, and the rest is tried again.
struct MoveTransaction<'a> {
    job: &'a MoveJob,
    shared: &'a ExecutorContext,
    expected: RefExpectation,
    reached: Vec<(String, CommitId)>,
    notes: LandingNotes<'a>,
}

impl MoveTransaction<'_> {
    fn run(&mut self) -> Result<BranchMove, String> {
        loop {
            let branch = &self.job.branch;
            if let Some(place) = checked_out_in(self.shared.pool.repository(), branch) {
                return Err(format!(
                    "{branch} is checked out in {place}; switch to another branch there"
                ));
            }
            if let Some(moved) = self.try_once()? {
                return Ok(moved);
            }
        }
    }

    /// None: something has changed, and another try makes sense.
    fn try_once(&mut self) -> Result<Option<BranchMove>, String> {
        let repository = self.shared.pool.repository();
        match repository.update_refs(&self.updates(), DEFAULT_LOCK_TIMEOUT) {
            Ok(RefOutcome::Done) => Ok(Some(BranchMove::Done)),
            Ok(RefOutcome::Mismatch { name, now }) => self.adapt(&name, now),
            // No ref points to the commit until the branch does: `git gc` may have removed it.
            Err(_) if matches!(repository.exists(&self.job.to), Ok(false)) => {
                Ok(Some(BranchMove::CommitGone))
            }
            Err(error) if self.may_be_the_notes(&error) => {
                self.notes.leave_out(&error);
                Ok(None)
            }
            Err(error) => Err(describe_ref_error(&error)),
        }
    }

    /// Whether a failed transaction may succeed without the notes.
    fn may_be_the_notes(&self, error: &RefError) -> bool {
        let lock = format!("{RECEIPT_NOTES}.lock");
        let is_of_others =
            matches!(error, RefError::Locked { lock: held, .. } if !held.ends_with(lock));
        self.notes.ref_update().is_some() && !is_of_others
    }

    /// A ref does not have the value that it should have.
    fn adapt(&mut self, name: &str, now: Option<CommitId>) -> Result<Option<BranchMove>, String> {
        if name == RECEIPT_NOTES {
            self.notes.rebase(now);
            return Ok(None);
        }
        // The ref holds other work than what lands, or is gone: remove the others, and leave this one.
        if self.reached.iter().any(|(kept, _)| kept == name) {
            self.reached.retain(|(kept, _)| kept != name);
            return Ok(None);
        }
        match now {
            // An earlier driver was killed between the move and its record: it is done.
            Some(now) if now == self.job.to => {
                self.notes.write_alone();
                Ok(Some(BranchMove::Done))
            }
            // The user deleted the branch; its commits are kept, so it can be restored.
            None if self.expected != RefExpectation::Missing => {
                self.expected = RefExpectation::Missing;
                Ok(None)
            }
            Some(now)
                if self.job.restore.as_ref() == Some(&now)
                    && self.expected != RefExpectation::Is(now.clone()) =>
            {
                save_outsider(self.shared, &now)?;
                self.expected = RefExpectation::Is(now);
                Ok(None)
            }
            Some(now) => Ok(Some(BranchMove::Foreign(now))),
            None => Err(format!("{name} comes and goes")),
        }
    }

    fn updates(&self) -> Vec<RefUpdate> {
        let MoveJob { branch, to, .. } = self.job;
        let run = self.shared.run.as_str();
        let mut updates = vec![
            RefUpdate {
                name: branch_ref(branch),
                new: Some(to.clone()),
                old: self.expected.clone(),
            },
            RefUpdate { name: run_tip_ref(run), new: Some(to.clone()), old: RefExpectation::Any },
        ];
        updates.extend(self.reached.iter().map(|(name, commit)| RefUpdate {
            name: name.clone(),
            new: None,
            old: RefExpectation::Is(commit.clone()),
        }));
        updates.extend(self.notes.ref_update());
        updates
    }
}

/// A commit that another program put on the branch is saved: it is a person's work.
fn save_outsider(shared: &ExecutorContext, commit: &CommitId) -> Result<(), String> {
    let name = salvage_ref(shared.run.as_str(), &format!("outsider-{}", &commit.as_str()[..12]));
    let update = RefUpdate { name, new: Some(commit.clone()), old: RefExpectation::Any };
    let outcome = shared.pool.repository().update_refs(&[update], DEFAULT_LOCK_TIMEOUT);
    outcome.map(drop).map_err(|error| describe_ref_error(&error))
}
