//! Reads objects through one long-running git process, instead of one process for each question.
//!
//! The process ends with us, when its stdin closes. If it exits early it is started again, and its
//! error output is reported only if that does not help. It never writes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use afresh_core::ids::CommitId;

use crate::git::command::{CommandError, GitCommand};
use crate::git::repository::Repository;
use crate::refs::RefError;
use crate::refs::names::check_ref_name;

/// More than any realistic tree or commit.
const MAX_OBJECT_BYTES: usize = 256 * 1024 * 1024;
/// How much of git's error output is kept.
const MAX_COMPLAINT_BYTES: u64 = 8 * 1024;

/// The one process of a repository, started with the first question.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObjectReader(Arc<Mutex<Option<CatFileProcess>>>);

impl ObjectReader {
    /// The next question starts a new process, which remembers nothing.
    pub(crate) fn restart(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// An object as it is stored.
#[derive(Debug)]
pub(crate) struct StoredObject {
    pub(crate) kind: String,
    pub(crate) content: Vec<u8>,
}

impl Repository {
    /// A tree or a commit; `None` if there is no such object.
    pub(crate) fn read_object(&self, id: &str) -> Result<Option<StoredObject>, CommandError> {
        self.converse(|talk| talk.contents(id))
    }

    /// The content of a blob; `None` if there is no such object, or if it is larger than `most`
    /// bytes.
    pub fn blob(&self, id: &str, most: usize) -> Result<Option<Vec<u8>>, CommandError> {
        self.converse(|talk| match talk.ask("info", id)? {
            Some((kind, size)) if kind == "blob" && size <= most => {
                Ok(talk.contents(id)?.map(|object| object.content))
            }
            _ => Ok(None),
        })
    }

    /// `commit`, `tree`, `blob` or `tag`; `None` if there is no such object.
    pub(crate) fn object_kind(&self, id: &str) -> Result<Option<String>, CommandError> {
        self.converse(|talk| Ok(talk.ask("info", id)?.map(|(kind, _)| kind)))
    }

    /// The commit that a ref points to, without a git process of its own. It may be outdated by the time of use, so it
    /// is good for an expectation of a compare-and-swap.
    pub fn peek_ref(&self, name: &str) -> Result<Option<CommitId>, RefError> {
        check_ref_name(name)?;
        Ok(self.converse(|talk| talk.resolve(name))?)
    }

    fn converse<T>(
        &self,
        mut ask: impl FnMut(&mut CatFileProcess) -> io::Result<T>,
    ) -> Result<T, CommandError> {
        let mut kept = self.reader.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sees_staged = self.staging_dir().is_dir();
        // It was started before there was a staging directory.
        kept.take_if(|talk| talk.sees_staged != sees_staged);
        if let Some(answer) = kept.as_mut().and_then(|talk| ask(talk).ok()) {
            return Ok(answer);
        }
        // Not started yet, or ended from outside.
        *kept = None;
        let call = self.show_staged_to(self.git("read objects"));
        let call = call.args(["cat-file", "--batch-command"]);
        let mut talk = CatFileProcess::start(call, sees_staged)?;
        match ask(&mut talk) {
            Ok(answer) => {
                *kept = Some(talk);
                Ok(answer)
            }
            Err(error) => Err(talk.failure(&error)),
        }
    }
}

/// A running `git cat-file --batch-command`.
#[derive(Debug)]
struct CatFileProcess {
    sees_staged: bool,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    complaint: Option<JoinHandle<Vec<u8>>>,
}

impl CatFileProcess {
    fn start(call: GitCommand, sees_staged: bool) -> Result<Self, CommandError> {
        let mut child = call.start()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output is piped"));
        let errors = child.stderr.take().expect("its complaints are piped");
        let complaint = Some(thread::spawn(move || drain(errors)));
        Ok(Self { sees_staged, child, input, output, complaint })
    }

    /// Sends one command and reads the first line of the answer.
    fn send(&mut self, command: &str, object: &str) -> io::Result<String> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(format!("{command} {object}\n").as_bytes())?;
        let mut header = String::new();
        self.output.read_line(&mut header)?;
        Ok(header)
    }

    /// The id of the object that a ref names.
    fn resolve(&mut self, name: &str) -> io::Result<Option<CommitId>> {
        let header = self.send("info", name)?;
        let odd = || io::Error::other(format!("it answered {header:?}"));
        match header.trim_end().split(' ').collect::<Vec<_>>()[..] {
            [_, "missing"] => Ok(None),
            [id, _, _] => id.parse().map(Some).map_err(|_| odd()),
            _ => Err(odd()),
        }
    }

    /// Sends one command; the kind and size of the object, if there is one.
    fn ask(&mut self, command: &str, id: &str) -> io::Result<Option<(String, usize)>> {
        let header = self.send(command, id)?;
        let odd = || io::Error::other(format!("it answered {header:?}"));
        match header.trim_end().split(' ').collect::<Vec<_>>()[..] {
            [_, "missing"] => Ok(None),
            [found, kind, size] if found == id => {
                let size = size.parse().map_err(|_| odd())?;
                Ok(Some((kind.to_owned(), size)))
            }
            _ => Err(odd()),
        }
    }

    fn contents(&mut self, id: &str) -> io::Result<Option<StoredObject>> {
        let Some((kind, size)) = self.ask("contents", id)? else { return Ok(None) };
        if size > MAX_OBJECT_BYTES {
            return Err(io::Error::other(format!("{id} has {size} bytes")));
        }
        // A line break follows the content.
        let mut content = vec![0; size + 1];
        self.output.read_exact(&mut content)?;
        content.truncate(size);
        Ok(Some(StoredObject { kind, content }))
    }

    /// Why it did not answer.
    fn failure(mut self, error: &io::Error) -> CommandError {
        let status = self.end();
        let output_text =
            self.complaint.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let output_text = String::from_utf8_lossy(&output_text).trim().to_owned();
        let (doing, verb) = ("read objects".to_owned(), "cat-file".to_owned());
        match status {
            Ok(status) => CommandError::Failed {
                doing,
                verb,
                status,
                complaint: format!("{error}; {output_text}"),
            },
            Err(source) => CommandError::Start { doing, source },
        }
    }

    fn end(&mut self) -> io::Result<std::process::ExitStatus> {
        self.input = None;
        // It only reads, and may be in the middle of an answer that is not needed.
        self.child.kill()?;
        self.child.wait()
    }
}

impl Drop for CatFileProcess {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.end();
    }
}

/// Reads to the end, and keeps the beginning.
fn drain(mut pipe: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let _ = pipe.by_ref().take(MAX_COMPLAINT_BYTES).read_to_end(&mut kept);
    let _ = io::copy(&mut pipe, &mut io::sink());
    kept
}
