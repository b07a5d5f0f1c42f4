//! A receipt as a line of a note, and the update of the notes ref that adds it.
//!
//! The update belongs into the transaction that moves the branch, so that a merge and its note appear together. A merge
//! is never held up by its note: if the notes cannot be changed, or the key cannot sign, the merge stands, and the
//! problem is reported.

use std::collections::BTreeMap;
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
#[derive(Debug, Clone)]
pub struct NewNoteLine<'a> {
    /// The commit that the note is about.
    pub about: &'a CommitId,
    pub line: String,
    /// Of the commit that adds it to the notes.
    pub message: String,
    pub signature: CommitSignature,
}

/// Lines that are to become part of the notes of commits that land together.
#[derive(Debug)]
pub struct NoteUpdate<'a> {
    repository: &'a Repository,
    lines: Vec<NewNoteLine<'a>>,
    rounds: u32,
    state: UpdateState,
    /// Which lines cannot be written, and why.
    refused: BTreeMap<usize, String>,
}

#[derive(Debug)]
enum UpdateState {
    /// The notes ref can move from `old` to the last of these commits, one for each line.
    Ready { old: Option<CommitId>, new: Vec<CommitId> },
    /// The notes have the lines.
    Present,
    /// Why the lines are not written.
    GivenUp(String),
}

impl<'a> NoteUpdate<'a> {
    /// Writes the objects; the ref is moved by the caller. The same lines for the same commits give the same objects.
    pub fn prepare(repository: &'a Repository, lines: Vec<NewNoteLine<'a>>) -> Self {
        let (state, refused) = (UpdateState::Present, BTreeMap::new());
        let mut update = Self { repository, lines, rounds: 0, state, refused };
        update.write();
        update
    }

    /// What the transaction needs; none if the notes have the lines, or cannot have them.
    pub fn ref_update(&self) -> Option<RefUpdate> {
        let UpdateState::Ready { old, new } = &self.state else { return None };
        let old = old.clone().map_or(RefExpectation::Missing, RefExpectation::Is);
        Some(RefUpdate { name: RECEIPT_NOTES.to_owned(), new: new.last().cloned(), old })
    }

    /// The notes are not what they were: a fetch, another worktree or another person's merge. The lines are added to
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

    /// The transaction goes on without the notes.
    pub fn give_up(&mut self, why: String) {
        self.abandon();
        self.state = UpdateState::GivenUp(why);
    }

    /// Adds the lines in a transaction of their own, for a branch that has moved already.
    pub fn write_alone(&mut self) {
        self.rounds = 0;
        self.write();
        while let Some(update) = self.ref_update() {
            match self.repository.update_refs(&[update], afresh_git::DEFAULT_LOCK_TIMEOUT) {
                Ok(RefOutcome::Done) => {
                    self.release();
                    self.state = UpdateState::Present;
                }
                Ok(RefOutcome::Mismatch { now, .. }) => self.rebase(now),
                Err(error) => self.give_up(error.to_string()),
            }
        }
    }

    /// The transaction is done. Only the last commit is a value of the ref, which reaches the others.
    pub fn release(&mut self) {
        if let UpdateState::Ready { new, .. } = &self.state {
            for commit in new.iter().rev().skip(1) {
                self.repository.abandon(commit);
            }
        }
    }

    /// Whether the notes changed so often that the lines were given up.
    pub fn kept_changing(&self) -> bool {
        self.rounds > MAX_ROUNDS
    }

    /// For each line, in order, why it is missing, if it is.
    pub fn into_problems(self) -> Vec<Option<NoteProblem>> {
        let all = match &self.state {
            UpdateState::GivenUp(why) => Some(why),
            UpdateState::Ready { .. } | UpdateState::Present => None,
        };
        let problem = |number: usize| {
            let why = self.refused.get(&number).or(all)?;
            Some(NoteProblem::Missing(why.clone()))
        };
        (0..self.lines.len()).map(problem).collect()
    }

    /// Writes the objects for the notes as they are now.
    fn write(&mut self) {
        match self.repository.peek_ref(RECEIPT_NOTES) {
            Ok(tip) => self.write_onto(tip),
            Err(error) => self.state = UpdateState::GivenUp(error.to_string()),
        }
    }

    fn write_onto(&mut self, old: Option<CommitId>) {
        self.refused.clear();
        let mut new: Vec<CommitId> = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            match self.write_line(new.last().or(old.as_ref()), line) {
                Ok(written) => new.extend(written),
                Err(why) => {
                    self.refused.insert(number, why);
                }
            }
        }
        self.state =
            if new.is_empty() { UpdateState::Present } else { UpdateState::Ready { old, new } };
    }

    /// None: the notes have it.
    fn write_line(
        &self,
        tip: Option<&CommitId>,
        line: &NewNoteLine<'_>,
    ) -> Result<Option<CommitId>, String> {
        let new = NewNote {
            tip,
            about: line.about,
            max_bytes: MAX_NOTE_BYTES,
            message: &line.message,
            signature: &line.signature,
        };
        let written = self.repository.write_note(&new, |note| add_line(note, &line.line));
        match written.map_err(|error| error.to_string())? {
            WrittenNote::Changed(new) => Ok(Some(new)),
            WrittenNote::Unchanged => Ok(None),
            WrittenNote::TooLarge => {
                let limit = MAX_NOTE_BYTES / 1024 / 1024;
                Err(format!("the existing note is larger than {limit} MiB"))
            }
        }
    }

    fn abandon(&self) {
        if let UpdateState::Ready { new, .. } = &self.state {
            for commit in new {
                self.repository.abandon(commit);
            }
        }
    }
}
