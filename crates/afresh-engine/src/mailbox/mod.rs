//! Messages from workers while they work, as files in the attempt's own directory, and our answers.
//!
//! This works in any sandbox, survives a restart of the driver, and gives a worker access to nothing but its own
//! attempt. A message is removed once it is recorded.

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

use crate::executor::attempt::files::end_of;
use crate::layout::StateLayout;
use crate::worker_files::WorkerDirectory;

/// The longest message, in bytes.
const MAX_NOTE_BYTES: u64 = 16 * 1024;
/// How many messages are read per poll.
const MAX_NOTES: usize = 100;
/// How many lines of one attempt go into the log; the journal keeps them all.
const MAX_LOG_LINES: usize = 1_000;
const MAIL: &str = "mail";
const ANSWERS: &str = "answers";
const NOTICE: &str = "notice";
const COMMENT: &str = "comment-";
/// The longest comment with its introduction, in bytes.
const MAX_COMMENT_BYTES: u64 = 32 * 1024;

/// What a worker reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum WorkerMessage {
    /// A line for the activity log.
    Log { level: LogLevel, event: String, message: String },
    /// A step is finished; the worker waits for an answer.
    Step { step: u32, deviations: Vec<Deviation> },
    /// A person's comment reached the worker.
    CommentRead { comment: u32 },
}

/// A file beside the result file: why the last report was refused, and the report itself.
pub const REFUSED_RESULT: &str = "refused-result";

/// What the worker wrote into the result file of the attempt with these files; nothing if it is no plain file.
pub fn written_result(attempt: &Path) -> String {
    end_of(&attempt.join("worker/result"))
}

/// The mailbox of one attempt, as its worker sees it.
#[derive(Debug, Clone)]
pub struct Mailbox {
    /// The directory of the attempt's files.
    attempt: PathBuf,
    /// Values that are redacted in every message.
    secrets: Vec<String>,
}

/// A message that was sent.
#[derive(Debug)]
pub struct SentMessage {
    file: PathBuf,
}

impl SentMessage {
    /// Whether the driver has not read it yet.
    pub fn is_waiting(&self) -> bool {
        self.file.exists()
    }

    /// Withdraws the message, because no driver is running to read it.
    pub fn withdraw(self) {
        let _ = fs::remove_file(self.file);
    }
}

impl Mailbox {
    pub fn for_attempt(attempt: PathBuf) -> Self {
        Self { attempt, secrets: Vec::new() }
    }

    /// Messages are redacted before they are on disk (B36).
    #[must_use]
    pub fn without(self, secrets: Vec<String>) -> Self {
        Self { secrets, ..self }
    }

