//! What was wrong with the notes that hold the receipts.

use afresh_core::Event;
use afresh_core::check::NoteProblem;
use schemars::JsonSchema;
use serde::Serialize;

/// A merge whose note is missing, or from which on notes are unsigned.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct NoteReport {
    pub attempt: String,
    pub problem: NoteProblem,
    /// The same for people.
    pub text: String,
}

impl NoteReport {
    pub(super) fn from_event(event: &Event) -> Option<Self> {
        let Event::NoteWarned { attempt, problem } = event else { return None };
        let (attempt, text) = (attempt.to_string(), problem.describe());
        Some(Self { attempt, problem: problem.clone(), text })
    }
}
