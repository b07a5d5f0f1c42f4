//! The lines of a note: each is one document, so that the union of two people's notes is a note.
//!
//! A note comes from anywhere: it may be huge, damaged or forged. What cannot be read is kept as a line with a
//! problem, and says nothing about the other lines.

use crate::base64;
use crate::envelope::{Envelope, MAX_SIGNATURES, PAYLOAD_TYPE, signed_bytes};
use crate::statement::Statement;

/// A note that is larger is not read.
pub const MAX_NOTE_BYTES: usize = 4 * 1024 * 1024;
/// How many lines of a note are read.
pub const MAX_LINES: usize = 100;

/// One line of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteLine {
    Unsigned(Box<Statement>),
    Signed(Box<SignedStatement>),
    /// Why the line cannot be read.
    Malformed(String),
}

/// A statement with signatures that were not verified yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedStatement {
    pub statement: Statement,
    /// What the signatures are about.
    pub signed_bytes: Vec<u8>,
    /// Armored signatures.
    pub signatures: Vec<Vec<u8>>,
}

/// Reads a note; empty lines are skipped.
pub fn parse_note(bytes: &[u8]) -> Vec<NoteLine> {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty());
    let mut parsed: Vec<NoteLine> = lines.by_ref().take(MAX_LINES).map(parse_line).collect();
    if lines.next().is_some() {
        parsed.push(NoteLine::Malformed(format!("it has more than {MAX_LINES} lines")));
    }
    parsed
}

fn parse_line(line: &[u8]) -> NoteLine {
    // Only an envelope has a payload; the errors of a statement are more useful for everything else.
    let parsed = match serde_json::from_slice::<Envelope>(line) {
        Ok(envelope) => open_envelope(&envelope).map(|signed| NoteLine::Signed(Box::new(signed))),
        Err(_) => Statement::parse(line).map(|found| NoteLine::Unsigned(Box::new(found))),
    };
    parsed.unwrap_or_else(NoteLine::Malformed)
}

fn open_envelope(envelope: &Envelope) -> Result<SignedStatement, String> {
    if envelope.payload_type != PAYLOAD_TYPE {
        return Err(format!("its envelope does not hold {PAYLOAD_TYPE}"));
    }
    let payload = base64::decode(&envelope.payload).ok_or("its payload is not base64")?;
    let statement = Statement::parse(&payload)?;
    let signatures = envelope.signatures.iter().take(MAX_SIGNATURES);
    let signatures =
        signatures.map(|one| base64::decode(&one.sig).ok_or("a signature is not base64"));
    let signatures = signatures.collect::<Result<Vec<_>, _>>()?;
    if signatures.is_empty() {
        return Err("its envelope has no signature".to_owned());
    }
    Ok(SignedStatement { statement, signed_bytes: signed_bytes(&payload), signatures })
}

/// The note with one more line; none if it has the same statement already.
pub fn add_line(note: Option<&[u8]>, line: &str) -> Option<Vec<u8>> {
    let mut text = note.unwrap_or_default().to_vec();
    let new = parse_line(line.as_bytes());
    let has_it = |old: &NoteLine| match (old, &new) {
        // A signed statement is worth more than the same without a signature.
        (NoteLine::Signed(old), NoteLine::Unsigned(new)) => old.statement == **new,
        (NoteLine::Signed(old), NoteLine::Signed(new)) => old.statement == new.statement,
        (old, new) => old == new,
    };
    if parse_note(&text).iter().any(has_it) {
        return None;
    }
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend(line.as_bytes());
    text.push(b'\n');
    Some(text)
}
