//! What is kept of one attempt, in bounded pieces for views: its output, its prompt, its errors, its result.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;

use afresh_core::ids::AttemptId;
use afresh_core::input::AttemptEnd;
use afresh_core::{Event, Run, printable};
use afresh_engine::session::RecordedRun;
use afresh_engine::{RepoContext, journal_records};

use crate::context::AppContext;
use crate::error::AppError;
use crate::logs::folded::{FoldedTranscript, read_folded, read_folded_end};
use crate::logs::readers::AgentReaders;
use crate::logs::watched_run::WatchedRun;
use crate::session::runs::select;

const MAX_FILE_BYTES: u64 = 512 * 1024;

/// A text file of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptFile {
    Prompt,
    /// What its program printed to standard error.
    Errors,
    /// What its worker wrote as its result, if it wrote a file.
    Result,
}

impl AttemptFile {
    /// As addresses name it.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "prompt" => Some(Self::Prompt),
            "stderr" => Some(Self::Errors),
            "result" => Some(Self::Result),
            _ => None,
        }
    }

    fn file_name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt.md",
            Self::Errors => "stderr.log",
            Self::Result => "worker/result",
        }
    }

    /// Its text, safe to show, of a long one the end; none if the attempt has no such file.
    pub fn read(self, repository: &RepoContext, run: &Run, attempt: &AttemptId) -> Option<String> {
        let path = repository.layout.attempt(run.id(), attempt).join(self.file_name());
        // A worker may have put a pipe or a link there.
        let found = std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        let mut file = File::open(path).ok()?;
        let first = found.len().saturating_sub(MAX_FILE_BYTES);
        file.seek(SeekFrom::Start(first)).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
        let text = printable::lines(&String::from_utf8_lossy(&bytes));
        Some(if first > 0 { format!("… the start is left out\n{text}") } else { text })
    }
}

/// An attempt by its name, such as `T001.2`, checked before it becomes part of a path.
pub fn find_attempt(run: &Run, named: &str) -> Result<AttemptId, AppError> {
    match select::find_task_or_attempt(run, named)? {
        (task, Some(number)) => Ok(AttemptId { task, number }),
        (task, None) => Err(AppError::usage("attempt", format!("{task} is no attempt"))
            .hint(format!("such as {task}.1"))),
    }
}

/// How the attempt ended, as it was recorded; none while its worker is at work.
pub fn find_end(found: &RecordedRun, attempt: &AttemptId) -> Result<Option<AttemptEnd>, AppError> {
    // Decoding every record of a large run takes long.
    let kinds = ["attempt-starting", "attempt-ended"];
    for record in found.records.iter().rev().filter(|record| kinds.contains(&&*record.kind)) {
        match journal_records::to_event(record).map_err(AppError::journal)? {
            Event::AttemptEnded { attempt: ended, end } if ended == *attempt => {
                return Ok(Some(end));
            }
            // Before its start there is no end.
            Event::AttemptStarting { attempt: started, .. } if started == *attempt => {
                return Ok(None);
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Where the output of an attempt is, and how it is read.
#[derive(Debug)]
pub struct TranscriptSource {
    file: PathBuf,
    readers: AgentReaders,
    agent: Option<String>,
}

impl TranscriptSource {
    pub fn find(watched: &WatchedRun, context: &AppContext, attempt: &AttemptId) -> Self {
        let run = &watched.found.run;
        let directory = watched.repository.layout.attempt(run.id(), attempt);
        let track = watched.history.attempt(attempt);
        let agent = track.and_then(|track| track.agent.clone());
        let readers = AgentReaders::load(run, context);
        Self { file: directory.join("stdout.log"), readers, agent }
    }

    /// A piece of it from this byte on; nothing if the worker has printed nothing yet.
    pub fn read_from(&self, from: u64) -> Result<FoldedTranscript, AppError> {
        self.or_empty(read_folded(&self.file, from, self.readers.reader(self.agent.as_deref())))
    }

    /// The last piece of it.
    pub fn read_end(&self) -> Result<FoldedTranscript, AppError> {
        self.or_empty(read_folded_end(&self.file, self.readers.reader(self.agent.as_deref())))
    }

    fn or_empty(
        &self,
        read: std::io::Result<FoldedTranscript>,
    ) -> Result<FoldedTranscript, AppError> {
        match read {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(FoldedTranscript::default()),
            other => other.map_err(|error| {
                AppError::machine("transcript", format!("cannot read {}", self.file.display()))
                    .cause(error.to_string())
            }),
        }
    }
}
