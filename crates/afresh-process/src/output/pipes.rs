//! The pipes that a program writes to, and the files they end in.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use afresh_secrets::Redactor;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::stat::fstat;

use crate::driver::job::Job;
use crate::output::capture::Capture;

const PIECE: usize = 64 * 1024;
/// After the tree is gone at most the pipe's own buffer is left, unless a stranger writes.
const LARGEST_REMAINDER: usize = 2 * 1024 * 1024;

/// Standard output and standard error; one of them where both go to the same file.
#[derive(Debug)]
pub(crate) struct Streams {
    streams: Vec<Stream>,
    piece: Vec<u8>,
}

#[derive(Debug)]
struct Stream {
    pipe: Option<File>,
    capture: Capture,
}

/// The program's ends, to be given away.
#[derive(Debug)]
pub(crate) struct Writers {
    pub stdout: PipeWriter,
    pub stderr: PipeWriter,
}

/// What was captured in all.
#[derive(Debug)]
pub(crate) struct Totals {
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    pub truncated: bool,
    pub error: Option<String>,
}

impl Streams {
    /// Makes the files, before anything is started.
    pub(crate) fn create(job: &Job) -> io::Result<Self> {
        let mut paths: Vec<&Path> = vec![&job.stdout];
        if job.stderr != job.stdout {
            paths.push(&job.stderr);
        }
        let open = |path: &Path| {
            let capture =
                Capture::create(path, job.limits.output_bytes, Redactor::new(&job.secrets))
                    .map_err(|error| {
                        io::Error::new(
                            error.kind(),
                            format!("cannot write to {}: {error}", path.display()),
                        )
                    })?;
            Ok(Stream { pipe: None, capture })
        };
        let streams = paths.into_iter().map(open).collect::<io::Result<_>>()?;
        Ok(Self { streams, piece: vec![0; PIECE] })
    }

    /// Connects new pipes; those of an earlier try are closed.
    pub(crate) fn connect(&mut self) -> io::Result<Writers> {
        let mut writers = Vec::new();
        for stream in &mut self.streams {
            let (reader, writer) = io::pipe()?;
            stream.pipe = Some(nonblocking(reader)?);
            writers.push(writer);
        }
        let stderr = writers.pop().expect("there is always a stream");
        let stdout = match writers.pop() {
            Some(first) => first,
            None => stderr.try_clone()?,
        };
        Ok(Writers { stdout, stderr })
    }

    /// The inodes of the pipes: whoever holds one of them came from this job.
    pub(crate) fn pipe_inodes(&self) -> Vec<u64> {
        let pipes = self.streams.iter().filter_map(|stream| stream.pipe.as_ref());
        pipes.filter_map(|pipe| fstat(pipe).ok()).map(|stat| stat.st_ino).collect()
    }

    /// The descriptors to poll, each with its index for [`Streams::pump`].
    pub(crate) fn descriptors(&self) -> Vec<(usize, BorrowedFd<'_>)> {
        let open = self.streams.iter().enumerate();
        open.filter_map(|(index, stream)| Some((index, stream.pipe.as_ref()?.as_fd()))).collect()
    }

    /// Takes one piece of a stream that has some; says whether there was any.
    pub(crate) fn pump(&mut self, index: usize) -> bool {
        let Self { streams, piece } = self;
        let stream = &mut streams[index];
        let Some(pipe) = &mut stream.pipe else { return false };
        match pipe.read(piece) {
            Ok(0) => {
                stream.pipe = None;
                false
            }
            Ok(count) => {
                stream.capture.take(&piece[..count]);
                true
            }
            Err(error) => {
                if !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) {
                    stream.pipe = None;
                }
                false
            }
        }
    }

    pub(crate) fn seen(&self) -> u64 {
        self.streams.iter().map(|stream| stream.capture.seen()).sum()
    }

    /// Takes what is left in the pipes, without waiting for anybody to close them.
    pub(crate) fn finish(mut self) -> Totals {
        for index in 0..self.streams.len() {
            let enough = self.seen() + LARGEST_REMAINDER as u64;
            while self.pump(index) && self.seen() < enough {}
        }
        let cut: Vec<bool> = self.streams.iter_mut().map(|it| it.capture.finish()).collect();
        let captures: Vec<&Capture> = self.streams.iter().map(|it| &it.capture).collect();
        Totals {
            stdout_bytes: captures.first().map_or(0, |it| it.seen()),
            stderr_bytes: captures.get(1).map_or(0, |it| it.seen()),
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
