//! The lines that the client writes: see `afresh_agents::acp::line`.

use std::io::Write;

use afresh_agents::acp::Line;
use afresh_core::model_error::ModelError;
use serde_json::Value;

use super::child::Heard;

/// How much of a line is shown that is no message.
const MAX_NOTE_CHARS: usize = 500;

#[derive(Debug)]
pub(super) struct Transcript<W> {
    out: W,
    is_broken: bool,
}

impl<W: Write> Transcript<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, is_broken: false }
    }

    /// Nothing more can be written.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    pub(super) fn sent(&mut self, message: &Value) {
        self.write(&Line::To(message.clone()));
    }

    pub(super) fn heard(&mut self, heard: &Heard) {
        match heard {
            Heard::Message(message) => self.write(&Line::From(message.clone())),
            Heard::Nonsense(text) => self.note(&format!("no message: {text}")),
            Heard::TooLong => self.note("a line was too long for a message, and was left out"),
            Heard::Gone | Heard::Stop | Heard::TimeIsUp => {}
        }
    }

    pub(super) fn note(&mut self, note: &str) {
        self.write(&Line::Note(note.chars().take(MAX_NOTE_CHARS).collect()));
    }

    pub(super) fn failed(&mut self, error: &ModelError) {
        self.write(&Line::Failed(error.clone()));
    }

    fn write(&mut self, line: &Line) {
        let written = writeln!(self.out, "{}", line.render()).and_then(|()| self.out.flush());
        self.is_broken |= written.is_err();
    }
}
