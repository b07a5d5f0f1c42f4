//! The note of a merge: its receipt, for others.
//!
//! The branch does not wait for its note. Whatever is wrong with the notes or with the signing key, the merge lands, and
//! the problem goes to the journal, from where logs and reports have it.

use afresh_core::Run;
use afresh_core::check::{NoteProblem, Receipt};
use afresh_core::ids::{AttemptId, CommitId};
use afresh_core::input::MergedTree;
use afresh_core::run::{MergeStage, TaskStage};
use afresh_git::{CommitSignature, RefError, RefUpdate};
use afresh_notes::signing::tools::SigningTools;
use afresh_notes::write::NoteUpdate;
use afresh_proof::{MergeReceipt, ProofTools};

use super::describe_ref_error;
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;

/// What the note of a merge is made of.
pub(super) struct LandingReceipt {
    base: CommitId,
    merged: MergedTree,
    receipt: Box<Receipt>,
}

impl LandingReceipt {
    /// The receipt of the merge that is about to land.
    pub(super) fn find(run: &Run, attempt: &AttemptId) -> Option<Self> {
        let TaskStage::Merging { merge: MergeStage::Moving { merged, receipt, .. }, .. } =
            &run.state_of(&attempt.task)?.stage
        else {
            return None;
        };
        let (base, merged) = (run.base().clone(), merged.clone());
        Some(Self { base, merged, receipt: receipt.clone() })
    }

    pub(super) fn is_about(&self, commit: &CommitId) -> bool {
        self.merged.commit == *commit
    }
}

/// The note on its way into the transaction, and what went wrong with it.
pub(super) struct LandingNote<'a> {
    update: Option<NoteUpdate<'a>>,
    problems: Vec<NoteProblem>,
    /// The transaction failed with it, for a reason that may have passed.
    was_left_out: bool,
}

impl<'a> LandingNote<'a> {
    pub(super) fn none() -> Self {
        Self { update: None, problems: Vec::new(), was_left_out: false }
    }

    pub(super) fn prepare(
        shared: &'a ExecutorContext,
        attempt: &AttemptId,
        source: &'a LandingReceipt,
    ) -> Self {
        let mut note = Self::none();
        let repository = shared.pool.repository();
        let commit = &source.merged.commit;
        // The time of the commit: made again after a crash, the note is the same.
        let at_seconds = match repository.committed_at(commit) {
            Ok(seconds) => seconds,
            Err(error) => {
                note.problems.push(NoteProblem::Missing(describe(&error)));
                return note;
            }
        };
        let statement = MergeReceipt {
            run: &shared.run,
            attempt,
            base: &source.base,
            merged: &source.merged,
            receipt: &source.receipt,
            tools: &ProofTools {
                afresh: env!("CARGO_PKG_VERSION").to_owned(),
                sandbox: shared.config.sandbox.level.word().to_owned(),
            },
            at_seconds,
        };
        let tools = SigningTools {
            exe: shared.config.exe.clone(),
            containment: shared.config.containment,
            environment: shared.config.workers.environment.clone(),
            registry: Some(shared.layout.processes()),
            job_prefix: shared.job_prefix.clone(),
        };
        let (line, unsigned) =
            shared.note_lines.make_line(&statement.to_statement(), repository, &tools);
        note.problems.extend(unsigned);
        let message = format!(
            "Notes added by 'afresh run'\n\nAfresh-Run: {}\nAfresh-Task: {}\nAfresh-Attempt: {}\n",
            shared.run, attempt.task, attempt.number
        );
        let signature = CommitSignature { identity: shared.pool.identity().clone(), at_seconds };
        note.update = Some(NoteUpdate::prepare(repository, commit, line, signature, message));
        note
    }

    pub(super) fn ref_update(&self) -> Option<RefUpdate> {
        self.update.as_ref()?.ref_update()
    }

    /// Another program moved the notes meanwhile.
    pub(super) fn rebase(&mut self, now: Option<CommitId>) {
        if let Some(update) = &mut self.update {
            update.rebase(now);
        }
    }

    /// The transaction failed, perhaps because of the note; the branch is tried without it.
    pub(super) fn leave_out(&mut self, error: &RefError) {
        self.was_left_out = !matches!(error, RefError::Locked { .. });
        if let Some(update) = &mut self.update {
            update.give_up(describe_ref_error(error));
        }
    }

    /// For a branch that has moved already.
    pub(super) fn write_alone(&mut self) {
        if let Some(update) = &mut self.update {
            update.write_alone();
        }
    }

    /// What to report once the branch has moved; nothing if it has not.
    pub(super) fn finish(mut self, has_moved: bool) -> Vec<NoteProblem> {
        if !has_moved {
            if let Some(update) = &mut self.update {
                update.give_up(String::new());
            }
            return Vec::new();
        }
        if self.was_left_out {
            self.write_alone();
        }
        let missing = self.update.and_then(NoteUpdate::into_problem);
        self.problems.into_iter().chain(missing).collect()
    }
}
