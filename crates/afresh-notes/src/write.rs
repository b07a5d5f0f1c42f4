//! A receipt as a line of a note, and the update of the notes ref that adds it.
//!
//! The update belongs into the transaction that moves the branch, so that a merge and its note appear together. A merge
//! is never held up by its note: if the notes cannot be changed, or the key cannot sign, the merge stands, and the
//! problem is reported.

use std::sync::{Mutex, PoisonError};

use afresh_core::check::NoteProblem;
use afresh_core::ids::CommitId;
use afresh_git::ref_names::RECEIPT_NOTES;
use afresh_git::{
    CommitSignature, NewNote, RefExpectation, RefOutcome, RefUpdate, Repository, WrittenNote,
};
use afresh_proof::envelope::signed_bytes;
use afresh_proof::{Envelope, MAX_NOTE_BYTES, Statement, add_line};

use crate::signing::signer::NoteSigner;
use crate::signing::tools::SigningTools;

/// How often the notes may change under our hands before we give up.
const MAX_ROUNDS: u32 = 20;

/// Makes lines of notes, signed where that is possible. One for each time that a run is driven: after the first failure
/// it does not try to sign again, so that no later merge waits.
#[derive(Debug, Default)]
pub struct LineMaker(Mutex<SignerState>);

#[derive(Debug, Default)]
enum SignerState {
    /// The configuration has not been read yet.
    #[default]
    Unread,
    Signs(Box<NoteSigner>),
    /// No key is configured, or it failed before.
    Off,
}

impl LineMaker {
    /// The line for a statement; the problem is that it could not be signed.
    pub fn make_line(
        &self,
        statement: &Statement,
        repository: &Repository,
        tools: &SigningTools,
    ) -> (String, Option<NoteProblem>) {
        let payload = statement.render();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match sign(&mut state, payload.as_bytes(), repository, tools) {
            Ok(Some(signature)) => {
                (Envelope::new(payload.as_bytes(), None, &signature).render(), None)
            }
            Ok(None) => (payload, None),
            Err(why) => {
                *state = SignerState::Off;
                (payload, Some(NoteProblem::Unsigned(why)))
            }
        }
    }
}

fn sign(
    state: &mut SignerState,
    payload: &[u8],
    repository: &Repository,
    tools: &SigningTools,
) -> Result<Option<Vec<u8>>, String> {
    if matches!(state, SignerState::Unread) {
        let config = repository.signing_config().map_err(|error| error.to_string())?;
        *state = match NoteSigner::new(&config, tools.clone())? {
            Some(signer) => SignerState::Signs(Box::new(signer)),
            None => SignerState::Off,
        };
    }
    match state {
        SignerState::Signs(signer) => signer.sign(&signed_bytes(payload)).map(Some),
        SignerState::Unread | SignerState::Off => Ok(None),
    }
}

/// A line that is to become part of the note of a commit.
#[derive(Debug)]
pub struct NoteUpdate<'a> {
    repository: &'a Repository,
    about: &'a CommitId,
    line: String,
    message: String,
    signature: CommitSignature,
    rounds: u32,
    state: UpdateState,
}

#[derive(Debug)]
enum UpdateState {
    /// The notes ref can move from `old` to `new`.
    Ready { old: Option<CommitId>, new: CommitId },
    /// The notes have the line.
    Present,
    /// Why the line is not written.
    GivenUp(String),
}

impl<'a> NoteUpdate<'a> {
    /// Writes the objects; the ref is moved by the caller. The same line for the same commit gives the same objects.
    pub fn prepare(
        repository: &'a Repository,
        about: &'a CommitId,
        line: String,
        signature: CommitSignature,
        message: String,
    ) -> Self {
        let state = UpdateState::Present;
        let mut update = Self { repository, about, line, message, signature, rounds: 0, state };
        update.write();
        update
    }

    /// What the transaction needs; none if the notes have the line, or cannot have it.
    pub fn ref_update(&self) -> Option<RefUpdate> {
        let UpdateState::Ready { old, new } = &self.state else { return None };
        let old = old.clone().map_or(RefExpectation::Missing, RefExpectation::Is);
        Some(RefUpdate { name: RECEIPT_NOTES.to_owned(), new: Some(new.clone()), old })
    }

    /// The notes are not what they were: a fetch, another worktree or another person's merge. The line is added to
    /// what they are now.
    pub fn rebase(&mut self, now: Option<CommitId>) {
        self.rounds += 1;
        self.abandon();
        if self.rounds > MAX_ROUNDS {
            self.state = UpdateState::GivenUp(format!("{RECEIPT_NOTES} kept changing"));
        } else {
            self.write_onto(now);
        }
    }

    /// The transaction goes on without the note.
    pub fn give_up(&mut self, why: String) {
        self.abandon();
        self.state = UpdateState::GivenUp(why);
    }

    /// Adds the line in a transaction of its own, for a branch that has moved already.
    pub fn write_alone(&mut self) {
        self.rounds = 0;
        self.write();
        while let Some(update) = self.ref_update() {
            match self.repository.update_refs(&[update], afresh_git::DEFAULT_LOCK_TIMEOUT) {
                Ok(RefOutcome::Done) => self.state = UpdateState::Present,
                Ok(RefOutcome::Mismatch { now, .. }) => self.rebase(now),
                Err(error) => self.give_up(error.to_string()),
            }
        }
    }

    /// Why the note is missing, if it is.
    pub fn into_problem(self) -> Option<NoteProblem> {
        match self.state {
            UpdateState::GivenUp(why) => Some(NoteProblem::Missing(why)),
            UpdateState::Ready { .. } | UpdateState::Present => None,
        }
    }

    /// Writes the objects for the notes as they are now.
    fn write(&mut self) {
        match self.repository.peek_ref(RECEIPT_NOTES) {
            Ok(tip) => self.write_onto(tip),
            Err(error) => self.state = UpdateState::GivenUp(error.to_string()),
        }
    }

    fn write_onto(&mut self, tip: Option<CommitId>) {
        let written = self.try_write(tip);
        self.state = written.unwrap_or_else(UpdateState::GivenUp);
    }

    fn try_write(&self, tip: Option<CommitId>) -> Result<UpdateState, String> {
        let new = NewNote {
            tip: tip.as_ref(),
            about: self.about,
            max_bytes: MAX_NOTE_BYTES,
            message: &self.message,
            signature: &self.signature,
        };
        let written = self.repository.write_note(&new, |note| add_line(note, &self.line));
        Ok(match written.map_err(|error| error.to_string())? {
            WrittenNote::Changed(new) => UpdateState::Ready { old: tip, new },
            WrittenNote::Unchanged => UpdateState::Present,
            WrittenNote::TooLarge => {
                let limit = MAX_NOTE_BYTES / 1024 / 1024;
                return Err(format!("the existing note is larger than {limit} MiB"));
            }
        })
    }

    fn abandon(&self) {
        if let UpdateState::Ready { new, .. } = &self.state {
            self.repository.abandon(new);
        }
    }
}
