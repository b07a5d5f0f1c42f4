//! The pipes that a program writes to, and the files that they are written to.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use afresh_secrets::Redactor;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::stat::fstat;

use crate::driver::job::JobSpec;
use crate::output::capture::OutputFile;

const READ_SIZE: usize = 64 * 1024;
/// After the tree is gone, only the pipe's buffer is left, unless an unrelated process writes.
const MAX_REMAINDER_BYTES: usize = 2 * 1024 * 1024;

/// Standard output and standard error; one of them if both go to the same file.
#[derive(Debug)]
pub(crate) struct OutputPipes {
    pipes: Vec<OutputPipe>,
    piece: Vec<u8>,
}

#[derive(Debug)]
struct OutputPipe {
    pipe: Option<File>,
    capture: OutputFile,
}

/// The program's ends of the pipes.
#[derive(Debug)]
pub(crate) struct PipeWriters {
    pub stdout: PipeWriter,
    pub stderr: PipeWriter,
}

/// The totals of all output.
#[derive(Debug)]
pub(crate) struct OutputTotals {
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    pub truncated: bool,
    pub error: Option<String>,
}

impl OutputPipes {
    /// Creates the files, before anything is started.
    pub(crate) fn create(job: &JobSpec) -> io::Result<Self> {
        let mut paths: Vec<&Path> = vec![&job.stdout];
        if job.stderr != job.stdout {
            paths.push(&job.stderr);
        }
        let open = |path: &Path| {
            let capture =
                OutputFile::create(path, job.limits.output_bytes, Redactor::new(&job.secrets))
                    .map_err(|error| {
                        io::Error::new(
                            error.kind(),
                            format!("cannot write to {}: {error}", path.display()),
                        )
                    })?;
            Ok(OutputPipe { pipe: None, capture })
        };
        let pipes = paths.into_iter().map(open).collect::<io::Result<_>>()?;
        Ok(Self { pipes, piece: vec![0; READ_SIZE] })
    }

    /// Connects new pipes; those of an earlier try are closed.
    pub(crate) fn connect(&mut self) -> io::Result<PipeWriters> {
        let mut writers = Vec::new();
        for output in &mut self.pipes {
            let (reader, writer) = io::pipe()?;
            output.pipe = Some(nonblocking(reader)?);
            writers.push(writer);
        }
        let stderr = writers.pop().expect("there is always a stream");
        let stdout = match writers.pop() {
            Some(first) => first,
            None => stderr.try_clone()?,
        };
        Ok(PipeWriters { stdout, stderr })
    }

    /// The inodes of the pipes: a process that holds one of them came from this job.
    pub(crate) fn pipe_inodes(&self) -> Vec<u64> {
        let pipes = self.pipes.iter().filter_map(|output| output.pipe.as_ref());
        pipes.filter_map(|pipe| fstat(pipe).ok()).map(|stat| stat.st_ino).collect()
    }

    /// The descriptors to poll, each with its index for [`OutputPipes::read_pipe`].
    pub(crate) fn descriptors(&self) -> Vec<(usize, BorrowedFd<'_>)> {
        let open = self.pipes.iter().enumerate();
        open.filter_map(|(index, output)| Some((index, output.pipe.as_ref()?.as_fd()))).collect()
    }

    /// Reads from a pipe once; returns whether there was anything.
    pub(crate) fn read_pipe(&mut self, index: usize) -> bool {
        let Self { pipes, piece } = self;
        let output = &mut pipes[index];
        let Some(pipe) = &mut output.pipe else { return false };
        match pipe.read(piece) {
            Ok(0) => {
                output.pipe = None;
                false
            }
            Ok(count) => {
                output.capture.push(&piece[..count]);
                true
            }
            Err(error) => {
                if !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) {
                    output.pipe = None;
                }
                false
            }
        }
    }

    pub(crate) fn byte_count(&self) -> u64 {
        self.pipes.iter().map(|output| output.capture.byte_count()).sum()
    }

    /// Reads what is left in the pipes, without waiting for them to be closed.
    pub(crate) fn finish(mut self) -> OutputTotals {
        for index in 0..self.pipes.len() {
            let enough = self.byte_count() + MAX_REMAINDER_BYTES as u64;
            while self.read_pipe(index) && self.byte_count() < enough {}
        }
        let cut: Vec<bool> = self.pipes.iter_mut().map(|it| it.capture.finish()).collect();
        let captures: Vec<&OutputFile> = self.pipes.iter().map(|it| &it.capture).collect();
        OutputTotals {
            stdout_bytes: captures.first().map_or(0, |it| it.byte_count()),
            stderr_bytes: captures.get(1).map_or(0, |it| it.byte_count()),
            truncated: cut.contains(&true),
            error: captures.iter().find_map(|it| it.error().map(str::to_owned)),
        }
    }
}

fn nonblocking(reader: PipeReader) -> io::Result<File> {
    let file = File::from(OwnedFd::from(reader));
    fcntl(&file, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok(file)
}
