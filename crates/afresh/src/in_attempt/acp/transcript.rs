//! The lines that the client writes: see `afresh_agents::adapters::acp::line`.

use std::io::Write;

use afresh_agents::adapters::acp::{AgentLine, ClientLine};
use afresh_core::model_error::ModelError;
use serde_json::Value;

use super::child::AgentMessage;

/// How a line with a message of the agent's begins.
const FROM: &[u8] = b"{\"from\":";
/// How much of a line is recorded that is no message.
const MAX_NOTE_CHARS: usize = 500;

#[derive(Debug)]
pub(super) struct SessionTranscript<W> {
    out: W,
    is_broken: bool,
}

impl<W: Write> SessionTranscript<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, is_broken: false }
    }

    /// Nothing more can be written.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    pub(super) fn sent(&mut self, message: &Value) {
        self.write_line(&ClientLine::To(message.clone()));
    }

    /// Records what was received; returns the message, if there is one to handle.
    pub(super) fn heard(&mut self, heard: &AgentMessage) -> Option<Value> {
        match heard {
            AgentMessage::Line(line) => return self.line(line.trim_ascii()),
            AgentMessage::TooLong => self.note("dropped a line that is too long for a message"),
            AgentMessage::Gone | AgentMessage::Stop | AgentMessage::TimeIsUp => {}
        }
        None
    }

    fn line(&mut self, line: &[u8]) -> Option<Value> {
        let said = AgentLine::read(line);
        if said == AgentLine::Nonsense {
            let beginning = &line[..line.len().min(4 * MAX_NOTE_CHARS)];
            self.note(&format!("not a message: {}", String::from_utf8_lossy(beginning)));
            return None;
        }
        // As it came: it is JSON, and a copy of a message takes much memory.
        self.write(&[FROM, line, b"}"]);
        match said {
            AgentLine::Message(message) => Some(message),
            AgentLine::Notice | AgentLine::Nonsense => None,
        }
    }

    pub(super) fn note(&mut self, note: &str) {
        self.write_line(&ClientLine::Note(note.chars().take(MAX_NOTE_CHARS).collect()));
    }

    pub(super) fn failed(&mut self, error: &ModelError) {
        self.write_line(&ClientLine::Failed(error.clone()));
    }

    fn write_line(&mut self, line: &ClientLine) {
        self.write(&[line.render().as_bytes()]);
    }

    fn write(&mut self, parts: &[&[u8]]) {
        let line = [parts, &[b"\n"]].concat();
        let written = line.iter().try_for_each(|part| self.out.write_all(part));
        self.is_broken |= written.and_then(|()| self.out.flush()).is_err();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is written is what is read: see `afresh_agents::adapters::acp::line`.
    #[test]
    fn lines_are_written_as_they_are_read() {
        let mut out = Vec::new();
        let mut transcript = SessionTranscript::new(&mut out);
        let heard = transcript
            .heard(&AgentMessage::Line(b" {\"id\": 1e2, \"x\": \"\\u00e9\"}\r\n".to_vec()));
        assert_eq!(heard, Some(json!({"id": 1e2, "x": "é"})));
        assert_eq!(transcript.heard(&AgentMessage::Line(b"{\"method\":\"x\"}".to_vec())), None);
        for odd in [&b"[1]"[..], b"{", b"\xff", b"{\"a\":1} {\"b\":2}"] {
            assert_eq!(transcript.heard(&AgentMessage::Line(odd.to_vec())), None);
        }
        let text = String::from_utf8(out).expect("text");
        let lines: Vec<Option<ClientLine>> = text.lines().map(ClientLine::parse).collect();
        assert_eq!(lines[0], Some(ClientLine::From(json!({"id": 1e2, "x": "é"}))), "{text}");
        assert_eq!(lines[1], Some(ClientLine::From(json!({"method": "x"}))), "{text}");
        assert!(lines[2..].iter().all(|line| matches!(line, Some(ClientLine::Note(_)))), "{text}");
        assert_eq!(lines.len(), 6);
    }
}