    pub fn send(&self, note: &WorkerMessage) -> io::Result<SentMessage> {
        let bytes = redact(&serde_json::to_string(note)?, &self.secrets).into_bytes();
        if bytes.len() as u64 > MAX_NOTE_BYTES {
            // No driver would read it, and its sender would wait for an answer.
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

    /// Removes an earlier answer about this step.
    pub fn expect_answer(&self, step: u32) -> io::Result<()> {
        match fs::remove_file(self.answer_file(step)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The answer about a step, once it has arrived.
    pub fn answer(&self, step: u32) -> Option<StepAnswer> {
        serde_json::from_slice(&fs::read(self.answer_file(step)).ok()?).ok()
    }

    fn answer_file(&self, step: u32) -> PathBuf {
        self.attempt.join(ANSWERS).join(answer_name(step))
    }

    /// Leaves a notice, which the worker gets with our next answer.
    pub(crate) fn notify(&self, text: &str) -> io::Result<()> {
        WorkerDirectory::make(&self.attempt, ANSWERS)?.write(NOTICE, text.as_bytes())
    }

    /// The notice, if one waits. It is returned once, so the caller has to pass it on.
    pub fn take_notice(&self) -> Option<String> {
        let answers = WorkerDirectory::enter(&self.attempt, ANSWERS).ok()?;
        let text = answers.read(NOTICE.as_ref(), MAX_NOTE_BYTES).ok()?;
        // If two processes ask at once, only one gets it.
        answers.remove(NOTICE.as_ref()).ok()?;
        String::from_utf8(text).ok()
    }

    /// Leaves a person's comment, which the worker gets with our next answer.
    pub(crate) fn leave_comment(&self, number: u32, text: &str) -> io::Result<()> {
        WorkerDirectory::make(&self.attempt, ANSWERS)?
            .write(&format!("{COMMENT}{number:010}.txt"), text.as_bytes())
    }

    /// The comments that wait, oldest first. Each is returned once, so the caller has to pass it on.
    pub fn take_comments(&self) -> Vec<String> {
        let Ok(answers) = WorkerDirectory::enter(&self.attempt, ANSWERS) else { return Vec::new() };
        let mut found: Vec<(u32, String)> = Vec::new();
        for name in file_names(&self.attempt.join(ANSWERS)) {
            // Notices and answers about steps are beside them.
            let number = name.to_str().and_then(|name| name.strip_prefix(COMMENT));
            let number = number.and_then(|name| name.strip_suffix(".txt")?.parse().ok());
            let Some(number) = number else { continue };
            let Ok(text) = answers.read(&name, MAX_COMMENT_BYTES) else { continue };
            // If two processes ask at once, only one gets it.
            if answers.remove(&name).is_ok() {
                found.push((number, String::from_utf8_lossy(&text).into_owned()));
            }
        }
        found.sort();
        for (number, _) in &found {
            // Without this report it counts as unread: the next worker gets it too.
            let _ = self.send(&WorkerMessage::CommentRead { comment: *number });
        }
        found.into_iter().map(|(_, text)| text).collect()
    }

    /// Answers the worker about a step.
    pub(crate) fn answer_step(&self, step: u32, answer: &StepAnswer) -> io::Result<()> {
        WorkerDirectory::make(&self.attempt, ANSWERS)?
            .write(&answer_name(step), &serde_json::to_vec(answer)?)
    }
}

fn answer_name(step: u32) -> String {
    format!("step-{step}.json")
}

/// A message that a worker left, and its path.
#[derive(Debug)]
pub(crate) struct ReceivedMessage {
    pub(crate) input: Input,
    attempt: PathBuf,
    name: OsString,
}

impl ReceivedMessage {
    /// Removes the message once it is recorded.
    pub(crate) fn remove(self) {
        let _ =
            WorkerDirectory::enter(&self.attempt, MAIL).and_then(|mail| mail.remove(&self.name));
    }
}

/// Reads the workers' messages.
#[derive(Debug, Default)]
pub(crate) struct MailboxReader {
    /// Lines for the log, by attempt.
    lines: BTreeMap<AttemptId, usize>,
}

impl MailboxReader {
    /// The messages of all running attempts, oldest first.
    pub(crate) fn collect(&mut self, layout: &StateLayout, run: &Run) -> Vec<ReceivedMessage> {
        let mut letters = Vec::new();
        let attempts: Vec<&AttemptId> =
            run.tasks().filter_map(|(_, state)| state.attempt()).collect();
        self.lines.retain(|attempt, _| attempts.contains(&attempt));
        for attempt in attempts {
            let directory = layout.worker(run.id(), attempt);
            // A worker that never sent a message has no mailbox.
            let Ok(mail) = WorkerDirectory::enter(&directory, MAIL) else { continue };
            let room = MAX_NOTES - letters.len();
            for name in names(&directory.join(MAIL), room) {
                match self.open(attempt, mail.read(&name, MAX_NOTE_BYTES)) {
                    Some(input) => {
                        letters.push(ReceivedMessage { input, attempt: directory.clone(), name });
                    }
                    // It is malformed or too large.
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
            WorkerMessage::CommentRead { comment } => Some(Input::CommentRead(attempt, comment)),
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

/// The first messages in a mailbox, oldest first.
fn names(mail: &Path, most: usize) -> Vec<OsString> {
    let mut names: Vec<OsString> = file_names(mail).filter(is_note).collect();
    names.sort();
    names.truncate(most);
    names
}

fn file_names(directory: &Path) -> impl Iterator<Item = OsString> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name())
}

fn is_note(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    !name.starts_with('.') && name.ends_with(".json")
}

#[cfg(test)]
mod tests;
