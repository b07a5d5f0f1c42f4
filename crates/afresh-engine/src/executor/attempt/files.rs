//! The files of one attempt.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::bundle::rendered;
use crate::executor::sandbox::SandboxGuard;
use crate::worker_files::open_plain;

/// How many bytes at the end of a worker's output are searched for its answer.
const ANSWER_BYTES: u64 = 1024 * 1024;

pub(crate) struct AttemptFiles {
    pub(crate) directory: PathBuf,
    pub(crate) prompt: PathBuf,
    pub(crate) bundle: PathBuf,
    pub(crate) result: PathBuf,
    /// The directory that the worker may write to.
    pub(crate) worker: PathBuf,
    /// Keeps the worker's sandbox while it runs.
    pub(crate) room: Option<SandboxGuard>,
    pub(crate) stdout: PathBuf,
    pub(crate) stderr: PathBuf,
}

impl AttemptFiles {
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self {
            prompt: directory.join(rendered::PROMPT),
            bundle: directory.join(rendered::BUNDLE),
            result: directory.join("worker/result"),
            worker: directory.join("worker"),
            room: None,
            stdout: directory.join("stdout.log"),
            stderr: directory.join("stderr.log"),
            directory,
        }
    }

    /// Removes secrets from the result that the worker wrote (B36).
    pub(crate) fn rewrite_result(&self, text: &str) {
        // If the file cannot be rewritten, it must not stay either.
        let _ = fs::remove_file(&self.result);
        let new = fs::OpenOptions::new().write(true).create_new(true).open(&self.result);
        let _ = new.and_then(|mut file| file.write_all(text.as_bytes()));
    }
}

/// The last part of a file, as text; empty if it is not a plain file.
pub(crate) fn end_of(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = open_plain(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(ANSWER_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(ANSWER_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}
