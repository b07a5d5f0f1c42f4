//! Commits with their notes, and what the signatures are worth.

use std::thread;

use afresh_core::ids::CommitId;
use afresh_git::ref_names::RECEIPT_NOTES;
use afresh_git::{FirstParentCommit, NoteContent, NotesReader, Repository};
use afresh_proof::history::{
    CheckedLine, CommitTrailers, CommitVerdict, FoundNote, HistoryCommit, LineVerifier,
    SignaturePolicy, SignatureState,
};
use afresh_proof::note::SignedStatement;
use afresh_proof::{MAX_NOTE_BYTES, NoteLine, parse_note};

use super::VerifyError;
use crate::signing::verifier::SignatureVerifier;

/// How many signatures of one note are verified: each starts programs, and a hostile note has thousands.
const MAX_VERIFIED: usize = 16;
const MAX_THREADS: usize = 8;
/// How many notes are in memory at a time, and about how much of them.
const BATCH_COMMITS: usize = 1_000;
const BATCH_BYTES: usize = 32 * 1024 * 1024;

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

    /// Judges the commits of one first-parent line. Only some notes are in memory at a time, whatever they hold.
    pub(super) fn verify_line(
        &mut self,
        oldest_first: &[FirstParentCommit],
        policy: SignaturePolicy,
    ) -> Result<Vec<CommitVerdict>, VerifyError> {
        let mut line = LineVerifier::new(policy);
        let mut batch = Vec::new();
        let mut batch_bytes = 0;
        for it in oldest_first {
            let trailers = CommitTrailers::parse(&it.trailers);
            let note = self.note(trailers.receipt_commit(&it.commit, it.parents.len()))?;
            batch_bytes += if let NoteContent::Text(text) = &note { text.len() } else { 0 };
            batch.push((it, note));
            if batch.len() == BATCH_COMMITS || batch_bytes >= BATCH_BYTES {
                self.judge_batch(&batch)?.into_iter().for_each(|commit| line.add(commit));
                (batch, batch_bytes) = (Vec::new(), 0);
            }
        }
        self.judge_batch(&batch)?.into_iter().for_each(|commit| line.add(commit));
        Ok(line.finish())
    }

    /// Verifies signatures in parallel: each takes a program or two.
    fn judge_batch(
        &self,
        read: &[(&FirstParentCommit, NoteContent)],
    ) -> Result<Vec<HistoryCommit>, VerifyError> {
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
        let trailers = CommitTrailers::parse(&it.trailers);
        let about = trailers.receipt_commit(&it.commit, it.parents.len());
        let note = match note {
            NoteContent::Missing => FoundNote::Missing,
            NoteContent::TooLarge => FoundNote::TooLarge,
            NoteContent::Text(text) => FoundNote::Lines(self.judge_lines(about, &it.commit, text)?),
        };
        Ok(HistoryCommit {
            commit: it.commit.clone(),
            tree: it.tree.clone(),
            parents: it.parents.clone(),
            trailers,
            note,
        })
    }

    /// The lines of the note of `about`, as they are worth for `commit`: the same, or one that was squashed from it.
    fn judge_lines(
        self,
        about: &CommitId,
        commit: &CommitId,
        text: &[u8],
    ) -> Result<Vec<CheckedLine>, VerifyError> {
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
                    let signature = self.judge_signatures(about, commit, &signed, &mut left)?;
                    CheckedLine { statement: Ok(Box::new(signed.statement)), signature }
                }
            })
        };
        parse_note(text).into_iter().map(judge).collect()
    }

    /// The best of the signatures.
    fn judge_signatures(
        self,
        about: &CommitId,
        commit: &CommitId,
        signed: &SignedStatement,
        left: &mut usize,
    ) -> Result<SignatureState, VerifyError> {
        // What is about another commit does not count, whoever signed it.
        if signed.statement.commit() != Some(about.as_str()) {
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
