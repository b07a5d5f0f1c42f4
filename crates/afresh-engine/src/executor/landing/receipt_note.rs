//! The notes of merges: their receipts, for others.
//!
//! The branch does not wait for its notes. Whatever is wrong with the notes or with the signing key, the merge lands, and
//! the problem goes to the journal, from where logs and reports have it.

use afresh_core::Run;
use afresh_core::check::{NoteProblem, Receipt};
use afresh_core::commit::compose_trailers;
use afresh_core::ids::{AttemptId, CommitId};
use afresh_core::input::MergedTree;
use afresh_core::run::{MergeStage, TaskStage};
use afresh_git::{CommitSignature, RefError, RefUpdate};
use afresh_notes::signing::tools::SigningTools;
use afresh_notes::write::{NewNoteLine, NoteUpdate};
use afresh_proof::{MergeReceipt, ProofTools};

use super::describe_ref_error;
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;

/// What the note of one merge is made of.
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

    pub(super) fn merged(&self) -> &MergedTree {
        &self.merged
    }
}

/// The notes on their way into the transaction, and what went wrong with them.
pub(super) struct LandingNotes<'a> {
    update: NoteUpdate<'a>,
    /// Whose merge each line is about.
    attempts: Vec<&'a AttemptId>,
    problems: Vec<(AttemptId, NoteProblem)>,
    /// The transaction failed with them, for a reason that may have passed.
    were_left_out: bool,
}

impl<'a> LandingNotes<'a> {
    pub(super) fn prepare(
        shared: &'a ExecutorContext,
        receipts: impl Iterator<Item = (&'a AttemptId, &'a LandingReceipt)>,
    ) -> Self {
        let (mut attempts, mut lines, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        for (attempt, receipt) in receipts {
            let made = NoteMaker { shared, attempt, receipt }.make();
            problems.extend(made.problem.map(|problem| (attempt.clone(), problem)));
            if let Some(line) = made.line {
                attempts.push(attempt);
                lines.push(line);
            }
        }
        let update = NoteUpdate::prepare(shared.pool.repository(), lines);
        Self { update, attempts, problems, were_left_out: false }
    }

    pub(super) fn ref_update(&self) -> Option<RefUpdate> {
        self.update.ref_update()
    }

    /// Another program moved the notes meanwhile.
    pub(super) fn rebase(&mut self, now: Option<CommitId>) {
        self.update.rebase(now);
    }

    /// The transaction failed, perhaps because of the notes; the branch is tried without them.
    pub(super) fn leave_out(&mut self, error: &RefError) {
        self.were_left_out = !matches!(error, RefError::Locked { .. });
        self.update.give_up(describe_ref_error(error));
    }

    /// For a branch that has moved already.
    pub(super) fn write_alone(&mut self) {
        self.update.write_alone();
    }

    /// What to report once the branch has moved; nothing if it has not.
    pub(super) fn finish(mut self, has_moved: bool) -> Vec<(AttemptId, NoteProblem)> {
        if !has_moved {
            self.update.give_up(String::new());
            return Vec::new();
        }
        self.update.release();
        if self.were_left_out || self.update.kept_changing() {
            self.write_alone();
        }
        let missing = self.update.into_problems().into_iter().zip(self.attempts);
        let missing = missing.filter_map(|(problem, attempt)| Some((attempt.clone(), problem?)));
        self.problems.into_iter().chain(missing).collect()
    }
}

/// Makes the line of one merge.
struct NoteMaker<'a> {
    shared: &'a ExecutorContext,
    attempt: &'a AttemptId,
    receipt: &'a LandingReceipt,
}

/// A line, perhaps unsigned; or why there is none.
struct MadeNote<'a> {
    line: Option<NewNoteLine<'a>>,
    problem: Option<NoteProblem>,
}

impl<'a> NoteMaker<'a> {
    fn make(&self) -> MadeNote<'a> {
        let Self { shared, attempt, receipt } = *self;
        let repository = shared.pool.repository();
        let about = &receipt.merged.commit;
        // The time of the commit: made again after a crash, the note is the same.
        let at_seconds = match repository.committed_at(about) {
            Ok(seconds) => seconds,
            Err(error) => {
                let problem = Some(NoteProblem::Missing(describe(&error)));
                return MadeNote { line: None, problem };
            }
        };
        let statement = MergeReceipt {
            run: &shared.run,
            attempt,
            base: &receipt.base,
            merged: &receipt.merged,
            receipt: &receipt.receipt,
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
        let (line, problem) =
            shared.note_lines.make_line(&statement.to_statement(), repository, &tools);
        let message =
            format!("Notes added by 'afresh run'\n\n{}", compose_trailers(&shared.run, attempt));
        let signature = CommitSignature { identity: shared.pool.identity().clone(), at_seconds };
        MadeNote { line: Some(NewNoteLine { about, line, message, signature }), problem }
    }
}
