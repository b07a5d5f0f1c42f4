//! Commits with their notes, and what the signatures are worth.

use std::thread;

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

/// How many signatures of one note are verified: each starts programs, and a hostile note has thousands.
const MAX_VERIFIED: usize = 16;
const MAX_THREADS: usize = 8;

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

    /// Reads the notes one after the other, and verifies their signatures in parallel: each takes a program or two.
    pub(super) fn read_commits(
        &mut self,
        oldest_first: &[FirstParentCommit],
    ) -> Result<Vec<HistoryCommit>, VerifyError> {
        let read = oldest_first.iter().map(|it| Ok((it, self.note(&it.commit)?)));
        let read: Vec<(&FirstParentCommit, NoteContent)> =
            read.collect::<Result<_, VerifyError>>()?;
        let judge = LineJudge { repository: self.repository, verifier: self.verifier };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let parts = read.chunks(read.len().div_ceil(threads).max(1));
        thread::scope(|scope| {
            let parts: Vec<_> = parts
                .map(|part| {
                    scope.spawn(move || {
                        let judged = part.iter().map(|(it, note)| judge.judge_commit(it, note));
                        judged.collect::<Result<Vec<_>, VerifyError>>()
                    })
                })
                .collect();
            let mut commits = Vec::new();
            for part in parts {
                commits.extend(part.join().expect("it does not panic")?);
            }
            Ok(commits)
        })
    }

    fn note(&mut self, commit: &CommitId) -> Result<NoteContent, VerifyError> {
        let Some(notes) = &mut self.notes else { return Ok(NoteContent::Missing) };
        notes.read(commit, MAX_NOTE_BYTES).map_err(VerifyError::Notes)
    }
}

/// Says what the lines of a note are worth.
#[derive(Clone, Copy)]
struct LineJudge<'a> {
    repository: &'a Repository,
    verifier: &'a SignatureVerifier,
}

impl LineJudge<'_> {
    fn judge_commit(
        self,
        it: &FirstParentCommit,
        note: &NoteContent,
    ) -> Result<HistoryCommit, VerifyError> {
        let note = match note {
            NoteContent::Missing => FoundNote::Missing,
            NoteContent::TooLarge => FoundNote::TooLarge,
            NoteContent::Text(text) => FoundNote::Lines(self.judge_lines(&it.commit, text)?),
        };
        Ok(HistoryCommit {
            commit: it.commit.clone(),
            tree: it.tree.clone(),
            parents: it.parents.clone(),
            trailers: CommitTrailers::parse(&it.trailers),
            note,
        })
    }

    fn judge_lines(self, commit: &CommitId, text: &[u8]) -> Result<Vec<CheckedLine>, VerifyError> {
        let mut left = MAX_VERIFIED;
        let judge = |line| {
            let unsigned = SignatureState::Unsigned;
            Ok(match line {
                NoteLine::Malformed(why) => {
                    CheckedLine { statement: Err(why), signature: unsigned }
                }
                NoteLine::Unsigned(statement) => {
                    CheckedLine { statement: Ok(statement), signature: unsigned }
                }
                NoteLine::Signed(signed) => {
                    let signature = self.judge_signatures(commit, &signed, &mut left)?;
                    CheckedLine { statement: Ok(Box::new(signed.statement)), signature }
                }
            })
        };
        parse_note(text).into_iter().map(judge).collect()
    }

    /// The best of the signatures.
    fn judge_signatures(
        self,
        commit: &CommitId,
        signed: &SignedStatement,
        left: &mut usize,
    ) -> Result<SignatureState, VerifyError> {
        // What is about another commit does not count, whoever signed it.
        if signed.statement.commit() != Some(commit.as_str()) {
            return Ok(SignatureState::Unsigned);
        }
        let at = self.repository.committed_at(commit)?;
        let judge = |armored: &Vec<u8>| {
            if *left == 0 {
                let why = format!("its note has more than {MAX_VERIFIED} signatures");
                return SignatureState::UnknownKey { key: "unknown".to_owned(), why };
            }
            *left -= 1;
            self.verifier.verify(&signed.signed_bytes, armored, at)
        };
        let best = signed.signatures.iter().map(judge).max();
        Ok(best.unwrap_or(SignatureState::Unsigned))
    }
}
