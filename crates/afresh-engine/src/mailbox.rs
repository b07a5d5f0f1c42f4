//! What workers say while they work: files in a directory of their own attempt, and our answers.
//!
//! It works in any sandbox, survives a restart of ours, and gives a worker nothing but its own
//! attempt. A note is removed once it is recorded.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use afresh_core::event::LogLevel;
use afresh_core::ids::AttemptId;
use afresh_core::outcome::Deviation;
use afresh_core::step::StepAnswer;
use afresh_core::{Input, Run};
use afresh_secrets::redact;
use serde::{Deserialize, Serialize};

use crate::layout::StateLayout;
use crate::worker_files::WorkerDirectory;

/// The longest note, in bytes.
const MAX_NOTE_BYTES: u64 = 16 * 1024;
/// How many notes are read at one look.
const MAX_NOTES: usize = 100;
/// How many lines of one attempt go into the log; the journal keeps them all.
const MAX_LOG_LINES: usize = 1_000;
const MAIL: &str = "mail";
const ANSWERS: &str = "answers";
const NOTICE: &str = "notice";

/// What a worker leaves for us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum WorkerMessage {
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
    /// What no note may hold.
    secrets: Vec<String>,
}

/// A note on its way.
#[derive(Debug)]
pub struct SentMessage {
    file: PathBuf,
}

impl SentMessage {
    /// Has the driver not read it yet?
    pub fn is_waiting(&self) -> bool {
        self.file.exists()
    }

    /// Takes it back; nobody is there to read it.
    pub fn withdraw(self) {
        let _ = fs::remove_file(self.file);
    }
}

impl Mailbox {
    pub fn for_attempt(attempt: PathBuf) -> Self {
        Self { attempt, secrets: Vec::new() }
    }

    /// Notes are redacted before they are on disk (B36).
    #[must_use]
    pub fn without(self, secrets: Vec<String>) -> Self {
        Self { secrets, ..self }
    }

    pub fn send(&self, note: &WorkerMessage) -> io::Result<SentMessage> {
        let bytes = redact(&serde_json::to_string(note)?, &self.secrets).into_bytes();
        if bytes.len() as u64 > MAX_NOTE_BYTES {
            // Nobody would read it, and its sender would wait for an answer.
            let what =
                format!("a note may have {MAX_NOTE_BYTES} bytes, this one has {}", bytes.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let now =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{:024}-{}.json", now.as_nanos(), std::process::id());
        WorkerDirectory::make(&self.attempt, MAIL)?.write(&name, &bytes)?;
        Ok(SentMessage { file: self.attempt.join(MAIL).join(name) })
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
        self.attempt.join(ANSWERS).join(answer_name(step))
    }

    /// Leaves a notice, which the worker is given with whatever it hears from us next.
    pub(crate) fn notify(&self, text: &str) -> io::Result<()> {
        WorkerDirectory::make(&self.attempt, ANSWERS)?.write(NOTICE, text.as_bytes())
    }

    /// The notice, if one waits. Whoever takes it has to hand it on: it is given once.
    pub fn take_notice(&self) -> Option<String> {
        let answers = WorkerDirectory::enter(&self.attempt, ANSWERS).ok()?;
        let text = answers.read(NOTICE.as_ref(), MAX_NOTE_BYTES).ok()?;
        // Of two who ask at once, one gets it.
        answers.remove(NOTICE.as_ref()).ok()?;
        String::from_utf8(text).ok()
    }

    /// Tells the worker what became of a step.
    pub(crate) fn answer_step(&self, step: u32, answer: &StepAnswer) -> io::Result<()> {
        WorkerDirectory::make(&self.attempt, ANSWERS)?
            .write(&answer_name(step), &serde_json::to_vec(answer)?)
    }
}

fn answer_name(step: u32) -> String {
    format!("step-{step}.json")
}

/// A note that a worker left, and where it is.
#[derive(Debug)]
pub(crate) struct ReceivedMessage {
    pub(crate) input: Input,
    attempt: PathBuf,
    name: OsString,
}

impl ReceivedMessage {
    /// It is recorded.
    pub(crate) fn remove(self) {
        let _ =
            WorkerDirectory::enter(&self.attempt, MAIL).and_then(|mail| mail.remove(&self.name));
    }
}

/// Reads what workers leave.
#[derive(Debug, Default)]
pub(crate) struct MailboxReader {
    /// Lines for the log, by attempt.
    lines: BTreeMap<AttemptId, usize>,
}

impl MailboxReader {
    /// The notes of all attempts at work, oldest first.
    pub(crate) fn collect(&mut self, layout: &StateLayout, run: &Run) -> Vec<ReceivedMessage> {
        let mut letters = Vec::new();
        let attempts: Vec<&AttemptId> =
            run.tasks().filter_map(|(_, state)| state.attempt()).collect();
        self.lines.retain(|attempt, _| attempts.contains(&attempt));
        for attempt in attempts {
            let directory = layout.worker(run.id(), attempt);
            // A worker that never said anything has no mailbox.
            let Ok(mail) = WorkerDirectory::enter(&directory, MAIL) else { continue };
            let room = MAX_NOTES - letters.len();
            for name in names(&directory.join(MAIL), room) {
                match self.open(attempt, mail.read(&name, MAX_NOTE_BYTES)) {
                    Some(input) => {
                        letters.push(ReceivedMessage { input, attempt: directory.clone(), name });
                    }
                    // It makes no sense, or is too much.
                    None => drop(mail.remove(&name)),
                }
            }
        }
        letters
    }

    fn open(&mut self, attempt: &AttemptId, bytes: io::Result<Vec<u8>>) -> Option<Input> {
        let note = serde_json::from_slice(&bytes.ok()?).ok()?;
        let attempt = attempt.clone();
        match note {
            WorkerMessage::Step { step, deviations } => {
                Some(Input::StepClaimed { attempt, step, deviations })
            }
            WorkerMessage::Log { level, event, message } => {
                let lines = self.lines.entry(attempt.clone()).or_default();
                *lines += 1;
                let (level, event, message) = match (*lines).cmp(&MAX_LOG_LINES) {
                    std::cmp::Ordering::Less => (level, event, message),
                    std::cmp::Ordering::Equal => {
                        let message = format!("{MAX_LOG_LINES} lines; what follows is left out");
                        (LogLevel::Warn, "log".to_owned(), message)
                    }
                    std::cmp::Ordering::Greater => return None,
                };
                Some(Input::WorkerLogged { attempt, level, event, message })
            }
        }
    }
}

/// The first notes in a mailbox, oldest first.
fn names(mail: &Path, most: usize) -> Vec<OsString> {
    let Ok(entries) = fs::read_dir(mail) else { return Vec::new() };
    let mut names: Vec<OsString> =
        entries.flatten().map(|entry| entry.file_name()).filter(is_note).collect();
    names.sort();
    names.truncate(most);
    names
}

fn is_note(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    !name.starts_with('.') && name.ends_with(".json")
}
