//! The output of a worker as entries that can be folded: texts, tool calls with their results, errors.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use afresh_agents::stream::lines::LineBuffer;
use afresh_agents::{AgentEvent, StreamReader};
use afresh_core::printable;
use schemars::JsonSchema;
use serde::Serialize;

/// How much is read for one answer.
const MAX_PIECE_BYTES: u64 = 512 * 1024;
const MAX_TEXT_CHARS: usize = 20_000;

/// A part of a transcript.
#[derive(Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FoldedTranscript {
    pub entries: Vec<TranscriptEntry>,
    /// How many bytes before it were left out.
    #[serde(skip)]
    pub skipped: u64,
    /// Where to read on, in bytes.
    pub next: u64,
    /// How much there is now.
    pub size: u64,
}

#[derive(Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TranscriptEntry {
    Text {
        text: String,
    },
    Tool {
        tool: String,
        about: String,
        /// The start of what it returned; none while it runs.
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        failed: bool,
    },
    /// Something that the program says about itself.
    Notice {
        text: String,
    },
    /// The worker's final text.
    Result {
        text: String,
    },
    /// Output of a program that reports nothing in particular.
    Output {
        text: String,
    },
}

/// Reads a part of a worker's output, whole lines only.
pub fn read_folded(
    path: &Path,
    from: u64,
    reader: Option<Box<dyn StreamReader>>,
) -> std::io::Result<FoldedTranscript> {
    let mut file = open_plain(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(from))?;
    let mut piece = Vec::new();
    file.take(MAX_PIECE_BYTES).read_to_end(&mut piece)?;
    Ok(fold_piece(piece, from, size, reader))
}

/// Reads the last part of a worker's output, whole lines only.
pub fn read_folded_end(
    path: &Path,
    reader: Option<Box<dyn StreamReader>>,
) -> std::io::Result<FoldedTranscript> {
    let mut file = open_plain(path)?;
    let size = file.metadata()?.len();
    let mut from = size.saturating_sub(MAX_PIECE_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut piece = Vec::new();
    file.take(MAX_PIECE_BYTES).read_to_end(&mut piece)?;
    if from > 0
        && let Some(end) = piece.iter().position(|byte| *byte == b'\n')
    {
        // The rest of a line whose start is missing means nothing.
        piece.drain(..=end);
        from += u64::try_from(end + 1).unwrap_or(0);
    }
    Ok(FoldedTranscript { skipped: from, ..fold_piece(piece, from, size, reader) })
}

fn open_plain(path: &Path) -> std::io::Result<File> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(std::io::Error::other("not a plain file"));
    }
    File::open(path)
}

fn fold_piece(
    mut piece: Vec<u8>,
    from: u64,
    size: u64,
    reader: Option<Box<dyn StreamReader>>,
) -> FoldedTranscript {
    // The end of a line may not be written yet; a line longer than a piece is cut.
    let is_full = u64::try_from(piece.len()).unwrap_or(0) == MAX_PIECE_BYTES;
    let end = piece.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
    let whole = end.unwrap_or(if is_full { piece.len() } else { 0 });
    piece.truncate(whole);
    let entries = match reader {
        Some(reader) => fold(reader, &piece),
        None => plain(&piece),
    };
    let next = from + u64::try_from(whole).unwrap_or(0);
    FoldedTranscript { entries, skipped: 0, next, size }
}

fn plain(piece: &[u8]) -> Vec<TranscriptEntry> {
    let text = printable::lines(&String::from_utf8_lossy(piece));
    if text.is_empty() { Vec::new() } else { vec![TranscriptEntry::Output { text }] }
}

fn fold(mut reader: Box<dyn StreamReader>, piece: &[u8]) -> Vec<TranscriptEntry> {
    let mut entries: Vec<TranscriptEntry> = Vec::new();
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for line in LineBuffer::default().push(piece) {
        for event in reader.read_line(&String::from_utf8_lossy(&line)) {
            match event {
                AgentEvent::Text(text) => entries.push(TranscriptEntry::Text { text: safe(&text) }),
                AgentEvent::Result(text) => {
                    entries.push(TranscriptEntry::Result { text: safe(&text) });
                }
                AgentEvent::ToolStarted(call) => {
                    calls.insert(call.id, entries.len());
                    let (tool, about) = (safe(&call.tool), safe(&call.about));
                    entries.push(TranscriptEntry::Tool {
                        tool,
                        about,
                        output: None,
                        failed: false,
                    });
                }
                AgentEvent::ToolEnded(end) => {
                    let called = calls.get(&end.id).and_then(|at| entries.get_mut(*at));
                    if let Some(TranscriptEntry::Tool { output, failed, .. }) = called {
                        *output = Some(safe(&end.output));
                        *failed = end.failed;
                    }
                }
                AgentEvent::Retrying(notice) => {
                    entries.push(TranscriptEntry::Notice { text: safe(&notice.message) });
                }
                AgentEvent::Notice(text) | AgentEvent::Nonsense(text) => {
                    entries.push(TranscriptEntry::Notice { text: safe(&text) });
                }
                _ => {}
            }
        }
    }
    entries
}

fn safe(text: &str) -> String {
    printable::lines(text).chars().take(MAX_TEXT_CHARS).collect()
}
