//! Set-up commands: once per workspace, and again when a manifest or lock file changes.
//!
//! Without kept paths, nothing of a set-up outlives the attempt, so the commands run for every attempt.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use afresh_core::time::render_span;
use afresh_git::WorkspaceId;
use afresh_process::{JobLimits, JobSpec, ProcessEnd, RunningJob, StopSignal};

use crate::executor::ExecutorContext;
use crate::executor::cancel::CancelHandle;
use crate::executor::sandbox::SandboxSubject;
use crate::worker_files::open_plain;

/// Files whose change makes an earlier set-up stale.
const MANIFESTS: &[&str] = &[
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lockb",
    "Cargo.toml",
    "Cargo.lock",
    "pyproject.toml",
    "poetry.lock",
    "uv.lock",
    "requirements.txt",
    "setup.py",
    "Pipfile.lock",
    "go.mod",
    "go.sum",
    "Gemfile",
    "Gemfile.lock",
    "composer.json",
    "composer.lock",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
];
/// No real manifest is larger.
const MANIFEST_BYTES: u64 = 64 * 1024 * 1024;
const SETUP_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// A process cannot be started with less.
const MIN_LIMIT: Duration = Duration::from_secs(1);
const OUTPUT_BYTES: u64 = 4 * 1024 * 1024;

/// A set-up that failed: no worker and no check can start.
#[derive(Debug)]
pub(crate) struct SetupFailure {
    pub(crate) message: String,
    /// The end of what the command printed.
    pub(crate) output: String,
}

impl From<String> for SetupFailure {
    fn from(message: String) -> Self {
        Self { message, output: String::new() }
    }
}

impl std::fmt::Display for SetupFailure {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}: {}", self.message, self.output)
    }
}

/// One command of a set-up, and where it runs.
#[derive(Debug, Clone, Copy)]
struct SetupCommand<'a> {
    command: &'a str,
    place: WorkspaceId,
    log: &'a Path,
    limit: Duration,
}

/// How a set-up ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetupOutcome {
    Ready,
    /// We ended it, because the run was halted.
    Stopped,
}

impl ExecutorContext {
    /// Makes sure that the set-up commands have run for the files that are in the workspace now. A deadline can shorten
    /// their time limit.
    pub(crate) fn set_up(
        &self,
        place: WorkspaceId,
        handle: &CancelHandle,
        deadline: Option<Instant>,
    ) -> Result<SetupOutcome, SetupFailure> {
        if self.config.setup.is_empty() {
            return Ok(SetupOutcome::Ready);
        }
        let tree = self.pool.tree(place);
        let notes = self.pool.directory().join("setup");
        fs::create_dir_all(&notes)
            .map_err(|error| format!("cannot make {}: {error}", notes.display()))?;
        let mark = self.pool.setup_marker(place);
        let print = fingerprint(&self.config.setup, &tree);
        let lasts = !self.config.keep.is_empty();
        if lasts && is_done(&mark, &print) {
            return Ok(SetupOutcome::Ready);
        }
        // From here on the earlier set-up is no longer valid, and the new one is not finished.
        remove(&mark)?;
        let log = notes.join(format!("{place}.log"));
        for command in &self.config.setup {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            let limit = left.map_or(SETUP_TIMEOUT, |left| left.clamp(MIN_LIMIT, SETUP_TIMEOUT));
            let set_up = SetupCommand { command, place, log: &log, limit };
            if self.run_setup_command(&set_up, handle)? == SetupOutcome::Stopped {
                return Ok(SetupOutcome::Stopped);
            }
        }
        if matches!(place, WorkspaceId::Work(_)) {
            self.pool
                .note_setup_files(place, &self.config.keep)
                .map_err(|error| format!("cannot note what the set-up created: {error}"))?;
        }
        if lasts {
            fs::write(&mark, print).map_err(|error| {
                format!("cannot note the set-up in {}: {error}", mark.display())
            })?;
        }
        Ok(SetupOutcome::Ready)
    }

    fn run_setup_command(
        &self,
        set_up: &SetupCommand<'_>,
        handle: &CancelHandle,
    ) -> Result<SetupOutcome, SetupFailure> {
        let SetupCommand { command, place, log, limit } = *set_up;
        let job = JobSpec {
            name: format!("{}setup-{place}", self.job_prefix),
            argv: vec!["/bin/sh".to_owned(), "-c".to_owned(), command.to_owned()],
            wrapper: vec![],
            cwd: self.pool.tree(place),
            env: self.environment(&self.config.workers.check_env, &[]).into_iter().collect(),
            stdin: None,
            stdout: log.to_owned(),
            stderr: log.to_owned(),
            secrets: self.config.workers.secrets(),
            limits: JobLimits {
                wall: Some(limit),
                silence: None,
                output_bytes: OUTPUT_BYTES,
                grace: Duration::from_secs(2),
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: self.config.bounds.clone(),
            containment: self.config.containment,
            registry: self.layout.processes(),
        };
        if handle.is_asked() {
            return Ok(SetupOutcome::Stopped);
        }
        let (job, _room) = self.enclosed(job, &SandboxSubject::SetUp)?;
        let mut running = RunningJob::start(&self.config.exe, &job).map_err(|e| e.to_string())?;
        handle.attach(running.stopper());
        let report = running.wait();
        // If we stopped it, the exit status says nothing about the commands.
        if report.ended == Ok(ProcessEnd::Stopped) || handle.is_asked() {
            return Ok(SetupOutcome::Stopped);
        }
        if report.ended != Ok(ProcessEnd::Exited(0)) {
            let output = crate::executor::checks::ends_of(log);
            let ended = match report.ended {
                Ok(ProcessEnd::OverLimit(limit)) => limit.describe(),
                Ok(ProcessEnd::TimedOut) => {
                    format!("did not end within {}", render_span(limit))
                }
                Ok(ended) => format!("failed: {}", ended.describe()),
                Err(error) => format!("could not be started: {}", error.message),
            };
            let message = format!("the set-up command `{command}` {ended}");
            return Err(SetupFailure { message, output });
        }
        Ok(SetupOutcome::Ready)
    }
}

/// Whether the marker file matches; a worker may have replaced it with anything, even a pipe.
fn is_done(mark: &Path, print: &str) -> bool {
    mark.symlink_metadata().is_ok_and(|found| found.is_file())
        && fs::read_to_string(mark).is_ok_and(|done| done == print)
}

fn remove(mark: &Path) -> Result<(), String> {
    match fs::remove_file(mark) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", mark.display()))
        }
        _ => Ok(()),
    }
}

fn fingerprint(setup: &[String], tree: &Path) -> String {
    let mut hash = blake3::Hasher::new();
    for command in setup {
        hash.update(command.as_bytes());
        hash.update(b"\0");
    }
    for name in MANIFESTS {
        // A link could lead to an endless device, or to a file outside of the repository.
        let Ok(file) = open_plain(&tree.join(name)) else { continue };
        hash.update(name.as_bytes());
        hash.update(&file.metadata().map_or(0, |found| found.len()).to_le_bytes());
        // Of a larger file, only the length and the beginning count.
        let _ = hash.update_reader(file.take(MANIFEST_BYTES));
    }
    hash.finalize().to_hex().to_string()
}
