//! What workers say while they work: files in a directory of their own attempt.
//!
//! It works in any sandbox, survives a restart of ours, and gives a worker nothing but its own
//! attempt. A note is removed once it is recorded.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use afresh_core::event::LogLevel;
use afresh_core::ids::AttemptId;
use afresh_core::{Input, Run};
use serde::{Deserialize, Serialize};

use crate::layout::Layout;

/// The longest note that is read, in bytes; what is longer is dropped.
const MAX_NOTE_BYTES: u64 = 16 * 1024;
/// How many notes are read at one look.
const MAX_NOTES: usize = 100;

/// A line for the activity log, as a worker leaves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub level: LogLevel,
    pub event: String,
    pub message: String,
}

impl Note {
    /// Leaves the note in the mailbox of the attempt whose files are in `attempt`.
    pub fn leave(&self, attempt: &Path) -> std::io::Result<()> {
        let mail = attempt.join("mail");
        fs::create_dir_all(&mail)?;
        let now =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{:024}-{}", now.as_nanos(), std::process::id());
        // Whole or not at all: the driver may look at any moment.
        let draft = mail.join(format!(".{name}"));
        fs::write(&draft, serde_json::to_vec(self)?)?;
        fs::rename(draft, mail.join(format!("{name}.json")))
    }
}

/// A note that a worker left, and its file.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) input: Input,
    pub(crate) file: PathBuf,
}

/// The notes of all attempts at work, oldest first.
pub(crate) fn collect(layout: &Layout, run: &Run) -> Vec<Letter> {
    let attempts = run.tasks().filter_map(|(_, state)| state.attempt());
    attempts.flat_map(|attempt| notes_of(layout, run, attempt)).take(MAX_NOTES).collect()
}

fn notes_of(layout: &Layout, run: &Run, attempt: &AttemptId) -> Vec<Letter> {
    let mail = layout.attempt(run.id(), attempt).join("mail");
    let Ok(entries) = fs::read_dir(&mail) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_note(path)).collect();
    files.sort();
    files.truncate(MAX_NOTES);
    files.into_iter().filter_map(|file| read(attempt, file)).collect()
}

fn is_note(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with('.') && name.ends_with(".json")
}

/// Reads a note; one that makes no sense is removed.
fn read(attempt: &AttemptId, file: PathBuf) -> Option<Letter> {
    let bytes = || -> std::io::Result<Vec<u8>> {
        // A worker may have put a pipe or a link there.
        if !fs::symlink_metadata(&file)?.is_file() {
            return Ok(Vec::new());
        }
        let mut bytes = Vec::new();
        fs::File::open(&file)?.take(MAX_NOTE_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let note: Option<Note> = serde_json::from_slice(&bytes().unwrap_or_default()).ok();
    let Some(Note { level, event, message }) = note else {
        let _ = fs::remove_file(&file);
        return None;
    };
    let attempt = attempt.clone();
    Some(Letter { input: Input::WorkerLogged { attempt, level, event, message }, file })
}
