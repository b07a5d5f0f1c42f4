//! What workers say while they work: files in a directory of their own attempt, and our answers.
//!
//! It works in any sandbox, survives a restart of ours, and gives a worker nothing but its own
//! attempt. A note is removed once it is recorded.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use afresh_core::event::LogLevel;
use afresh_core::ids::AttemptId;
use afresh_core::outcome::Deviation;
use afresh_core::step::StepAnswer;
use afresh_core::{Input, Run};
use serde::{Deserialize, Serialize};

use crate::layout::Layout;

/// The longest note that is read, in bytes; what is longer is dropped.
const MAX_NOTE_BYTES: u64 = 16 * 1024;
/// How many notes are read at one look.
const MAX_NOTES: usize = 100;

/// What a worker leaves for us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Note {
    /// A line for the activity log.
    Log { level: LogLevel, event: String, message: String },
    /// A step is finished; the worker waits for an answer.
    Step { step: u32, deviations: Vec<Deviation> },
}

/// The mailbox of one attempt, as its worker sees it.
#[derive(Debug, Clone)]
pub struct Mailbox {
    /// Where the attempt's files are.
    attempt: PathBuf,
}

/// A note on its way.
#[derive(Debug)]
pub struct Sent {
    file: PathBuf,
}

impl Sent {
    /// Has the driver not read it yet?
    pub fn is_waiting(&self) -> bool {
        self.file.exists()
    }

    /// Takes it back; nobody is there to read it.
    pub fn take_back(self) {
        let _ = fs::remove_file(self.file);
    }
}

impl Mailbox {
    pub fn of(attempt: PathBuf) -> Self {
        Self { attempt }
    }

    pub fn leave(&self, note: &Note) -> io::Result<Sent> {
        let mail = self.attempt.join("mail");
        fs::create_dir_all(&mail)?;
        let now =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{:024}-{}", now.as_nanos(), std::process::id());
        let file = mail.join(format!("{name}.json"));
        write_whole(&mail.join(format!(".{name}")), &file, &serde_json::to_vec(note)?)?;
        Ok(Sent { file })
    }

    /// Forgets what was answered before about this step.
    pub fn expect_answer(&self, step: u32) -> io::Result<()> {
        match fs::remove_file(self.answer_file(step)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The answer about a step, once it is there.
    pub fn answer(&self, step: u32) -> Option<StepAnswer> {
        serde_json::from_slice(&fs::read(self.answer_file(step)).ok()?).ok()
    }

    fn answer_file(&self, step: u32) -> PathBuf {
        self.attempt.join("answers").join(format!("step-{step}.json"))
    }

    /// Tells the worker what became of a step.
    pub(crate) fn tell(&self, step: u32, answer: &StepAnswer) -> io::Result<()> {
        let directory = self.attempt.join("answers");
        fs::create_dir_all(&directory)?;
        let draft = directory.join(format!(".step-{step}"));
        write_whole(&draft, &self.answer_file(step), &serde_json::to_vec(answer)?)
    }
}

/// Whole or not at all: the other side may look at any moment.
fn write_whole(draft: &Path, file: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(draft, bytes)?;
    fs::rename(draft, file)
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
    let bytes = || -> io::Result<Vec<u8>> {
        // A worker may have put a pipe or a link there.
        if !fs::symlink_metadata(&file)?.is_file() {
            return Ok(Vec::new());
        }
        let mut bytes = Vec::new();
        fs::File::open(&file)?.take(MAX_NOTE_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let attempt = attempt.clone();
    let input = match serde_json::from_slice(&bytes().unwrap_or_default()).ok() {
        Some(Note::Log { level, event, message }) => {
            Input::WorkerLogged { attempt, level, event, message }
        }
        Some(Note::Step { step, deviations }) => Input::StepClaimed { attempt, step, deviations },
        None => {
            let _ = fs::remove_file(&file);
            return None;
        }
    };
    Some(Letter { input, file })
}
