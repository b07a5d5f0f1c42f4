//! Commits with their notes, and what the signatures are worth.

use afresh_core::ids::CommitId;
use afresh_git::ref_names::RECEIPT_NOTES;
use afresh_git::{FirstParentCommit, NoteContent, NotesReader, Repository};
use afresh_proof::history::{
    CheckedLine, CommitTrailers, FoundNote, HistoryCommit, SignatureState,
};
use afresh_proof::note::SignedStatement;
use afresh_proof::{MAX_NOTE_BYTES, NoteLine, parse_note};

use super::VerifyError;
use crate::signing::verifier::SignatureVerifier;

/// Reads receipts from the notes of a repository.
pub(super) struct ReceiptReader<'a> {
    repository: &'a Repository,
    /// None: there are no notes of ours.
    notes: Option<NotesReader<'a>>,
    verifier: &'a SignatureVerifier,
}

impl<'a> ReceiptReader<'a> {
    pub(super) fn open(
        repository: &'a Repository,
        verifier: &'a SignatureVerifier,
    ) -> Result<Self, VerifyError> {
        let tip = repository.read_ref(RECEIPT_NOTES)?;
        let notes = tip.map(|tip| NotesReader::open(repository, &tip)).transpose();
        Ok(Self { repository, notes: notes.map_err(VerifyError::Notes)?, verifier })
    }

    pub(super) fn has_notes(&self) -> bool {
        self.notes.is_some()
    }

    /// The base that the note of a commit names.
    pub(super) fn named_base(
        &mut self,
        commit: &CommitId,
    ) -> Result<Option<CommitId>, VerifyError> {
        let NoteContent::Text(text) = self.note(commit)? else { return Ok(None) };
        let statements = parse_note(&text).into_iter().filter_map(|line| match line {
            NoteLine::Unsigned(statement) => Some(*statement),
            NoteLine::Signed(signed) => Some(signed.statement),
            NoteLine::Malformed(_) => None,
        });
        let mut own = statements.filter(|it| it.commit() == Some(commit.as_str()));
        Ok(own.next().map(|statement| statement.predicate.base))
    }

    pub(super) fn read_commits(
        &mut self,
        oldest_first: &[FirstParentCommit],
    ) -> Result<Vec<HistoryCommit>, VerifyError> {
        oldest_first.iter().map(|it| self.read_commit(it)).collect()
    }

    fn read_commit(&mut self, it: &FirstParentCommit) -> Result<HistoryCommit, VerifyError> {
        let note = match self.note(&it.commit)? {
            NoteContent::Missing => FoundNote::Missing,
            NoteContent::TooLarge => FoundNote::TooLarge,
            NoteContent::Text(text) => FoundNote::Lines(self.check_lines(&it.commit, &text)?),
        };
        Ok(HistoryCommit {
            commit: it.commit.clone(),
            tree: it.tree.clone(),
            parents: it.parents.clone(),
            trailers: CommitTrailers::parse(&it.trailers),
            note,
        })
    }

    fn check_lines(&self, commit: &CommitId, text: &[u8]) -> Result<Vec<CheckedLine>, VerifyError> {
        let check = |line| {
            let unsigned = SignatureState::Unsigned;
            Ok(match line {
                NoteLine::Malformed(why) => {
                    CheckedLine { statement: Err(why), signature: unsigned }
                }
                NoteLine::Unsigned(statement) => {
                    CheckedLine { statement: Ok(statement), signature: unsigned }
                }
                NoteLine::Signed(signed) => {
                    let signature = self.judge_signatures(commit, &signed)?;
                    CheckedLine { statement: Ok(Box::new(signed.statement)), signature }
                }
            })
        };
        parse_note(text).into_iter().map(check).collect()
    }

    /// The best of the signatures.
    fn judge_signatures(
        &self,
        commit: &CommitId,
        signed: &SignedStatement,
    ) -> Result<SignatureState, VerifyError> {
        // What is about another commit does not count, whoever signed it.
        if signed.statement.commit() != Some(commit.as_str()) {
            return Ok(SignatureState::Unsigned);
        }
        let at = self.repository.committed_at(commit)?;
        let judge = |armored: &Vec<u8>| self.verifier.verify(&signed.signed_bytes, armored, at);
        let best = signed.signatures.iter().map(judge).max();
        Ok(best.unwrap_or(SignatureState::Unsigned))
    }

    fn note(&mut self, commit: &CommitId) -> Result<NoteContent, VerifyError> {
        let Some(notes) = &mut self.notes else { return Ok(NoteContent::Missing) };
        notes.read(commit, MAX_NOTE_BYTES).map_err(VerifyError::Notes)
    }
}
